import SignetXML

// RFC 3629 and XML 1.0 §2.2: every way in which bytes can fail to be a character of XML, at every kind of place.
extension HostileDocument {
    private static let sequences: [(name: String, bytes: String)] = [
        ("NUL", "00"), ("a control character", "01"), ("a backspace", "08"), ("a vertical tab", "0B"),
        ("a form feed", "0C"), ("a shift-out", "0E"), ("an escape", "1B"), ("a unit separator", "1F"),
        ("a lone continuation byte", "80"), ("another lone continuation byte", "BF"),
        ("many continuation bytes", "80 81 82 83 84 85 86 87 88"),
        ("an overlong NUL", "C0 80"), ("an overlong <", "C0 BC"), ("an overlong DEL", "C1 BF"),
        ("an overlong < of three bytes", "E0 80 BC"), ("the last overlong of three bytes", "E0 9F BF"),
        ("an overlong < of four bytes", "F0 80 80 BC"), ("the last overlong of four bytes", "F0 8F BF BF"),
        ("an overlong < of five bytes", "F8 80 80 80 BC"), ("an overlong < of six bytes", "FC 80 80 80 80 BC"),
        ("the first surrogate", "ED A0 80"), ("the last surrogate", "ED BF BF"),
        ("two surrogates", "ED A0 BD ED B8 80"),
        ("the first value beyond Unicode", "F4 90 80 80"), ("a lead byte beyond Unicode", "F5 80 80 80"),
        ("the last value of four bytes", "F7 BF BF BF"), ("a lead byte of five", "FB BF BF BF BF"), ("FE", "FE"),
        ("FF", "FF"), ("FE FF", "FE FF"), ("FF FE", "FF FE"),
        ("one byte of two", "C3"), ("one byte of three", "E2"), ("two bytes of three", "E2 82"),
        ("one byte of four", "F0"), ("two bytes of four", "F0 9F"), ("three bytes of four", "F0 9F 98"),
        ("two of three before a lead byte", "E2 82 C3 A9"),
        ("three of four before a lead byte", "F0 9F 98 F0 9F 98 80"),
        ("a letter for the second byte of two", "C3 41"), ("a letter for the second byte of three", "E2 41 AC"),
        ("a letter for the third byte of three", "E2 82 41"), ("a letter for the second byte of four", "F0 41 98 80"),
        ("a letter for the third byte of four", "F0 9F 41 80"), ("a letter for the fourth byte of four", "F0 9F 98 41"),
        ("a letter of Latin 1", "E9"), ("the non-character U+FFFE", "EF BF BE"),
        ("the non-character U+FFFF", "EF BF BF"),
    ]

    /// Each with the hole for the bytes; some are so long that the bytes lie across words of eight bytes.
    private static let places: [(name: String, before: String, after: String)] = [
        ("a text", "<a>", "</a>"), ("a text behind a letter of two bytes", "<a>éxx", "xxxxxxxxx</a>"),
        ("a long text", "<a>0123456789012345678901234567890", "1234567890123456789</a>"),
        ("a value", "<a b='x", "'/>"), ("a namespace name", "<a xmlns:p='urn:", "'/>"),
        ("a comment", "<a><!-- ", " --></a>"), ("an instruction", "<a><?p ", " ?></a>"),
        ("a CDATA section", "<a><![CDATA[", "]]></a>"), ("an element's name", "<a><b", "/></a>"),
        ("the start of a name", "<a><", "/></a>"), ("an attribute's name", "<a b", "='1'/>"),
        ("a prefix", "<a><p", ":b/></a>"), ("an end tag", "<a></a", ">"), ("a target", "<a><?p", "?></a>"),
        ("a tag", "<a ", " b='1'/>"), ("a reference", "<a>&am", "p;</a>"),
        ("the space between tags", "<a>\n", "<b/></a>"),
    ]

    static let characters: [HostileDocument] =
        sequences.flatMap { sequence in
            places.map { place in
                HostileDocument(
                    "\(sequence.name) in \(place.name)", .invalidCharacter,
                    "\(place.before)☠«\(sequence.bytes)»\(place.after)", isElement: true)
            }
        }
        + table(allowedCharacters, areElements: true)

    private static let allowedCharacters: [Line] = [
        ("control characters that XML allows", nil, "<a b='\u{7F}\u{80}\u{85}\u{9F}'>\t\r\n\u{7F}\u{80}\u{9F}</a>"),
        ("the edges of what XML allows", nil, "<a>\u{20}\u{D7FF}\u{E000}\u{FFFD}\u{10000}\u{10FFFF}</a>"),
        ("the edges of the lengths in UTF-8", nil, "<a>\u{7F}\u{80}\u{7FF}\u{800}\u{FFFD}\u{10000}</a>"),
        ("non-characters that XML allows", nil, "<a>«EF B7 90 EF B7 AF F0 9F BF BE F4 8F BF BF»</a>"),
        ("direction marks and joiners", nil, "<a>\u{202E}\u{200D}\u{2066}\u{E0001}</a>"),
    ]
}

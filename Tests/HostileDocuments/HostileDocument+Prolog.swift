import SignetXML

// XML 1.0 §2.8 (prolog) and §2.1 (one root element).
extension HostileDocument {
    static let declarations: [Line] =
        [
            ("an XML declaration of nothing", .malformed, "<?xml☠?><a/>"),
            ("an XML declaration of a space", .malformed, "<?xml ☠?><a/>"),
            ("an XML declaration in capitals", .malformed, "☠<?XML version='1.0'?><a/>"),
            ("an XML declaration with a capital", .malformed, "☠<?Xml version='1.0'?><a/>"),
            ("an XML declaration behind a space", .malformed, " ☠<?xml version='1.0'?><a/>"),
            ("an XML declaration behind a line end", .malformed, "\r\n☠<?xml version='1.0'?><a/>"),
            ("an XML declaration behind a comment", .malformed, "<!-- -->☠<?xml version='1.0'?><a/>"),
            ("an XML declaration behind an instruction", .malformed, "<?p?>☠<?xml version='1.0'?><a/>"),
            ("an XML declaration behind the root", .malformed, "<a/>☠<?xml version='1.0'?>"),
            ("two XML declarations", .malformed, "<?xml version='1.0'?>☠<?xml version='1.0'?><a/>"),
            ("a bracket before an XML declaration", .malformed, "☠><?xml version='1.0'?><a/>"),
            ("a space before the target", .malformed, "<?☠ xml version='1.0'?><a/>"),
            ("no space behind the target xml", .malformed, "<?xmlversion☠='1.0'?><a/>"),
            ("no version", .malformed, "<?xml ☠encoding='utf-8'?><a/>"),
            ("standalone only", .malformed, "<?xml ☠standalone='yes'?><a/>"),
            ("the version in capitals", .malformed, "<?xml ☠VERSION='1.0'?><a/>"),
            ("the version twice", .malformed, "<?xml version='1.0' ☠version='1.0'?><a/>"),
            ("the encoding twice", .malformed, "<?xml version='1.0' encoding='utf-8' ☠encoding='utf-8'?><a/>"),
            ("standalone twice", .malformed, "<?xml version='1.0' standalone='no' ☠standalone='no'?><a/>"),
            (
                "standalone before the encoding", .malformed,
                "<?xml version='1.0' standalone='no' ☠encoding='utf-8'?><a/>"
            ),
            ("the encoding before the version", .malformed, "<?xml ☠encoding='utf-8' version='1.0'?><a/>"),
            ("another attribute", .malformed, "<?xml version='1.0' ☠charset='utf-8'?><a/>"),
            ("an attribute of a namespace", .malformed, "<?xml version='1.0' ☠xmlns='urn:1'?><a/>"),
            ("a word in an XML declaration", .malformed, "<?xml version='1.0' ☠x?><a/>"),
            ("a question mark in an XML declaration", .malformed, "<?xml version='1.0' ☠??><a/>"),
            ("no space before the encoding", .malformed, "<?xml version='1.0'☠encoding='utf-8'?><a/>"),
            ("no space before standalone", .malformed, "<?xml version='1.0' encoding='utf-8'☠standalone='no'?><a/>"),
            ("a comma before the encoding", .malformed, "<?xml version='1.0'☠, encoding='utf-8'?><a/>"),
            ("a no-break space before the encoding", .malformed, "<?xml version='1.0'☠\u{A0}encoding='utf-8'?><a/>"),
            ("no equals sign", .malformed, "<?xml version ☠'1.0'?><a/>"),
            ("no value of the version", .malformed, "<?xml version=☠?><a/>"),
            ("nothing but the word version", .malformed, "<?xml version☠?><a/>"),
            ("a version without quotes", .malformed, "<?xml version=☠1.0?><a/>"),
            ("a version without its closing quote", .malformed, "<?xml version='☠1.0?><a/>"),
            ("a version closed by the other quote", .malformed, "<?xml version='☠1.0\"?><a/>"),
            ("an XML declaration closed as in SGML", .unexpectedEnd, "☠<?xml version='1.0'><a/>"),
            ("an XML declaration closed by a later one", .malformed, "<?xml version='1.0'☠><a/><?p?>"),
            ("an XML declaration without an end", .unexpectedEnd, "☠<?xml version='1.0'"),
            ("an XML declaration that ends in a value", .unexpectedEnd, "☠<?xml version='1."),
            ("an XML declaration with a space in its end", .unexpectedEnd, "☠<?xml version='1.0' ? ><a/>"),
            (
                "an XML declaration with all there is", nil,
                "<?xml\tversion\n=\r\n'1.0'\rencoding = \"UTF-8\" standalone='no' ?><a/>"
            ),
            ("version 1.1, read as 1.0", nil, "<?xml version='1.1'?><a/>"),
            ("version 1.99, read as 1.0", nil, "<?xml version='1.99'?><a/>"),
        ]
        + ["2.0", "1", "1.", "1.0a", " 1.0", "1.0 ", "", "v1.0", "1,0", "1.0.0", "-1.0", "01.0", "１.0", "1.１", "0.9"]
        .map { ("the version “\($0)”", .malformed, "<?xml version='☠\($0)'?><a/>") }
        + ["YES", "No", "true", "1", "", "no ", " yes", "yes\n"]
        .map { ("standalone “\($0)”", .malformed, "<?xml version='1.0' standalone='☠\($0)'?><a/>") }
        + ["", "8859", " utf-8", "utf-8 ", "utf 8", "-utf-8", "_utf8", "utf/8", "ütf-8", "utf-8;", "."]
        .map { ("the encoding “\($0)”", .malformed, "<?xml version='1.0' encoding='☠\($0)'?><a/>") }
        + ["x-unknown", "utf-7", "ebcdic-cp-us", "utf-32", "ISO-10646-UCS-4", "scsu", "cesu-8", "u"]
        .map { ("the encoding “\($0)”", .unsupportedEncoding, "<?xml version='1.0' encoding='☠\($0)'?><a/>") }

    static let outsideTheRoot: [Line] = [
        ("nothing", .unexpectedEnd, "☠"),
        ("white space only", .unexpectedEnd, " \t\r\n☠"),
        ("a byte-order mark only", .unexpectedEnd, "\u{FEFF}☠"),
        ("a comment only", .unexpectedEnd, "<!-- x -->☠"),
        ("an instruction only", .unexpectedEnd, "<?p x?>☠"),
        ("an XML declaration only", .unexpectedEnd, "<?xml version='1.0'?>\n☠"),
        ("a bracket only", .unexpectedEnd, "☠<"),
        ("a comment without an end, and no root", .unexpectedEnd, "☠<!-- <a/>"),
        ("two byte-order marks", .malformed, "\u{FEFF}☠\u{FEFF}<a/>"),
        ("a byte-order mark behind a space", .malformed, " ☠\u{FEFF}<a/>"),
        ("a byte-order mark behind an XML declaration", .malformed, "<?xml version='1.0'?>☠\u{FEFF}<a/>"),
        ("a byte-order mark behind the root", .malformed, "<a/>☠\u{FEFF}"),
        ("text only", .malformed, "☠text"),
        ("text before the root", .malformed, "☠x<a/>"),
        ("text behind an XML declaration", .malformed, "<?xml version='1.0'?> ☠x<a/>"),
        ("text behind the root", .malformed, "<a/>☠x"),
        ("text behind the root and a line end", .malformed, "<a/>\n☠x"),
        ("text behind a comment behind the root", .malformed, "<a/><!-- -->☠x"),
        ("a second root", .malformed, "<a/>☠<b/>"),
        ("the same root twice", .malformed, "<a></a>\n☠<a></a>"),
        ("a second root behind a comment", .malformed, "<a/><!-- -->☠<b/>"),
        ("a second root that is not closed", .malformed, "<a/>☠<b>"),
        ("a reference before the root", .malformed, "☠&amp;<a/>"),
        ("a reference behind the root", .malformed, "<a/>☠&#32;"),
        ("a CDATA section before the root", .malformed, "☠<![CDATA[x]]><a/>"),
        ("a CDATA section behind the root", .malformed, "<a/>☠<![CDATA[ ]]>"),
        ("an empty CDATA section behind the root", .malformed, "<a/>☠<![CDATA[]]>"),
        ("]]> before the root", .malformed, "☠]]><a/>"),
        ("]]> behind the root", .malformed, "<a/>☠]]>"),
        ("a bracket behind the root", .malformed, "<a/>☠>"),
        ("a bracket that opens nothing behind the root", .unexpectedEnd, "<a/>☠<"),
        ("an end tag only", .malformed, "☠</a>"),
        ("an end tag too many", .malformed, "<a/>☠</a>"),
        ("an end tag too many behind another", .malformed, "<a></a>☠</a>"),
        ("an end tag before the root", .malformed, "☠</a><a/>"),
        ("a no-break space before the root", .malformed, "☠\u{A0}<a/>"),
        ("a zero width space before the root", .malformed, "☠\u{200B}<a/>"),
        ("a next-line character behind the root", .malformed, "<a/>\n☠\u{85}"),
        ("a line separator behind the root", .malformed, "<a/>☠\u{2028}"),
        ("a declaration of an entity before the root", .malformed, "☠<!ENTITY a 'b'><a/>"),
        ("a declaration of nothing before the root", .malformed, "☠<!><a/>"),
        ("a document type declaration in small letters", .malformed, "☠<!doctype html><html/>"),
        ("JSON", .malformed, "☠{\"a\": 1}"),
        ("a status line", .malformed, "☠HTTP/1.1 200 OK\r\n\r\n<a/>"),
        ("a PDF", .malformed, "☠%PDF-1.7"),
        ("a zip archive", .invalidCharacter, "PK☠«03 04 14 00»"),
        ("a gzip file", .invalidCharacter, "☠«1F 8B 08 00»"),
        ("HTML", .malformed, "<html><p>one<p>two☠</html>"),
        ("brackets of full width", .malformed, "☠＜a/＞"),
        ("a document in UTF-7", .malformed, "☠+ADw-a/+AD4-"),
        ("two documents", .malformed, "<?xml version='1.0'?><a/>☠<?xml version='1.0'?><a/>"),
        ("a NUL behind the root", .invalidCharacter, "<a/>☠«00»"),
        ("a document with its NUL of C", .invalidCharacter, "<a></a>\n☠«00»"),
        ("a control-Z behind the root", .invalidCharacter, "<a/>☠«1A»"),
        ("half a character behind the root", .invalidCharacter, "<a/>☠«C3»"),
        ("two thirds of a character behind the root", .invalidCharacter, "<a/>☠«E2 82»"),
        (
            "much that may stand around a root", nil,
            "\u{FEFF}<?xml version='1.0'?>\r\n<?p?><!-- --> <a/>\t<!----><?p?>\n"
        ),
        ("byte-order marks in a text", nil, "<a>\u{FEFF}x\u{FEFF}</a>"),
    ]

    static let doctypes: [Line] = [
        ("the smallest document type declaration", .doctypeRefused, "☠<!DOCTYPE a><a/>"),
        ("an internal subset of nothing", .doctypeRefused, "☠<!DOCTYPE a []><a/>"),
        (
            "a document type declaration behind all else", .doctypeRefused,
            "<?xml version='1.0'?>\n<!-- --><?p?>\n☠<!DOCTYPE a><a/>"
        ),
        ("a document type declaration behind a byte-order mark", .doctypeRefused, "\u{FEFF}☠<!DOCTYPE a><a/>"),
        ("two document type declarations", .doctypeRefused, "☠<!DOCTYPE a><!DOCTYPE a><a/>"),
        ("a document type declaration behind the root", .doctypeRefused, "<a/>☠<!DOCTYPE a>"),
        ("a document type declaration and no root", .doctypeRefused, "☠<!DOCTYPE a>"),
        ("a document type declaration without an end", .doctypeRefused, "☠<!DOCTYPE a [<!ENTITY b 'c'>"),
        ("a document type declaration without anything", .doctypeRefused, "☠<!DOCTYPE"),
        ("HTML 5", .doctypeRefused, "☠<!DOCTYPE html><html></html>"),
        ("an entity", .doctypeRefused, "☠<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"),
        (
            "a billion laughs", .doctypeRefused,
            "<?xml version='1.0'?>☠<!DOCTYPE a [<!ENTITY l0 'lol'>"
                + (1...9).map { "<!ENTITY l\($0) '\(String(repeating: "&l\($0 - 1);", count: 10))'>" }.joined()
                + "]><a>&l9;</a>"
        ),
        (
            "quadratic blow-up", .doctypeRefused,
            "☠<!DOCTYPE a [<!ENTITY b '\(String(repeating: "x", count: 10_000))'>]><a>"
                + String(repeating: "&b;", count: 10_000) + "</a>"
        ),
        ("an entity of itself", .doctypeRefused, "☠<!DOCTYPE a [<!ENTITY b '&b;'>]><a>&b;</a>"),
        ("two entities of each other", .doctypeRefused, "☠<!DOCTYPE a [<!ENTITY b '&c;'><!ENTITY c '&b;'>]><a>&b;</a>"),
        ("a file as an entity", .doctypeRefused, "☠<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>"),
        ("a device as an entity", .doctypeRefused, "☠<!DOCTYPE a [<!ENTITY b SYSTEM '/dev/random'>]><a>&b;</a>"),
        (
            "an address as an entity", .doctypeRefused,
            "☠<!DOCTYPE a [<!ENTITY b SYSTEM 'http://127.0.0.1:1/'>]><a>&b;</a>"
        ),
        ("an external subset", .doctypeRefused, "☠<!DOCTYPE a SYSTEM 'http://127.0.0.1:1/a.dtd'><a/>"),
        ("a public external subset", .doctypeRefused, "☠<!DOCTYPE a PUBLIC '-//X//Y' 'file:///a.dtd'><a/>"),
        ("a parameter entity", .doctypeRefused, "☠<!DOCTYPE a [<!ENTITY % b '<!ENTITY c \"d\">'>%b;]><a>&c;</a>"),
        (
            "a file sent elsewhere by parameter entities", .doctypeRefused,
            "☠<!DOCTYPE a [<!ENTITY % f SYSTEM 'file:///etc/passwd'><!ENTITY % d SYSTEM 'http://127.0.0.1:1/d'>%d;%s;]><a/>"
        ),
        (
            "an unparsed entity", .doctypeRefused,
            "☠<!DOCTYPE a [<!NOTATION n SYSTEM 'n'><!ENTITY b SYSTEM 'b' NDATA n>]><a/>"
        ),
        ("an attribute made an identifier", .doctypeRefused, "☠<!DOCTYPE a [<!ATTLIST a b ID #IMPLIED>]><a b='x'/>"),
        ("an attribute by default", .doctypeRefused, "☠<!DOCTYPE a [<!ATTLIST a xmlns CDATA #FIXED 'urn:1'>]><a/>"),
        ("a redefinition of lt", .doctypeRefused, "☠<!DOCTYPE a [<!ENTITY lt '&#38;#60;'>]><a>&lt;</a>"),
    ]
}

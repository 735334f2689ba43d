import SignetXML
import Testing

/// Words and qualified names may begin with an accent, which Swift takes for one character with what stands before it.
@Suite struct XMLWordsTests {
    /// A combining mark that XML 1.0 takes as the start of a name (production 4).
    private let mark = "\u{65C}"

    @Test func onlyXMLWhiteSpaceIsTrimmed() {
        #expect("".trimmedXMLSpace.isEmpty && " \r\n\t".trimmedXMLSpace.isEmpty)
        #expect(" \r\na b\t".trimmedXMLSpace == "a b")
        #expect("\u{A0}a\u{2003}".trimmedXMLSpace == "\u{A0}a\u{2003}")
        #expect(" \(mark)a \(mark)".trimmedXMLSpace.isExactly("\(mark)a \(mark)"))
    }

    @Test func wordsStandBetweenWhiteSpace() {
        #expect(" \n".xmlWords.isEmpty)
        #expect("a\u{A0}b  c\r\nd".xmlWords == ["a\u{A0}b", "c", "d"])
        #expect("a \(mark)b \(mark)".xmlWords == ["a", "\(mark)b", mark])
        #expect(" a \r\n \(mark)b".collapsedXMLSpace.isExactly("a \(mark)b"))
    }

    @Test func qualifiedNamesArePartedAtTheColon() {
        #expect("a:b".qualifiedNameParts == ("a", "b"))
        #expect("b".qualifiedNameParts == ("", "b"))
        #expect("a:b:c".qualifiedNameParts == ("a", "b:c"))
        #expect(":b".qualifiedNameParts == ("", ":b"))
        #expect("a:\(mark)b".qualifiedNameParts == ("a", "\(mark)b"))
    }
}

import HostileDocuments
import SignetXML
import Testing

/// Each document of the table, read in every way: the code, the offset, the line and the column.
@Suite struct HostileTests {
    @Test func thereAreEnough() {
        let all = HostileDocument.small + HostileDocument.large(kilobytes: 64)
        #expect(all.count(where: \.isRefused) >= 300)
        let same = Dictionary(grouping: all, by: \.name).filter { $0.value.count > 1 }.keys
        #expect(same.sorted() == [], "two documents have the same name")
    }

    @Test(arguments: HostileDocument.small) func small(document: HostileDocument) {
        for reading in HostileReading.allCases where document.isElement || !reading.isNested {
            #expect(document.complaint(reading) == nil)
        }
    }

    @Test(arguments: HostileDocument.large(kilobytes: 64)) func large(document: HostileDocument) {
        let made = document.bytes
        for reading in HostileReading.allCases where !reading.isNested {
            #expect(document.complaint(reading, made: made) == nil)
        }
    }

    /// Most defects lie where a type has a place for them, so that reading by a table is tested too.
    @Test func tablesMeetMostDefects() {
        for reading in HostileReading.allCases where reading.hasShape {
            let documents = HostileDocument.small.filter { $0.isRefused && ($0.isElement || !reading.isNested) }
            let met = documents.count { $0.isMet(by: reading) }
            #expect(met * 10 > documents.count * 8, "\(reading): \(met) of \(documents.count)")
        }
    }
}

/// A document cut off anywhere is no document: none is accepted, and the error says that it ends too early.
@Suite struct TruncationTests {
    private static let rich = Array(
        """
        \u{FEFF}<?xml version="1.0" encoding='UTF-8' standalone = "yes" ?>
        <!-- é - --><?p i ??>\r
        <p:a xmlns:p='urn:&#x31;' xmlns = "urn:2" é:b="&amp;é>" xmlns:é='urn:3' xml:lang=''\t>
        <![CDATA[é]] > & <]]>é&#65;&#x1F600;&lt;<b c='1'/><p:d\t>]]&gt;]</p:d\n><!----><?q?><e></e>
        </p:a >
        """.utf8)

    @Test(arguments: HostileReading.allCases.filter { !$0.isNested }) func everyByte(reading: HostileReading) throws {
        #expect(throws: Never.self) { try HostileReading.pull.read(Self.rich) }
        for length in 0..<Self.rich.count {
            let error = #expect(throws: XMLError.self, "\(length)") { try reading.read(Array(Self.rich[..<length])) }
            guard let error, !(reading.hasShape && error.code == .unexpected) else { continue }
            // Half a character is no character.
            let isWhole = Self.rich[length] & 0xC0 != 0x80
            #expect(error.code == (isWhole ? .unexpectedEnd : .invalidCharacter), "\(length): \(error)")
            #expect(error.offset <= length)
        }
    }
}

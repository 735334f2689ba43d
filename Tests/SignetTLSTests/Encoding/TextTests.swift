import Foundation
import Testing

@testable import SignetTLS

@Suite struct TextTests {
    @Test func base64AgreesWithFoundation() {
        for count in 0..<100 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
            #expect(Text.base64(bytes) == Data(bytes).base64EncodedString())
            #expect(Text.bytes(base64: Text.base64(bytes).utf8) == bytes)
            #expect(Text.bytes(hexadecimal: Text.hexadecimal(bytes)) == bytes)
        }
    }

    @Test(arguments: ["A", "AA", "AAA", "AA=A", "A===", "AB==", "AAB=", "AA-_", "====", "AAAA=", "AAAA==", "é==="])
    func refusesWrongBase64(text: String) { #expect(Text.bytes(base64: text.utf8) == nil) }

    @Test(arguments: ["0", "0g", "00:1", "zz"]) func refusesWrongHexadecimal(text: String) {
        #expect(Text.bytes(hexadecimal: text) == nil)
    }

    @Test(
        arguments: [
            (0, "1970-01-01 00:00:00 UTC"), (951_782_400, "2000-02-29 00:00:00 UTC"), (-1, "1969-12-31 23:59:59 UTC"),
            (4_107_542_399, "2100-02-28 23:59:59 UTC"), (253_402_300_799, "9999-12-31 23:59:59 UTC"),
        ] as [(Int64, String)]) func writesDates(seconds: Int64, text: String)
    { #expect(UnixTime.text(seconds) == text) }
}

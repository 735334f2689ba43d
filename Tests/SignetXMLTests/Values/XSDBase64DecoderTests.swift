import Testing

@testable import SignetXML

@Suite struct XSDBase64DecoderTests {
    /// Decodes text that is cut into pieces.
    private func decoded(_ text: String, pieceBytes: Int) -> (bytes: [UInt8], damage: Int?, isWhole: Bool) {
        var decoder = XSDBase64Decoder()
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            if let damage = decoder.decode(rest.prefix(pieceBytes), into: &bytes) { return (bytes, damage, false) }
            rest = rest.dropFirst(pieceBytes)
        }
        return (bytes, nil, decoder.isWhole)
    }

    @Test(arguments: 0..<50) func decodingInPiecesGivesTheWholeValue(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ count) }
        let text = XSDBase64Binary(bytes).lexicalForm
        for pieceBytes in 1...9 {
            let result = decoded(text, pieceBytes: pieceBytes)
            #expect(result.bytes == bytes)
            #expect(result.isWhole)
        }
    }

    @Test(arguments: [
        "SGVs bG8", "SGVs=", "SGVsbA=", "SGVsbG8=A", "=", "SGVs\u{E9}", "SGVsbG9=", "SGVs&#13", "SGVs&lt;",
        "SGVs&#x-D;",
    ])
    func invalidTextIsDamagedOrIncomplete(text: String) {
        for pieceBytes in 1...9 {
            let result = decoded(text, pieceBytes: pieceBytes)
            #expect(result.damage != nil || !result.isWhole)
        }
    }

    @Test func bytesBeforeTheDamageAreKept() {
        let result = decoded("SGVs\nbG*v", pieceBytes: 100)
        #expect(result.damage == 7)
        #expect(result.bytes == Array("Hel".utf8))
    }

    @Test func referencesToWhiteSpaceArePassedOver() {
        for pieceBytes in 1...5 {
            let result = decoded("SG&#xD;&#10;Vs&#x9;&#32;", pieceBytes: pieceBytes)
            #expect(result.bytes == Array("Hel".utf8))
            #expect(result.isWhole)
        }
    }
}

import SignetXML
import Testing

// The code of the article StreamingMessages about documents, compiled and run. The page is compared with this code, and
// with that of calls, which stands in SignetSOAPTests.

private struct Item: XMLStructure {
    var quantity: Int32
    var price: XSDDecimal
    var note: String?
    var sku: String

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:shop"], elements: "quantity price note?", attributes: "sku")
        fields.field(&x.quantity)
        fields.field(&x.price)
        fields.field(&x.note)
        fields.field(&x.sku)
    }
}

private struct WrongOrder: Error {}

@Suite struct StreamingPage {
    private var chunks: AsyncStream<[UInt8]> {
        let document = Array(
            """
            <order xmlns="urn:shop" number="4711">
              <buyer><name>Ann &amp; Co</name><city>Graz</city></buyer>
              <item sku="a-1"><quantity>2</quantity><price>9.90</price></item>
              <item sku="b-7"><quantity>1</quantity><price>120.00</price><note>fragile</note></item>
              <total>139.80</total>
            </order>
            """.utf8)
        return AsyncStream { continuation in
            for begin in stride(from: 0, to: document.count, by: 50) {
                continuation.yield(Array(document[begin..<min(begin + 50, document.count)]))
            }
            continuation.finish()
        }
    }

    @Test func elementsArriveOneAfterTheOther() async throws {
        let path = [XMLName("urn:shop", "order"), XMLName("urn:shop", "item")]
        var quantity: Int32 = 0
        for try await item in XMLElementSequence(chunks, of: Item.self, path: path) {
            quantity += item.quantity
        }
        #expect(quantity == 3)
    }

    @Test func openingAndRemainderAreHandedOver() async throws {
        let path = [XMLName("urn:shop", "order"), XMLName("urn:shop", "item")]
        let items = XMLElementSequence(
            chunks, of: Item.self, path: path,
            opening: { excerpt in
                try XMLReader.read(excerpt) { reader in
                    try reader.root()
                    guard reader.attribute("number") == "4711" else { throw WrongOrder() }
                }
            },
            remainder: { excerpt in
                try XMLReader.read(excerpt) { reader in
                    guard try reader.nextElement(XMLName("urn:shop", "total")) else { throw WrongOrder() }
                    let total: XSDDecimal = try reader.value()
                    guard total == XSDDecimal("139.8") else { throw WrongOrder() }
                }
            })
        var count = 0
        for try await _ in items { count += 1 }
        #expect(count == 2)
    }

    @Test func theFramerWorksWithoutASequence() async throws {
        let path = [XMLName("urn:shop", "order"), XMLName("urn:shop", "item")]
        var framer = XMLFramer(path: path, elementBytes: 64 << 10)
        var skus: [String] = []
        for try await chunk in chunks {
            framer.push(chunk)
            while let event = try framer.next() {
                if case .element(let excerpt) = event { skus.append(try excerpt.structure(Item.self).sku) }
            }
        }
        framer.finish()
        while try framer.next() != nil {}
        #expect(skus == ["a-1", "b-7"])
        #expect(framer.isComplete)
    }
}

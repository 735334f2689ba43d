import SignetXML
import Testing

// The code of the article PullReader, compiled and run. A test of Signet compares the articles with such files.

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

@Suite struct PullReaderPage {
    let bytes = Array(
        """
        <order xmlns="urn:shop" number="4711">
          <buyer><name>Ann &amp; Co</name><city>Graz</city></buyer>
          <item sku="a-1"><quantity>2</quantity><price>9.90</price></item>
          <item sku="b-7"><quantity>1</quantity><price>120.00</price><note>fragile</note></item>
        </order>
        """.utf8)

    @Test func elementsOfOneNameAreRead() throws {
        let price = XMLName("urn:shop", "price")
        let prices = try XMLReader.read(bytes) { reader in
            var prices: [XSDDecimal] = []
            while try reader.nextElement(price) { prices.append(try reader.value()) }
            return prices
        }
        #expect(prices.map(\.description) == ["9.9", "120"])
    }

    @Test func intoADictionary() throws {
        let quantities = try XMLReader.read(bytes) { reader in
            var quantities: [String: Int32] = [:]
            try reader.root()
            while try reader.nextChild() {
                guard reader.elementName == "item", let sku = reader.attribute("sku") else {
                    try reader.skipElement()
                    continue
                }
                while try reader.nextChild() {
                    if reader.elementName == "quantity" {
                        quantities[sku] = try reader.value()
                    } else {
                        try reader.skipElement()
                    }
                }
            }
            try reader.finish()
            return quantities
        }
        #expect(quantities == ["a-1": 2, "b-7": 1])
    }

    @Test func intoOwnTypes() throws {
        let items = try XMLReader.read(bytes) { reader in
            var items: [Item] = []
            while try reader.nextElement(XMLName("urn:shop", "item")) { items.append(try reader.structure()) }
            return items
        }
        #expect(items.map(\.sku) == ["a-1", "b-7"])
        #expect(items.map(\.note) == [nil, "fragile"])
    }

    @Test func fragments() throws {
        let order = try XMLFragment(parsing: bytes)
        let buyer = order.children.first(named: "buyer")
        print(order.attribute("number") ?? "-", buyer?.children.first(named: "name")?.text ?? "-")
        #expect(buyer?.children.first(named: "name")?.text == "Ann & Co")
    }

    @Test func limits() throws {
        var limits = XMLLimits()
        limits.documentBytes = 1 << 20
        limits.depth = 20
        do {
            _ = try XMLFragment(parsing: bytes, limits: limits)
        } catch {
            print(error.code, error.line, error.column, error.path, error.message)
        }
        limits.depth = 2
        #expect(throws: XMLError(.tooDeep, "")) { try XMLFragment(parsing: bytes, limits: limits) }
    }

    @Test func aDocumentThatIsNotWholeIsNoticed() {
        let price = XMLName("urn:shop", "price")
        #expect(throws: XMLError(.unexpectedEnd, "")) {
            try XMLReader.read(Array(bytes.dropLast(9))) { reader in while try reader.nextElement(price) {} }
        }
    }
}

import Signet

// The code of HandWrittenStructures.md. It is compiled, and DocumentationTests compares it with the page.

private typealias Item = HandWrittenStructuresPage.Item

enum HandWrittenStructuresPage {
    struct Item: XMLStructure {
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

    enum State: XMLEnumeration {
        case open
        case paid
        case unrecognized(String)  // its name tells `checksInput` and `violations()` that the schema has no such value

        init(rawValue: String) {
            self =
                switch rawValue {
                case "open": .open
                case "paid": .paid
                default: .unrecognized(rawValue)
                }
        }

        var rawValue: String {
            switch self {
            case .open: "open"
            case .paid: "paid"
            case .unrecognized(let text): text
            }
        }
    }
}

extension Item {
    init(_decoding: Void) { self.init(quantity: ._placeholder, price: ._placeholder, sku: ._placeholder) }
}

private func copy(_ bytes: [UInt8]) throws -> [UInt8] {
    let item = try XMLReader.read(bytes) { reader in
        try reader.root()  // to the root element
        return try reader.structure() as Item
    }

    var writer = XMLWriter()
    writer.declaration()
    writer.element(XMLName("urn:shop", "item"), item)  // declares the namespace, with a prefix
    let document = try writer.finish()  // [UInt8] in UTF-8
    return document
}

private struct Receipt: XMLStructure {
    var number: String

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:shop"], elements: "number")
        fields.field(&x.number)
    }
}

private func send(_ item: Item) async throws -> Receipt {
    let order = ServiceOperation<Item, Receipt>(
        name: "Order", soapAction: "urn:shop/Order", version: .soap11,
        input: XMLName("urn:shop", "Order"), output: XMLName("urn:shop", "OrderResponse"))

    let service = try ServiceConfiguration("https://shop.example/soap")
    let receipt = try await ServiceCaller(service).call(order, item)
    return receipt
}

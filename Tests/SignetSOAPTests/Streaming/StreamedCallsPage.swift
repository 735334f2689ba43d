import Foundation
import SignetSOAP
import Testing

// The code about calls of the article StreamingMessages, compiled and run; `StreamingPage` of the tests of SignetXML
// compares the page with it.

private enum Shop {
    static let namespace = "urn:shop"

    struct Item: XMLStructure {
        var sku: String
        var quantity: Int32

        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([Shop.namespace], elements: "sku quantity")
            fields.field(&x.sku)
            fields.field(&x.quantity)
        }
    }

    struct Order: XMLStructure {
        var item: [Item]
        var total: Int32?

        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([Shop.namespace], elements: "item* total?")
            fields.field(&x.item)
            fields.field(&x.total)
        }
    }

    struct Scan: XMLStructure {
        var name: String
        var content: XSDBase64Binary

        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([Shop.namespace], elements: "name content")
            fields.field(&x.name)
            fields.field(&x.content)
        }
    }

    enum Operations {
        static let order = ServiceOperation<Order, Order>(
            name: "Order", soapAction: "", version: .soap11, input: XMLName(namespace, "order"),
            output: XMLName(namespace, "order"), namespaces: [namespace])
        static let scan = ServiceOperation<Scan, Scan>(
            name: "Scan", soapAction: "", version: .soap11, input: XMLName(namespace, "scan"),
            output: XMLName(namespace, "scan"), namespaces: [namespace])
    }

    struct Client: ServiceClient {
        let caller: ServiceCaller
        init(_ caller: ServiceCaller) { self.caller = caller }
    }
}

@Suite struct StreamedCallsPage {
    private let shop = Shop.Client(inProcess: [
        Shop.Operations.order.route { input, _ in .init(item: input.item, total: Int32(input.item.count)) },
        Shop.Operations.scan.route { input, _ in input },
    ])
    private let input = Shop.Order(item: [.init(sku: "a-1", quantity: 2), .init(sku: "b-7", quantity: 1)])
    private let stock = AsyncStream<Shop.Item> { continuation in
        continuation.yield(Shop.Item(sku: "c-3", quantity: 5))
        continuation.finish()
    }

    @Test func answers() async throws {
        let path = [XMLName("urn:shop", "order"), XMLName("urn:shop", "item")]
        var quantity: Int32 = 0
        let answer = try await shop.caller.answer(
            to: Shop.Operations.order, input, each: path, of: Shop.Item.self
        ) { item in quantity += item.quantity }
        #expect(answer.output.total == 2 && answer.output.item.isEmpty)
        #expect(quantity == 3)
    }

    @Test func requests() async throws {
        let path = [XMLName("urn:shop", "order"), XMLName("urn:shop", "item")]
        let answer = try await shop.caller.answer(
            to: Shop.Operations.order, input, sending: .elements(stock, at: path))
        #expect(answer.output.item.count == 3)
    }

    @Test func content() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let scanned = folder.appending(path: "scanned").path(percentEncoded: false)
        let received = folder.appending(path: "received").path(percentEncoded: false)
        try Data("scan".utf8).write(to: URL(filePath: scanned))
        let content = [XMLName("urn:shop", "scan"), XMLName("urn:shop", "content")]
        let answer = try await shop.caller.answer(
            to: Shop.Operations.scan, .init(name: "page 1", content: .init([])),
            base64: content, sending: .base64(file: scanned, at: content), savingTo: received)
        #expect(answer.output.name == "page 1")
        #expect(FileManager.default.contents(atPath: received) == Data("scan".utf8))
    }
}

import Testing

@testable import SignetXML

@Suite struct XMLInsertionPlaceTests {
    private static func name(_ local: String) -> XMLName { XMLName("urn:p", local) }
    private static let path = [name("root"), name("list"), name("item")]

    private func elements(
        _ document: String, _ order: XMLInsertionPlace.Order = .unknown
    ) throws -> String? {
        let bytes = Array(document.utf8)
        return try XMLInsertionPlace.elements(at: Self.path, in: bytes, order).map {
            String(decoding: bytes[..<$0.offset] + [UInt8(ascii: "|")] + bytes[$0.offset...], as: UTF8.self)
        }
    }

    private static func document(_ list: String) -> String {
        "<p:root xmlns:p=\"urn:p\"><p:list>\(list)</p:list></p:root>"
    }

    @Test(arguments: [
        ("", "|"), ("<p:item></p:item>", "<p:item></p:item>|"),
        (
            "<p:a></p:a><p:item></p:item><p:item>x</p:item><p:b></p:b>",
            "<p:a></p:a><p:item></p:item><p:item>x</p:item>|<p:b></p:b>"
        ),
    ]) func newElementsFollowThoseOfTheSameName(list: String, found: String) throws {
        #expect(try elements(Self.document(list)) == Self.document(found))
    }

    @Test(arguments: [
        ("<p:a></p:a><p:b></p:b>", "<p:a></p:a>|<p:b></p:b>"), ("<p:b></p:b>", "|<p:b></p:b>"),
        ("<p:a></p:a>", "<p:a></p:a>|"),
    ]) func theGivenOrderDecidesThePlace(list: String, found: String) throws {
        #expect(try elements(Self.document(list), .behind(["a"])) == Self.document(found))
        #expect(try elements(Self.document(list)) == nil)
    }

    @Test func thereIsNoPlaceWithoutTheParent() throws {
        #expect(try elements("<p:root xmlns:p=\"urn:p\"><p:other></p:other></p:root>") == nil)
        #expect(try elements("<p:root xmlns:p=\"urn:p\"><p:list/></p:root>") == nil)
        // A default namespace would take in what is written there.
        #expect(try elements("<root xmlns=\"urn:p\"><list></list></root>") == nil)
    }

    @Test func contentBelongsIntoAnEmptyElement() throws {
        let empty = Array(Self.document("<p:item></p:item>").utf8)
        let place = try XMLInsertionPlace.content(of: Self.path, in: empty)
        #expect(place?.offset == empty.count - "</p:item></p:list></p:root>".utf8.count)
        #expect(
            try XMLInsertionPlace.content(of: Self.path, in: Array(Self.document("<p:item>x</p:item>").utf8)) == nil)
        #expect(try XMLInsertionPlace.content(of: Self.path, in: Array(Self.document("").utf8)) == nil)
    }

    private struct Item: XMLStructure {
        var here: String
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:other"], elements: "here")
            fields.field(&x.here)
        }
    }

    @Test func anElementDeclaresPrefixesMissingAroundIt() throws {
        let document = Array(Self.document("").utf8)
        let place = try #require(try XMLInsertionPlace.elements(at: Self.path, in: document, .unknown))
        let text = String(decoding: try place.element(Self.name("item"), Item(here: "<")), as: UTF8.self)
        #expect(text == "<p:item xmlns:n1=\"urn:other\"><n1:here>&lt;</n1:here></p:item>")
    }
}

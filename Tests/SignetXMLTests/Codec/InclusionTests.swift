import Testing

@testable import SignetXML

/// A type with binary content wherever a schema can put some.
private struct Scan: XMLStructure, Equatable {
    var page: [XSDBase64Binary] = []
    var cover: Nillable<XSDBase64Binary>?
    var title: String?
    var pieces: XSDList<XSDBase64Binary>?
    var typed: Typed?
    var seal: XSDBase64Binary?

    init() {}
    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:s"], elements: "page* cover? title? pieces? typed?", attributes: "seal?")
        fields.field(&x.page)
        fields.field(&x.cover)
        fields.field(&x.title)
        fields.field(&x.pieces)
        fields.field(&x.typed)
        fields.field(&x.seal)
    }
}

/// Simple content with an attribute, as XML Media Types has it.
private struct Typed: XMLStructure, Equatable {
    var value = XSDBase64Binary([])
    var type: String?

    init(_ value: [UInt8]) { self.value = XSDBase64Binary(value) }
    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:s"], attributes: "type?", text: true)
        fields.field(&x.type)
        fields.field(&x.value)
    }
}

/// Parts by the references to them.
private struct Parts: XMLInclusionSource {
    struct Part: XMLInclusion {
        var content: [UInt8]
        func bytes(limit: Int) throws -> [UInt8] {
            guard content.count <= limit else { throw XMLError(.textTooLong, "too long.") }
            return content
        }
    }
    var parts: [String: [UInt8]]

    func inclusion(_ reference: String) throws(XMLError) -> any XMLInclusion {
        guard let content = parts[reference] else { throw XMLError(.missing, "there is no part “\(reference)”.") }
        return Part(content: content)
    }
}

private final class Includer: XMLIncluder {
    var taken: [[UInt8]] = []
    func reference(to bytes: [UInt8]) -> String? {
        guard bytes.count >= 4 else { return nil }
        taken.append(bytes)
        return "cid:\(taken.count)&"
    }
}

@Suite struct InclusionTests {
    private func decode(
        _ content: String, tolerance: XMLTolerance = .standard, limits: XMLLimits = .init(), parts: Bool = true
    ) throws(XMLError) -> (Scan, [XMLDeviation]) {
        let document = "<s xmlns='urn:s' xmlns:x='http://www.w3.org/2004/08/xop/include'>\(content)</s>"
        return try XMLReader.read(Array(document.utf8), limits: limits) { (reader) throws(XMLError) in
            if parts { reader.inclusions = Parts(parts: ["cid:a": [1, 2, 3], "cid:b": [0xFF], "cid:e": []]) }
            reader.tolerance = tolerance
            try reader.root()
            let scan = try reader.structure(Scan.self)
            try reader.finish()
            return (scan, reader.deviations)
        }
    }

    @Test func contentIsReadFromAttachments() throws {
        let scan = try decode(
            """
            <page><x:Include href="cid:a"/></page><page></page><page>AQI=</page>
            <page>
              <x:Include href='cid:b'> <!-- nothing --> </x:Include> </page>
            <cover><x:Include href="cid:b"></x:Include></cover>
            <typed type="image/png"><x:Include href="cid:a"/></typed>
            """
        ).0
        #expect(scan.page.map(\.bytes) == [[1, 2, 3], [], [1, 2], [0xFF]])
        #expect(scan.cover == .value(XSDBase64Binary([0xFF])))
        #expect(scan.typed?.value.bytes == [1, 2, 3])
        #expect(scan.typed?.type == "image/png")
    }

    @Test func emptyContentIsContent() throws {
        let scan = try decode("<cover><x:Include href='cid:e'/></cover><title>t</title>").0
        #expect(scan.cover == .value(XSDBase64Binary([])))
        #expect(scan.title == "t")
    }

    @Test(arguments: [
        ("<cover><x:Include href='cid:c'/></cover>", XMLError.Code.missing, "there is no part “cid:c”"),
        ("<cover><x:Include/></cover>", .missing, "xop:Include has no href"),
        ("<title><x:Include href='cid:a'/></title>", .unexpected, "an element stands where a simple value"),
        ("<pieces><x:Include href='cid:a'/></pieces>", .unexpected, "an element stands where a simple value"),
        ("<cover>AAAA<x:Include href='cid:a'/></cover>", .unexpected, "text stands beside xop:Include"),
        ("<cover><x:Include href='cid:a'/>AAAA</cover>", .unexpected, "text stands beside xop:Include"),
        ("<cover><x:Include href='cid:a'/><x:Include href='cid:b'/></cover>", .unexpected, "an element stands"),
        ("<cover><Include href='cid:a'/></cover>", .unexpected, "an element stands"),
    ])
    func invalidInclusionsAreErrors(_ content: String, _ code: XMLError.Code, _ words: String) {
        #expect {
            _ = try decode(content, tolerance: .strict)
        } throws: {
            guard let error = $0 as? XMLError else { return false }
            return error.code == code && error.description.contains(words)
        }
    }

    @Test func nothingIsFollowedWithoutParts() {
        #expect(throws: XMLError.self) {
            _ = try decode("<cover><x:Include href='cid:a'/></cover>", tolerance: .strict, parts: false)
        }
    }

    @Test func contentIsBounded() {
        var limits = XMLLimits()
        limits.textBytes = 2
        #expect {
            _ = try decode("<cover><x:Include href='cid:a'/></cover>", limits: limits)
        } throws: {
            ($0 as? XMLError)?.code == .textTooLong
        }
    }

    @Test func longContentIsWrittenToAttachments() throws {
        var scan = Scan()
        scan.page = [XSDBase64Binary([1, 2, 3]), XSDBase64Binary([1, 2, 3, 4])]
        scan.cover = .value(XSDBase64Binary([5, 6, 7, 8, 9]))
        scan.pieces = XSDList([XSDBase64Binary([1, 2, 3, 4, 5])])
        scan.typed = Typed([9, 9, 9, 9])
        scan.seal = XSDBase64Binary([7, 7, 7, 7])
        let includer = Includer()
        var writer = XMLWriter()
        writer.includer = includer
        writer.element(XMLName("urn:s", "s"), scan)
        let text = String(decoding: try writer.finish(), as: UTF8.self)
        #expect(includer.taken == [[1, 2, 3, 4], [5, 6, 7, 8, 9], [9, 9, 9, 9]])
        #expect(text.contains("page>AQID</"))
        #expect(text.contains(#"href="cid:1&amp;"></xop:Include>"#))
        #expect(text.contains(#"seal="BwcHBw==""#))
        #expect(text.contains("pieces>AQIDBAU=</"))

        let parts = Dictionary(
            uniqueKeysWithValues: includer.taken.enumerated().map { ("cid:\($0.offset + 1)&", $0.element) })
        let back = try XMLReader.read(Array(text.utf8)) { (reader) throws(XMLError) in
            reader.inclusions = Parts(parts: parts)
            try reader.root()
            return try reader.structure(Scan.self)
        }
        #expect(back == scan)
    }
}

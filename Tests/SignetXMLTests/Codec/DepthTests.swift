import SignetXML
import Testing

private struct Nested: XMLStructure {
    var value: Int32?
    var inner: [Nested] = []

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:nested"], elements: "value? inner*")
        fields.field(&x.value)
        fields.field(&x.inner)
    }
}

/// A structure is read no deeper than a document is, whether its start tags are foreseen or not.
@Suite struct DepthTests {
    private func read(_ document: String, depth: Int) throws(XMLError) -> Nested {
        var limits = XMLLimits()
        limits.depth = depth
        return try XMLReader.read(Array(document.utf8), limits: limits) { (reader) throws(XMLError) in
            try reader.root()
            return try reader.structure(Nested.self)
        }
    }

    @Test(arguments: [
        ("<n xmlns='urn:nested'><value>1</value></n>                        ", 2, 22),
        ("<n xmlns='urn:nested'><value >1</value></n>                        ", 2, 22),
        ("<n xmlns='urn:nested'><inner><inner><value>1</value></inner></inner></n>        ", 4, 36),
        ("<n xmlns='urn:nested'><inner><inner>                                           ", 3, 29),
    ])
    func tooDeepIsRefusedAtTheStartTag(document: String, needed: Int, offset: Int) throws {
        let error = #expect(throws: XMLError.self) { try read(document, depth: needed - 1) }
        #expect(error?.code == .tooDeep)
        #expect(error?.offset == offset)
        let enough = Result { () throws(XMLError) in try read(document, depth: needed) }
        if case .failure(let error) = enough { #expect(error.code == .unexpectedEnd) }
    }
}

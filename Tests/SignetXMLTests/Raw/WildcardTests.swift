@_spi(Generated) import SignetXML
import Testing

/// What the generator writes for `xs:any` and `xs:anyAttribute`, as in Salesforce's sObject.
struct Record: XMLStructure {
    var type: String
    var id: String?
    var any: [XMLFragment]
    var kind: String?
    var anyAttribute: [XMLAnyAttribute]

    init(
        type: String, id: String? = nil, any: [XMLFragment] = [], kind: String? = nil,
        anyAttribute: [XMLAnyAttribute] = []
    ) {
        self.type = type
        self.id = id
        self.any = any
        self.kind = kind
        self.anyAttribute = anyAttribute
    }

    init(_decoding: Void) { self.init(type: ._placeholder) }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:record"], elements: "type Id? #any*", attributes: "kind?", anyAttribute: true)
        fields.field(&x.type)
        fields.field(&x.id)
        fields.field(&x.any)
        fields.field(&x.kind)
        fields.anyAttributes(&x.anyAttribute)
    }
}

/// One element of any name, behind another, and simple content with any attribute.
private struct Holder: XMLStructure {
    var name: String?
    var any: XMLFragment
    var label: Label?
    init(_decoding: Void) { any = ._placeholder }

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:record"], elements: "name? #any label?")
        fields.field(&x.name)
        fields.field(&x.any)
        fields.field(&x.label)
    }
}

private struct Label: XMLStructure {
    var text = ""
    var anyAttribute: [XMLAnyAttribute] = []
    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([], text: true, anyAttribute: true)
        fields.field(&x.text)
        fields.anyAttributes(&x.anyAttribute)
    }
}

@Suite struct WildcardTests {
    let salesforce = """
        <records xmlns="urn:record" xmlns:sf="urn:sobject" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
            xmlns:unused="urn:unused" xsi:type="sf:sObject" kind="k">
          <type>Account</type><Id>001</Id>
          <sf:Name>Caf\u{E9} &amp; Co</sf:Name>
          <sf:Rating xsi:nil="true"/>
          <sf:Owner xsi:type="sf:User"><type>User</type><sf:Name>Ann</sf:Name></sf:Owner>
          <Plain/>
        </records>
        """

    @Test func wildcardContentIsEasyToRead() throws {
        let record = try decode(Record.self, salesforce)
        #expect(record.type == "Account" && record.id == "001" && record.kind == "k")
        #expect(record.any.map(\.localName) == ["Name", "Rating", "Owner", "Plain"])
        #expect(record.any.map(\.namespaceURI) == ["urn:sobject", "urn:sobject", "urn:sobject", "urn:record"])
        #expect(record.any.first(named: "Name")?.text == "Caf\u{E9} & Co")
        #expect(record.any.first(named: "Name", namespace: XMLNamespace("urn:record")) == nil)
        #expect(record.any.first(named: "Rating")?.isNil == true)
        let owner = try #require(record.any.first(named: "Owner"))
        #expect(owner.children.map(\.localName) == ["type", "Name"])
        #expect(owner.children.first(named: "type")?.namespaceURI == "urn:record")
        #expect(owner.text == "UserAnn")
        #expect(owner.attribute("type", namespace: .schemaInstance) == "sf:User")
        // The type of the record itself is no attribute of any name.
        #expect(record.anyAttribute == [])
    }

    @Test func keptElementsDeclareOnlyUsedPrefixes() throws {
        let any = try decode(Record.self, salesforce).any
        func text(_ index: Int) -> String { String(decoding: any[index].bytes, as: UTF8.self) }
        #expect(text(0) == "<sf:Name xmlns:sf=\"urn:sobject\">Caf\u{E9} &amp; Co</sf:Name>")
        #expect(
            text(1)
                == "<sf:Rating xmlns:sf=\"urn:sobject\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"/>"
        )
        #expect(
            text(2)
                == "<sf:Owner xmlns=\"urn:record\" xmlns:sf=\"urn:sobject\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"sf:User\"><type>User</type><sf:Name>Ann</sf:Name></sf:Owner>"
        )
        #expect(text(3) == "<Plain xmlns=\"urn:record\"/>")
    }

    @Test func roundTrip() throws {
        let record = try decode(Record.self, salesforce)
        let text = try encode(record, as: XMLName("urn:x", "r"))
        #expect(try decode(Record.self, text) == record)
        // Twice is as often as once: nothing grows.
        #expect(try encode(decode(Record.self, text), as: XMLName("urn:x", "r")) == text)
    }

    @Test func aSingleWildcardElementIsRequiredOnce() throws {
        let read = try decode(
            Holder.self,
            "<h xmlns='urn:record'><label a='1' p:b='2' xmlns:p='urn:p'>t</label><x/><name>n</name></h>")
        #expect(read.name == "n" && read.any.localName == "x" && read.label?.text == "t")
        #expect(read.label?.anyAttribute.value(named: "b", namespace: XMLNamespace("urn:p")) == "2")
        #expect(try decode(encode(read, as: XMLName("", "h"))) == read)
        let missing = #expect(throws: XMLError.self) { try decode(Holder.self, "<h xmlns='urn:record'><name/></h>") }
        #expect(missing?.description.contains("the required element of any name is absent") == true)
        let second = #expect(throws: XMLError.self) { try decode(Holder.self, "<h xmlns='urn:record'><x/><y/></h>") }
        #expect(second?.description.contains("the element of any name stands twice") == true)
    }

    @Test func attributesOfAnyNameComeBack() throws {
        let record = Record(
            type: "t", kind: "k",
            anyAttribute: [
                XMLAnyAttribute(localName: "plain", value: "a<b>\"&\n"),
                XMLAnyAttribute(namespaceURI: "urn:never-named-by-code-1", localName: "x", value: "1"),
                XMLAnyAttribute(namespaceURI: "urn:never-named-by-code-1", localName: "y", value: "2"),
                XMLAnyAttribute(namespaceURI: "urn:never-named-by-code-2", localName: "x", value: "3"),
                XMLAnyAttribute(namespaceURI: "urn:record", localName: "x", value: "4"),
                XMLAnyAttribute(namespaceURI: XMLNamespace.xml.uri, localName: "lang", value: "de"),
            ])
        let text = try encode(record, as: XMLName("urn:record", "r"))
        #expect(try decode(text) == record, "\(text)")
        // What a sender invents is not remembered.
        #expect(XMLNamespace.known("urn:never-named-by-code-1") == nil)
    }

    @Test(arguments: [
        [XMLAnyAttribute(localName: "a b", value: "")],
        [XMLAnyAttribute(localName: "a='' b", value: "")],
        [XMLAnyAttribute(localName: "", value: "")],
        [XMLAnyAttribute(localName: "p:a", value: "")],
        [XMLAnyAttribute(localName: "xmlns", value: "urn:x")],
        [XMLAnyAttribute(namespaceURI: "http://www.w3.org/2000/xmlns/", localName: "p", value: "urn:x")],
        [XMLAnyAttribute(localName: "kind", value: "")],
        [XMLAnyAttribute(localName: "a", value: "1"), XMLAnyAttribute(localName: "a", value: "2")],
        [XMLAnyAttribute(localName: "a", value: "\u{1}")],
    ])
    func attributesThatXMLCannotCarryAreRefused(attributes: [XMLAnyAttribute]) {
        let record = Record(type: "t", anyAttribute: attributes)
        #expect(throws: XMLError(.unwritable, "")) { try encode(record, as: XMLName("urn:record", "r")) }
    }

    // MARK: Hostile documents

    @Test(arguments: [
        ("<x><y></x></y>", XMLError.Code.malformed),
        ("<x><y/>", .malformed),
        ("<x>&undefined;</x>", .malformed),
        ("<x a='1' a='2'/>", .malformed),
        ("<x><q:y/></x>", .namespace),
        ("<x a='<'/>", .malformed),
        ("<x>]]></x>", .malformed),
        ("<x><!-- -- --></x>", .malformed),
        ("<x><!DOCTYPE x></x>", .doctypeRefused),
        ("<x><![CDATA[", .unexpectedEnd),
    ])
    func keptAndSkippedContentMustBeWellFormed(content: String, code: XMLError.Code) {
        let kept = #expect(throws: XMLError.self) {
            try decode(Record.self, "<r xmlns='urn:record'><type>t</type>\(content)</r>")
        }
        #expect(kept?.code == code, "\(String(describing: kept))")
        let passedOver = #expect(throws: XMLError.self) {
            try decode(Document.self, "<r xmlns='urn:choice'>\(content)</r>")
        }
        #expect(passedOver?.code == code, "\(String(describing: passedOver))")
    }

    @Test func depthAttributesAndSizeAreBounded() {
        func refuses(_ any: String, _ code: XMLError.Code) {
            #expect(throws: XMLError(code, "")) {
                try decode(Record.self, "<r xmlns='urn:record'><type>t</type>\(any)</r>")
            }
        }
        refuses(String(repeating: "<a>", count: 300) + String(repeating: "</a>", count: 300), .tooDeep)
        refuses("<a \((0..<300).map { "a\($0)=''" }.joined(separator: " "))/>", .tooManyAttributes)
        refuses("<a \((0..<70).map { "xmlns:a\($0)='urn:\($0)'" }.joined(separator: " "))/>", .tooManyNamespaces)
        refuses("<a xmlns:b='urn:\(String(repeating: "b", count: 2000))'/>", .nameTooLong)
    }

    /// A long namespace name that many small elements use would make what is kept far larger than the document.
    @Test func declarationsCannotMakeADocumentGrow() {
        let uri = "urn:" + String(repeating: "b", count: 1000)
        let document =
            "<r xmlns='urn:record' xmlns:b='\(uri)'><type>t</type>\(String(repeating: "<b:a/>", count: 2000))</r>"
        var limits = XMLLimits()
        limits.documentBytes = 100_000
        #expect(document.utf8.count < limits.documentBytes)
        let error = #expect(throws: XMLError.self) { try decode(Record.self, document, limits: limits) }
        #expect(error?.code == .documentTooLarge)
        #expect(error?.message.contains("kept") == true)
    }
}

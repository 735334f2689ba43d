import SignetWSDL
import Testing

@Suite struct StandardSchemasTests {
    /// Namespaces and some of their names.
    static let names: [(String, [String])] = [
        (Namespaces.soapEncoding11, ["Array", "string", "base64", "int"]),
        (Namespaces.soapEncoding12, ["Array", "string"]),
        (Namespaces.envelope11, ["Fault", "Envelope"]), (Namespaces.envelope12, ["Fault", "faultcode"]),
        (Namespaces.apacheSOAP, ["Map", "Vector"]), (Namespaces.xmime, ["base64Binary"]),
        (Namespaces.xmime2004June, ["base64Binary"]), (Namespaces.xmime2004November, ["hexBinary"]),
        (Namespaces.swaRef, ["swaRef"]), (Namespaces.microsoftMessage, ["MessageBody", "StreamBody"]),
        (Namespaces.microsoftTypes, ["guid", "char", "TimeSpan"]),
        (Namespaces.serialization, ["guid", "char"]), (Namespaces.signature, ["SignatureType", "X509DataType"]),
        (Namespaces.encryption, ["EncryptedDataType"]), (Namespaces.addressing, ["EndpointReferenceType"]),
        (Namespaces.addressing2004, ["EndpointReferenceType"]), (Namespaces.securityUtility, ["TimestampType"]),
        (Namespaces.securityExtension, ["SecurityHeaderType", "UsernameTokenType"]),
    ]

    @Test(arguments: names)
    func referencedStandardSchemasAreAdded(namespace: String, names: [String]) throws {
        let elements = names.map { "<xs:element name=\"\($0)\" type=\"n:\($0)\" xmlns:n=\"\(namespace)\"/>" }
        let definitions = try load(
            wsdl(
                schema: "<xs:import namespace=\"\(namespace)\" schemaLocation=\"http://example.com/x.xsd\"/>"
                    + elements.joined()))
        for name in names { #expect(definitions.schema.types[QName(namespace, name)] != nil) }
        #expect(definitions.undeclaredNamespaces.isEmpty)
        #expect(definitions.diagnostics.isEmpty)
        #expect(definitions.defects.isEmpty)
        #expect(definitions.schema.unreadImports.isEmpty)
    }

    /// A copy elsewhere may hold more than is known here.
    @Test func anUnreadCopyIsReportedWhenANameIsMissing() throws {
        let element = "<xs:element name=\"a\" type=\"n:Unknown\" xmlns:n=\"\(Namespaces.microsoftMessage)\"/>"
        let definitions = try load(
            wsdl(
                schema:
                    "<xs:import namespace=\"\(Namespaces.microsoftMessage)\" schemaLocation=\"http://example.com/x.xsd\"/>"
                    + element))
        #expect(definitions.schema.unreadImports.map(\.address) == ["http://example.com/x.xsd"])
        #expect(definitions.diagnostics.contains { $0.message.contains("http://example.com/x.xsd") })
    }

    @Test func attributesOfXMLAndElementsOfSchemas() throws {
        let definitions = try load(
            wsdl(
                schema: """
                    <xs:import namespace="\(Namespaces.xml)" schemaLocation="gone.xsd"/>
                    <xs:complexType name="T"><xs:sequence><xs:element ref="xs:schema"/></xs:sequence>
                    <xs:attributeGroup ref="xml:specialAttrs"/></xs:complexType>
                    """))
        #expect(definitions.schema.attributes.keys.map(\.localName).sorted() == ["base", "id", "lang", "space"])
        #expect(definitions.schema.elements[QName(Namespaces.schema, "schema")] != nil)
        #expect(definitions.diagnostics.isEmpty)
    }

    @Test func aDocumentsOwnSchemaReplacesTheStandardOne() throws {
        let own = schema(
            "<xs:complexType name=\"Array\"/>", attributes: "targetNamespace=\"\(Namespaces.soapEncoding11)\"")
        let definitions = try load(
            wsdl(
                "<types>\(own)\(schema("<xs:element name=\"a\" type=\"e:Array\" xmlns:e=\"\(Namespaces.soapEncoding11)\"/>"))</types>"
            ))
        #expect(definitions.schema.types.count == 1)
        // What it lacks is added, and what it has stays.
        let more = try load(
            wsdl(
                "<types>\(own)\(schema("<xs:element name=\"a\" type=\"e:int\" xmlns:e=\"\(Namespaces.soapEncoding11)\"/>"))</types>"
            ))
        #expect(more.schema.types[QName(Namespaces.soapEncoding11, "int")] != nil)
        #expect(more.schema.types[QName(Namespaces.soapEncoding11, "Array")]?.location.file == "main.wsdl")
        #expect(more.diagnostics.isEmpty)
    }

    @Test func nothingIsAddedWithoutNeed() throws {
        let definitions = try load(wsdl(schema: "<xs:import namespace=\"\(Namespaces.signature)\"/>"))
        #expect(definitions.schema.types.isEmpty)
    }

    /// SOAP 1.1 §5.4.2.
    @Test(arguments: [
        ("xs:string[]", "string", "[]"), (" xs:int[,][2] ", "int", "[,][2]"), ("xs:anyType[ ]", "anyType", "[ ]"),
    ])
    func arrayTypesAreKept(text: String, item: String, dimensions: String) throws {
        let set = try load(
            wsdl(
                schema: """
                    <xs:complexType name="T"><xs:complexContent><xs:restriction base="e:Array" xmlns:e="\(Namespaces.soapEncoding11)">
                    <xs:attribute ref="e:arrayType" n:arrayType="\(text)" xmlns:n="\(Namespaces.wsdl)"/></xs:restriction>
                    </xs:complexContent></xs:complexType>
                    """)
        ).schema
        guard case .complex(let type) = set.types[QName("urn:t", "T")] else {
            Issue.record("no type")
            return
        }
        #expect(
            type.attributes.uses.map(\.arrayType)
                == [AttributeUse.ArrayType(item: QName(Namespaces.schema, item), dimensions: dimensions)])
    }
}

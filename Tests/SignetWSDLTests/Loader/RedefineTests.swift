import SignetWSDL
import Testing

/// XML Schema Part 1 §4.2.2.
@Suite struct RedefineTests {
    private func redefining(_ changes: String, _ file: String = "t.xsd") -> String {
        wsdl(schema: "<xs:redefine schemaLocation=\"\(file)\">\(changes)</xs:redefine>")
    }

    private let name = QName("urn:t", "T")

    private func complex(_ set: SchemaSet, _ name: QName) throws -> ComplexType {
        guard case .complex(let type) = set.types[name] else {
            throw WSDLError(.invalid, "no complex type", at: SourceLocation(file: ""))
        }
        return type
    }

    private let extending = """
        <xs:complexType name="T"><xs:complexContent><xs:extension base="t:T"><xs:sequence><xs:element name="b"/></xs:sequence>
        </xs:extension></xs:complexContent></xs:complexType>
        """
    private let original = schema(
        "<xs:complexType name=\"T\"><xs:sequence><xs:element name=\"a\"/></xs:sequence></xs:complexType>"
            + "<xs:element name=\"e\" type=\"t:T\"/>")

    @Test func aRedefinedTypeExtendsItsOriginal() throws {
        let definitions = try load(redefining(extending), ["t.xsd": original])
        let set = definitions.schema
        guard case .derived(let base, .extension, _) = try complex(set, name).content else {
            Issue.record("it is not derived")
            return
        }
        #expect(base == name.original && base.isRedefined && !name.isRedefined)
        #expect(try complex(set, base).name == base)
        guard case .particle = try complex(set, base).content else {
            Issue.record("the old one changed")
            return
        }
        guard case .named(name) = set.elements[QName("urn:t", "e")]?.type else {
            Issue.record("what refers to it means the new one")
            return
        }
        #expect(definitions.diagnostics.isEmpty)
    }

    @Test func redefinedSimpleTypesRestrictTheirOriginals() throws {
        let set = try load(
            redefining(
                "<xs:simpleType name=\"T\"><xs:restriction base=\"t:T\"><xs:maxLength value=\"3\"/></xs:restriction></xs:simpleType>"
            ),
            ["t.xsd": schema("<xs:simpleType name=\"T\"><xs:restriction base=\"xs:string\"/></xs:simpleType>")]
        ).schema
        guard case .simple(let type) = set.types[name], case .restriction(.named(name.original), _) = type.variety,
            case .simple(let old) = set.types[name.original], case .restriction(let base, _) = old.variety,
            case .named(QName(Namespaces.schema, "string")) = base
        else {
            Issue.record("the chain of restrictions is broken")
            return
        }
    }

    @Test func redefinedGroupsMayContainTheirOriginals() throws {
        let set = try load(
            redefining(
                """
                <xs:group name="G"><xs:sequence><xs:choice><xs:group ref="t:G"/></xs:choice><xs:element name="b"/></xs:sequence></xs:group>
                <xs:attributeGroup name="A"><xs:attributeGroup ref="t:A"/><xs:attribute name="y"/></xs:attributeGroup>
                """),
            [
                "t.xsd": schema(
                    "<xs:group name=\"G\"><xs:sequence><xs:element name=\"a\"/></xs:sequence></xs:group>"
                        + "<xs:attributeGroup name=\"A\"><xs:attribute name=\"x\"/></xs:attributeGroup>")
            ]
        ).schema
        let (group, attributes) = (QName("urn:t", "G"), QName("urn:t", "A"))
        guard case .group(.sequence, let parts) = set.groups[group]?.term,
            case .group(.choice, let inner) = parts.first?.term,
            case .groupReference(group.original) = inner.first?.term
        else {
            Issue.record("the group does not hold what it was")
            return
        }
        #expect(set.groups[group.original] != nil)
        #expect(set.attributeGroups[attributes]?.groups.map(\.name) == [attributes.original])
        #expect(set.attributeGroups[attributes.original]?.uses.count == 1)
    }

    @Test func aGroupWithoutItselfTakesThePlace() throws {
        let set = try load(
            redefining("<xs:group name=\"G\"><xs:sequence/></xs:group>"),
            ["t.xsd": schema("<xs:group name=\"G\"><xs:sequence><xs:element name=\"a\"/></xs:sequence></xs:group>")]
        ).schema
        guard case .group(.sequence, let parts) = set.groups[QName("urn:t", "G")]?.term else {
            Issue.record("no group")
            return
        }
        #expect(parts.isEmpty)
    }

    @Test func aTypeRedefinedTwiceIsDerivedTwice() throws {
        let middle = schema("<xs:redefine schemaLocation=\"t.xsd\">\(extending)</xs:redefine>")
        let set = try load(redefining(extending, "m.xsd"), ["m.xsd": middle, "t.xsd": original]).schema
        var next = name
        var depth = 0
        while case .derived(let base, _, _) = try complex(set, next).content {
            next = base
            depth += 1
        }
        #expect(depth == 2)
        #expect(set.types.count == 3)
    }

    @Test func aSchemaWithoutANamespaceIsRedefinedInThatOfItsIncluder() throws {
        let plain = "<xs:schema xmlns:xs=\"\(Namespaces.schema)\"><xs:complexType name=\"T\"/></xs:schema>"
        let set = try load(redefining(extending), ["t.xsd": plain]).schema
        guard case .derived(name.original, _, _) = try complex(set, name).content else {
            Issue.record("it is not derived")
            return
        }
        #expect(set.types.count == 2)
    }

    @Test func redefiningAMissingTypeDefinesIt() throws {
        let set = try load(redefining("<xs:complexType name=\"New\"/>"), ["t.xsd": original]).schema
        #expect(set.types[QName("urn:t", "New")] != nil)
        #expect(set.types.count == 2)
    }
}

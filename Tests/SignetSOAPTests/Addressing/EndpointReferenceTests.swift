import SignetSOAP
import Testing

@Suite struct EndpointReferenceTests {
    private static let versions = [AddressingVersion.v10, .submission]

    @Test(arguments: versions) func writtenReferencesAreReadAgain(version: AddressingVersion) throws {
        var reference = EndpointReference(
            "urn:a?b&c", referenceParameters: [try XMLFragment(parsing: "<p:id xmlns:p='urn:p' kind='p:k'>7</p:id>")])
        reference.metadata = [try XMLFragment(parsing: "<m xmlns='urn:m'/>")]
        if version == .submission {
            reference.referenceProperties = [try XMLFragment(parsing: "<p:key xmlns:p='urn:p'/>")]
            reference.metadata = [try XMLFragment(XMLName(version.namespace, "PortType"), text: "p:T")]
        }
        let fragment = try reference.fragment(XMLName("urn:w", "Reference"), version)
        #expect(fragment.localName == "Reference")
        #expect(try EndpointReference(fragment) == reference)
    }

    /// Those of 2004/08 stay header blocks where the other version has no place for them.
    @Test func propertiesBecomeParameters() throws {
        var reference = EndpointReference("urn:a")
        reference.referenceProperties = [try XMLFragment(parsing: "<p:key xmlns:p='urn:p'/>")]
        let read = try EndpointReference(try reference.fragment(XMLName("urn:w", "R")))
        #expect(read.referenceParameters == reference.referenceProperties)
        #expect(read.referenceProperties.isEmpty)
    }

    @Test(arguments: [
        "", "<a:Address/>", "<a:Address>  </a:Address>", "<a:Address><a:Address>x</a:Address></a:Address>",
        "<a:Address>x</a:Address><a:Address>x</a:Address>", "<a:Address>a b</a:Address>", "<Address>x</Address>",
        "<a:Address>\(String(repeating: "x", count: 2049))</a:Address>",
        "<a:Address>x</a:Address><a:ReferenceParameters>\(String(repeating: "<p/>", count: 33))</a:ReferenceParameters>",
        "<a:Address>x</a:Address><a:ReferenceParameters><p>\(String(repeating: "x", count: 20_000))</p></a:ReferenceParameters>",
        "<a:Address>x</a:Address><a:Metadata><p>\(String(repeating: "x", count: 70_000))</p></a:Metadata>",
    ]) func invalidReferencesAreRefused(content: String) throws {
        let fragment = try XMLFragment(parsing: "<r xmlns:a='\(AddressingVersion.v10.namespace)'>\(content)</r>")
        let error = #expect(throws: AddressingError.self) { try EndpointReference(fragment) }
        #expect(error?.code == .invalidReference)
    }

    @Test func elementsOfOthersAreLeftOut() throws {
        let fragment = try XMLFragment(
            parsing:
                "<r xmlns:a='\(AddressingVersion.v10.namespace)'>t<x/><a:Address> urn:a\n</a:Address><y xmlns='urn:y'/></r>"
        )
        #expect(try EndpointReference(fragment) == EndpointReference("urn:a"))
    }
}

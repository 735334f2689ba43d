import SignetSOAP
import Testing

@Suite struct FaultCodeTests {
    static func code(_ name: String, _ version: SOAPVersion) -> SOAPFault.Code {
        .init(namespaceURI: version.namespace.uri, localName: name)
    }

    @Test(arguments: [
        (SOAPFault.Code.client, SOAPFault.Code.sender), (.server, .receiver),
        (.versionMismatch, code("VersionMismatch", .soap12)), (.mustUnderstand, code("MustUnderstand", .soap12)),
    ])
    func codesOfBothVersionsThatMeanTheSameAreEqual(first: SOAPFault.Code, second: SOAPFault.Code) {
        #expect(first == second)
        #expect(first.hashValue == second.hashValue)
    }

    @Test(arguments: [
        (SOAPFault.Code.client, SOAPFault.Code.server), (.client, code("Client", .soap12)),
        (.sender, code("Sender", .soap11)), (.client, code("Client.Authentication", .soap11)),
        (.client, .init(namespaceURI: "", localName: "Client")), (.dataEncodingUnknown, .client),
    ])
    func otherCodesAreNotEqual(first: SOAPFault.Code, second: SOAPFault.Code) {
        #expect(first != second)
    }

    @Test func aReasonIsChosenByItsLanguage() {
        var fault = SOAPFault.client("no")
        fault.reasons = [.init("nein", language: "de"), .init("no", language: "en-GB"), .init("nem")]
        #expect(fault.reason == "no")
        #expect(fault.reason(in: "DE") == "nein")
        #expect(fault.reason(in: "e") == "nein")
        #expect(fault.reason(in: "fr") == "nein")
        fault.reasons = []
        #expect(fault.reason == "")
    }
}

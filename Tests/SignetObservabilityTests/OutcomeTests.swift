import GreetingService
import SignetSOAP
import Testing

@testable import SignetObservability

@Suite struct OutcomeTests {
    private struct Odd: Error {}

    static let names: [(error: any Error, name: String)] = [
        (SOAPFault.client("SECRET"), "fault.client"),
        (SOAPFault(.receiver, "SECRET"), "fault.server"),
        (SOAPFault(.versionMismatch, "SECRET"), "fault.versionMismatch"),
        (SOAPFault(.mustUnderstand, "SECRET"), "fault.mustUnderstand"),
        (SOAPFault(.dataEncodingUnknown, "SECRET"), "fault.dataEncodingUnknown"),
        (
            SOAPFault(.init(namespaceURI: SOAPFault.Code.client.namespaceURI, localName: "Client.SECRET"), ""),
            "fault.client"
        ),
        (SOAPFault(.init(namespaceURI: "urn:own", localName: "Client"), ""), "fault.other"),
        (SOAPFault(.init(namespaceURI: "urn:own", localName: "SECRET"), ""), "fault.other"),
        (DeclaredFault(Greeting.NobodyThere(looked: 1), code: .server, reason: "SECRET"), "fault.server"),
        (TransportError(.readTimeout, "SECRET"), "readTimeout"),
        (ServiceError(.notSOAP, "SECRET"), "notSOAP"),
        (CancellationError(), "cancelled"),
        (Odd(), "Odd"),
    ]

    @Test(arguments: names.indices) func namesAreFew(index: Int) {
        #expect(Outcome(Self.names[index].error).name == Self.names[index].name)
    }

    /// On a client a received fault is told by its code; a service that lets it through has failed itself.
    @Test func aReceivedFaultIsTheServicesOwn() async throws {
        let peer = try ServiceCaller(
            ToldTransport.remote(Greeting.dispatcher { _, _ in throw SOAPFault.client("SECRET") })
        ) { _ in }
        let received = try #require(await #expect(throws: SOAPFault.self) { try await peer.greet() })
        #expect(Outcome(received).name == "fault.client")
        #expect(Outcome(received, of: OperationContext()).name == "fault.server")
        #expect(Outcome(SOAPFault.client("SECRET"), of: OperationContext()).name == "fault.client")
        #expect(Outcome(TransportError(.readTimeout, "SECRET"), of: OperationContext()).name == "readTimeout")
    }

    @Test func onlyTheServersOwnFailuresAreNotTheCallers() {
        let codes: [FaultCode] = [.client, .versionMismatch, .mustUnderstand, .dataEncodingUnknown]
        #expect(codes.allSatisfy { $0.isCallers })
        #expect(![FaultCode.server, .other].contains { $0.isCallers })
    }
}

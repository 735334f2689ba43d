import GreetingService
import SignetSOAP
import SignetServer
import Testing

/// Both versions of SOAP on one path, over plain HTTP.
@Suite(.timeLimit(.minutes(5))) struct VersionTests {
    private func withServer(
        _ versions: [SOAPVersion],
        during body: (_ post: (String, String) async throws -> Curl.Answer) async throws -> Void
    ) async throws {
        let curl = try Curl()
        let dispatcher = ServiceDispatcher(
            name: "Greeting", versions: versions,
            routes: [
                Greeting.greet.route { input, context in
                    if input.name == "fault" { throw SOAPFault.client("Not you.") }
                    if input.name == "later" { throw SOAPFault.server("Not now.") }
                    return .init(text: "\(context.version)")
                }
            ])
        try await withPlainServer(dispatcher) { url async throws in
            try await body { try await curl(url, Greeting.posting($0, contentType: $1)) }
        }
    }

    @Test func eachRequestIsAnsweredInItsVersion() async throws {
        try await withServer([.soap12, .soap11]) { post in
            let first = try await post(Greeting.envelope("Ada"), "text/xml")
            #expect(first.status == 200)
            #expect(first.fields.lowercased().contains("content-type: text/xml; charset=utf-8"))
            #expect(first.body.contains("SOAP 1.1"))
            for type in [
                "application/soap+xml", "application/soap+xml; action=\"urn:a;charset=latin1\"; charset=utf-8",
                "Application/SOAP+xml;charset=UTF-8;action=urn:a",
            ] {
                let answer = try await post(Greeting.envelope("Ada", .soap12), type)
                #expect(answer.status == 200)
                #expect(answer.fields.lowercased().contains("content-type: application/soap+xml; charset=utf-8"))
                #expect(answer.body.contains("SOAP 1.2"))
            }
        }
    }

    /// SOAP 1.2 Part 2 §7.5.2.2.
    @Test func aSenderFaultIsStatus400InSOAP12() async throws {
        try await withServer([.soap11, .soap12]) { post in
            for (name, status) in [("fault", 400), ("later", 500)] {
                let answer = try await post(Greeting.envelope(name, .soap12), "application/soap+xml")
                #expect(answer.status == status)
                #expect(answer.body.contains("<soap:Text xml:lang=\"en\">Not"))
                #expect(try await post(Greeting.envelope(name), "text/xml").status == 500)
            }
        }
    }

    @Test func anUnsupportedVersionIsAnsweredWithTheSupportedOne() async throws {
        try await withServer([.soap12]) { post in
            let answer = try await post(Greeting.envelope("Ada"), "text/xml")
            #expect(answer.status == 500)
            #expect(answer.fields.lowercased().contains("content-type: text/xml"))
            #expect(answer.body.contains("<faultcode>soap:VersionMismatch</faultcode>"))
            #expect(answer.body.contains("<n1:SupportedEnvelope qname=\"n1:Envelope\">"))
            #expect(answer.body.contains("xmlns:n1=\"\(SOAPVersion.soap12.namespace)\""))
        }
    }

    @Test func otherMediaTypesAreRefused() async throws {
        try await withServer([.soap11, .soap12]) { post in
            let answer = try await post(Greeting.envelope("Ada", .soap12), "application/xml")
            #expect(answer.status == 415)
            #expect(answer.fields.lowercased().contains("accept: text/xml, application/soap+xml"))
            #expect(
                try await post(Greeting.envelope("Ada", .soap12), "application/soap+xml; charset=shift_jis").status
                    == 415)
            let mixed = try await post(Greeting.envelope("Ada", .soap12), "text/xml")
            #expect(mixed.status == 400)
            #expect(mixed.body.contains("media type"))
        }
    }
}

import Signet
import SignetServer
import SignetTesting
import Testing

/// Calls of any length over TLS: what goes out and what comes back passes through the transport in pieces.
@Suite(.timeLimit(.minutes(5))) struct StreamedCallTests {
    private static let count = 5_000
    private static let namespace = "urn:signet:test:numbers"
    private static let numbers = XMLName(namespace, "numbers")
    private static let path = [numbers, XMLName(namespace, "number")]

    struct Number: XMLStructure {
        var value: Int32

        init(_ value: Int32) { self.value = value }
        init(_decoding: Void) { self.init(._placeholder) }
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([StreamedCallTests.namespace], elements: "value")
            fields.field(&x.value)
        }
    }

    struct List: XMLStructure {
        var number: [Number]

        init(_ number: [Number] = []) { self.number = number }
        init(_decoding: Void) { self.init() }
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([StreamedCallTests.namespace], elements: "number*")
            fields.field(&x.number)
        }
    }

    private static let echo = ServiceOperation<List, List>(
        name: "Echo", soapAction: "urn:echo", version: .soap12, input: numbers, output: numbers, namespaces: [namespace]
    )

    @Test func elementsPassInBothDirections() async throws {
        let authority = try CertificateAuthority()
        var settings = SOAPServer.Settings()
        settings.port = 0
        let dispatcher = ServiceDispatcher(
            name: "Echo", versions: [.soap12], routes: [Self.echo.route { input, _ in input }])
        let server = try SOAPServer(
            dispatcher, path: "/soap",
            tls: .init(
                identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])),
                clients: .certificateRequired(.anchors(authority.bundle))),
            settings: settings)
        let port = try await server.start()
        var service = try ServiceConfiguration("https://localhost:\(port)/soap")
        service.identity = .fixed(try authority.issueClient(commonName: "device"))
        service.trust = .anchors(authority.bundle)
        let caller = ServiceCaller(service)
        do {
            let values = (0..<Int32(Self.count)).map(Number.init)
            var taken: [Number] = []
            let answer = try await caller.answer(
                to: Self.echo, List(), each: Self.path, of: Number.self,
                sending: .elements(at: Self.path) {
                    AsyncStream { continuation in
                        for value in values { continuation.yield(value) }
                        continuation.finish()
                    }
                }
            ) { taken.append($0) }
            #expect(taken == values)
            #expect(answer.output.number.isEmpty)
            // The connection goes on.
            #expect(try await caller.call(Self.echo, List([Number(7)])).number == [Number(7)])
        } catch {
            try? await caller.transport.shutdown()
            await server.shutdown()
            throw error
        }
        try await caller.transport.shutdown()
        await server.shutdown()
    }
}

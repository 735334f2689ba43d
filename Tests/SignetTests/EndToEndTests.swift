import ReferenceServices
import Signet
import SignetServer
import SignetTesting
import Synchronization
import Testing

/// The whole way: generated client, connections with certificates at both ends, server, generated dispatcher.
@Suite(.timeLimit(.minutes(5))) struct EndToEndTests {
    private final class Depot: Parcels.Service {
        let lost = Mutex<[String]>([])

        func send(_ input: Parcels.Send, _ context: OperationContext) async throws -> Parcels.SendResponse {
            throw SOAPFault.server("Full.")
        }

        func track(_ input: Parcels.Track, _ context: OperationContext) async throws -> Parcels.TrackResponse {
            let session = try context.header(Parcels.Headers.session)
            context.answerHeaderBlocks.append(Parcels.Headers.usage.block(.init(calls: 7)))
            let place = "\(input.number) \(session?.key ?? "-") \(context.version)"
            return .init(
                choice: .place(.init(place: place, at: try #require(XSDDateTime.init("2026-11-21T00:00:00Z")))))
        }

        func lost(_ input: Parcels.Lost, _ context: OperationContext) async throws {
            lost.withLock { $0 += input.number }
        }
    }

    private func withDepot(
        _ body: (_ client: (ServicePort) throws -> Parcels.Client) async throws -> Void
    ) async throws -> [String] {
        let authority = try CertificateAuthority()
        let depot = Depot()
        var dispatcher = Parcels.dispatcher(depot)
        dispatcher.understoodHeaderBlocks = [Parcels.Headers.session.name]
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer(
            dispatcher, path: "/soap",
            tls: .init(
                identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])),
                clients: .certificateRequired(.anchors(authority.bundle))),
            settings: settings)
        let port = try await server.start()
        let transports = Mutex<[any ClientTransport]>([])
        do {
            try await body { servicePort in
                var service = try ServiceConfiguration(servicePort, address: "https://localhost:\(port)/soap")
                service.identity = .fixed(try authority.issueClient(commonName: "device"))
                service.trust = .anchors(authority.bundle)
                let client = Parcels.Client(service)
                transports.withLock { $0.append(client.caller.transport) }
                return client
            }
        } catch {
            await server.shutdown()
            throw error
        }
        for transport in transports.withLock({ $0 }) { try await transport.shutdown() }
        await server.shutdown()
        return depot.lost.withLock { $0 }
    }

    @Test func bothPortsOnOneServer() async throws {
        let lost = try await withDepot { client in
            for (port, version) in [(Parcels.Ports.parcelsPort, "SOAP 1.1"), (Parcels.Ports.parcelsPort12, "SOAP 1.2")]
            {
                let parcels = try client(port)
                let session = Parcels.Headers.session.block(.init(key: "k"), mustUnderstand: true)
                let answer = try await parcels.caller.answer(
                    to: Parcels.Operations.track, .init(number: "7"), headerBlocks: [session])
                #expect(answer.output.text == "7 k \(version)")
                #expect(try answer.header(Parcels.Headers.usage)?.calls == 7)
                try await parcels.lost(.init(number: [version]))
                // The connection goes on after an answer without content.
                #expect(try await parcels.track(.init(number: "8")).text == "8 - \(version)")
            }
        }
        #expect(lost == ["SOAP 1.1", "SOAP 1.2"])
    }

    @Test func connectionsAreOpenedBeforeTheyAreNeededAndRenewed() async throws {
        _ = try await withDepot { client in
            let reports = Mutex<[ExchangeReport]>([])
            let parcels = try client(Parcels.Ports.parcelsPort).with {
                $0.onExchange = { exchange in reports.withLock { $0.append(exchange.report) } }
            }
            try await parcels.warmUp()
            _ = try await parcels.track(.init(number: "7"))
            parcels.renewConnections()
            _ = try await parcels.track(.init(number: "8"))
            let connections = reports.withLock { $0.map(\.connection) }
            #expect(connections.map(\.reused) == [true, false])
            #expect(Set(connections.map(\.number)).count == 2)
        }
    }

    @Test func manyCallsShareAConnectionOfHTTP2() async throws {
        _ = try await withDepot { client in
            let reports = Mutex<[ExchangeReport]>([])
            let parcels = try client(Parcels.Ports.parcelsPort).with {
                $0.onExchange = { exchange in reports.withLock { $0.append(exchange.report) } }
            }
            try await parcels.warmUp()
            try await withThrowingTaskGroup { group in
                for number in 0..<50 {
                    group.addTask {
                        let text = try await parcels.track(.init(number: "\(number)")).text
                        #expect(text.hasPrefix("\(number) "))
                    }
                }
                try await group.waitForAll()
            }
            let connections = reports.withLock { $0.map(\.connection) }
            #expect(connections.count == 50 && connections.allSatisfy { $0.httpVersion == "2" })
            #expect(Set(connections.map(\.number)).count == 1)
        }
    }

    /// A service over TLS that wants no certificate.
    @Test(arguments: [false, true]) func anIdentityOnDemandIsNotLoadedUnlessTheServerAsks(onDemand: Bool) async throws {
        let authority = try CertificateAuthority()
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer(
            Parcels.dispatcher(Depot()), path: "/soap",
            tls: .init(identity: .fixed(try authority.issueServer(dnsNames: ["localhost"]))), settings: settings)
        let port = try await server.start()
        let asked = Mutex(0)
        let identity = try authority.issueClient(commonName: "device")
        var service = try ServiceConfiguration(
            Parcels.Ports.parcelsPort, address: "https://localhost:\(port)/soap")
        service.trust = .anchors(authority.bundle)
        service.identity = IdentitySource(description: "a person") {
            asked.withLock { $0 += 1 }
            return identity
        }
        service.looksForIdentityOnDemand = onDemand
        let parcels = Parcels.Client(service)
        let result: Result<Parcels.TrackResponse, any Error>
        do { result = .success(try await parcels.track(.init(number: "7"))) } catch { result = .failure(error) }
        try await parcels.shutdown()
        await server.shutdown()
        #expect(try result.get().text.contains("7"))
        #expect(asked.withLock { $0 } == (onDemand ? 0 : 1))
    }

    @Test func faultsOfBothVersions() async throws {
        _ = try await withDepot { client in
            for port in [Parcels.Ports.parcelsPort, Parcels.Ports.parcelsPort12] {
                let parcels = try client(port)
                // One message that does not fit its type, and one with a header block that the service does not know.
                let lost = OneWayOperation<XMLAny>(
                    name: "lost", soapAction: "", version: .soap11, input: Parcels.Operations.lost.input)
                let broken = await #expect(throws: SOAPFault.self) {
                    try await parcels.caller.send(lost, XMLAny(text: "no elements here"))
                }
                #expect(broken?.code == .client)
                let priority = Parcels.Headers.priority.block(.init(value: 1), mustUnderstand: true)
                let fault = await #expect(throws: SOAPFault.self) {
                    try await parcels.lost(.init(number: []), headerBlocks: [priority])
                }
                #expect(fault?.code == .mustUnderstand)
            }
        }
    }
}

extension Parcels.TrackResponse {
    /// Where the parcel is; empty when it was delivered.
    var text: String {
        guard case .place(let place) = choice else { return "" }
        return place.place
    }
}

import Dispatch
import NIOCore
import Testing

@testable import SignetDiscovery

@Suite struct DiscoveryRouteTests {
    private func route(_ interface: (String, Int)?) throws -> DiscoveryRoute {
        DiscoveryRoute(
            local: try SocketAddress(ipAddress: "::", port: 0),
            remote: try SocketAddress(ipAddress: "ff02::c", port: 3702),
            interface: interface)
    }

    @Test func linkLocalSendersHaveTheirInterface() throws {
        let (route, any) = (try route(("net7", 7)), try route(nil))
        for (address, host, hostOfAny) in [
            ("192.0.2.7", "192.0.2.7", "192.0.2.7"), ("2001:db8::7", "2001:db8::7", "2001:db8::7"),
            ("169.254.1.1", "169.254.1.1%net7", "169.254.1.1"), ("fe80::1", "fe80::1%net7", "fe80::1"),
            // The number of the loopback interface is 1.
            ("fe80::1%1", "fe80::1%1", "fe80::1%1"),
        ] {
            let sender = try SocketAddress(ipAddress: address, port: 3702)
            #expect(route.host(sending: sender) == host)
            #expect(any.host(sending: sender) == hostOfAny)
        }
    }

    @Test func unknownInterfacesAreAnError() async {
        var discovery = DeviceDiscovery()
        discovery.target = .networks(interfaces: ["no such interface"])
        let asked = discovery
        let error = await #expect(throws: DiscoveryError.self) { for try await _ in asked.probe() {} }
        #expect(error?.code == .noInterface)
    }

    @Test(.timeLimit(.minutes(1))) func lookupsEndWhenTheTaskIsCancelled() async throws {
        // Blocks a thread, as a slow resolver does.
        let gate = DispatchSemaphore(value: 0)
        let lookup = Task { try await DiscoveryRoute.first(within: .seconds(50)) { gate.wait() } }
        try await Task.sleep(for: .milliseconds(50))
        lookup.cancel()
        await #expect(throws: CancellationError.self) { try await lookup.value }
        gate.signal()
    }

    @Test(.timeLimit(.minutes(1))) func lookupsEndWithTheirTime() async {
        // Blocks a thread, as a slow resolver does.
        let gate = DispatchSemaphore(value: 0)
        await #expect(throws: ChannelError.self) {
            try await DiscoveryRoute.first(within: .milliseconds(20)) { gate.wait() }
        }
        gate.signal()
    }

    @Test func lookupsGiveTheirResult() async throws {
        #expect(try await DiscoveryRoute.first(within: .seconds(50)) { 7 } == 7)
    }

    @Test func cancelledSearchesEndWithoutAnError() async throws {
        var discovery = DeviceDiscovery()
        discovery.target = .host("name.invalid")
        let asked = discovery
        let search = Task { for try await _ in asked.probe() {} }
        search.cancel()
        try await search.value
    }
}

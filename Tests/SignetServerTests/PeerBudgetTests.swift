import GreetingService
import NIOCore
import SignetHTTP
import SignetSOAP
import Testing

@testable import SignetServer

@Suite struct PeerBudgetTests {
    private func isAdmitted(_ budget: PeerBudget, _ address: String) throws -> Bool {
        if case .admitted = budget.admit(try SocketAddress(ipAddress: address, port: 1)) { true } else { false }
    }

    @Test(arguments: [
        ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false),
        ("::ffff:192.0.2.7", "192.0.2.7", true), ("::ffff:192.0.2.7", "::ffff:192.0.2.8", false),
        ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true), ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
        ("::1", "::2", true), ("::1", "::ffff:0.0.0.1", false),
    ])
    func addressesOfOneClientShareItsPlaces(_ first: String, _ second: String, _ isOne: Bool) throws {
        let budget = PeerBudget(limit: 1, exempt: [])
        guard case .admitted(let place) = budget.admit(try SocketAddress(ipAddress: first, port: 1)) else {
            Issue.record("the first is refused")
            return
        }
        #expect(try isAdmitted(budget, second) == !isOne)
        place.leave()
        place.leave()
        if isOne {
            #expect(try isAdmitted(budget, second))
            // It was given back once, though it was asked twice.
            #expect(try !isAdmitted(budget, first))
        }
    }

    @Test func refusalsOfAnAddressAreLoggedOnce() throws {
        let budget = PeerBudget(limit: 1, exempt: [])
        let address = try SocketAddress(ipAddress: "192.0.2.7", port: 1)
        guard case .admitted(let place) = budget.admit(address) else {
            Issue.record("the first is refused")
            return
        }
        for isFirst in [true, false, false] {
            guard case .refused(isFirst) = budget.admit(address) else {
                Issue.record("not so")
                return
            }
        }
        place.leave()
        guard case .admitted = budget.admit(address), case .refused(true) = budget.admit(address) else {
            Issue.record("not so after it was gone")
            return
        }
    }

    @Test(arguments: [
        ("10.1.0.0/16", "10.1.2.3", true), ("10.1.0.0/16", "10.2.0.0", false), ("0.0.0.0/0", "192.0.2.1", true),
        ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::", false),
        ("::ffff:10.0.0.0/104", "10.255.0.1", true), ("::ffff:10.0.0.0/104", "11.0.0.1", false),
        ("::/0", "192.0.2.1", false),
    ])
    func blocks(_ block: String, _ address: String, _ isIn: Bool) throws {
        let octets = try #require(AddressBlock.octets(of: address))
        #expect(try #require(AddressBlock(block)).contains(octets) == isIn)
    }

    @Test(arguments: [
        "", "localhost", "10.0.0.0/33", "10.0.0/8", "::/129", "::ffff:10.0.0.0/8", "10.0.0.0/", "/8", "1.2.3.4/-1",
    ])
    func invalidAddressBlocksAreRefused(_ text: String) {
        #expect(AddressBlock(text) == nil)
        var settings = SOAPServer.Settings()
        settings.proxies = [text]
        let error = #expect(throws: SOAPServerError(.invalidConfiguration, "")) {
            try SOAPServer.withoutTLS(Greeting.dispatcher, settings: settings)
        }
        #expect(error?.message.contains("“\(text)”") == true)
    }

    /// A message that every client can write gives no place back.
    @Test func headerBlocksAloneProveNothing() async {
        let message = Array(Greeting.envelope("Ada").utf8)
        let dispatcher = Greeting.dispatcher.verified(by: AddressingVerifier())
        let answer = await dispatcher.respond(to: message, from: PeerDescription())
        #expect(answer.status == 200)
        #expect(!answer.isVerified)
        let known = await Greeting.dispatcher.verified(by: Acquaintance()).respond(to: message, from: PeerDescription())
        #expect(known.isVerified)
    }

    /// Knows every caller by name.
    private struct Acquaintance: RequestVerifier {
        var understoodHeaderBlocks: Set<XMLName> { [] }
        func verify(_ context: inout OperationContext) async throws { context.peer.user = "Ada" }
    }

    @Test func settingsWithoutEffectAreErrors() throws {
        for change: (inout SOAPServer.Settings) -> Void in [
            { $0.maximumUnprovenConnectionsPerAddress = 0 }, { $0.firstHeadArrival = .zero },
            {
                $0.maximumConnections = 10
                $0.maximumUnprovenConnectionsPerAddress = 11
            },
            {
                $0.idle = .seconds(5)
                $0.firstHeadArrival = .seconds(6)
            },
        ] {
            var settings = SOAPServer.Settings()
            change(&settings)
            #expect(throws: SOAPServerError(.invalidConfiguration, "")) {
                try SOAPServer.withoutTLS(Greeting.dispatcher, settings: settings)
            }
        }
    }
}

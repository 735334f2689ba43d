import Foundation
import GreetingService
import HTTPTypes
import SignetSOAP
import SignetServer
import SignetTLS
import SignetTesting
import Synchronization
import Testing

/// Connections that begin with what a proxy says of the client.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ProxyProtocolTests {
    /// Notes the clients of all requests.
    private final class Clients: ServerHTTPMiddleware {
        let all = Mutex<[String?]>([])

        func intercept(
            _ request: ServerRequest, next: @Sendable (ServerRequest) async throws -> ServerResponse
        ) async throws -> ServerResponse {
            all.withLock { $0.append(request.remoteAddress) }
            return try await next(request)
        }
    }

    private static let header = "PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n"
    private static let header2: [UInt8] =
        [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A, 0x21, 0x11, 0, 12]
        + [192, 0, 2, 8, 198, 51, 100, 1, 0xDC, 0x04, 1, 0xBB]
    private static let request = Wire.request("Ada", fields: "Connection: close\r\n")

    private func serve(
        _ change: (inout SOAPServer.Settings) -> Void = { _ in },
        during body: (_ port: Int, _ clients: @Sendable () -> [String?]) async throws -> Void
    ) async throws {
        let clients = Clients()
        try await withPlainServer(Greeting.dispatcher) { settings in
            settings.proxies = ["127.0.0.1"]
            settings.usesProxyProtocol = true
            settings.httpMiddlewares = [clients]
            change(&settings)
        } during: { url in
            let port = try #require(URL(string: url)?.port)
            try await body(port) { clients.all.withLock { $0 } }
        }
    }

    private func statuses(_ pieces: [[UInt8]], to port: Int, from source: UInt8 = 1) async throws -> [Int] {
        let connection = try FileHandle.connected(to: port, from: source)
        for (number, piece) in pieces.enumerated() {
            if number > 0 { try await Task.sleep(for: .milliseconds(5)) }
            do { try connection.write(contentsOf: Data(piece)) } catch { break }
        }
        return Wire.statuses(try #require(try await Wire.all(of: connection)))
    }

    @Test func theClientIsWhomTheProxyNames() async throws {
        try await serve { port, clients async throws in
            let request = Array(Self.request.utf8)
            #expect(try await statuses([Array(Self.header.utf8) + request], to: port) == [200])
            #expect(try await statuses([Self.header2, request], to: port) == [200])
            // Byte by byte.
            #expect(try await statuses(Self.header.utf8.map { [$0] } + [request], to: port) == [200])
            #expect(try await statuses([Array("PROXY UNKNOWN\r\n".utf8) + request], to: port) == [200])
            let all = clients()
            #expect(all.prefix(3) == ["192.0.2.7:56324", "192.0.2.8:56324", "192.0.2.7:56324"])
            #expect(all.last??.hasPrefix("127.0.0.1:") == true, "\(all)")
        }
    }

    /// A client that ends its side behind its request is answered, and the connection then ends at once.
    @Test func theEndOfTheRequestDoesNotOvertakeIt() async throws {
        try await serve { port, clients async throws in
            for _ in 0..<50 {
                let connection = try FileHandle.connected(to: port)
                try connection.write(contentsOf: Data((Self.header + Wire.request("Ada")).utf8))
                #expect(shutdown(connection.fileDescriptor, Int32(SHUT_WR)) == 0)
                let clock = ContinuousClock()
                var answer: String?
                let took = try await clock.measure { answer = try await Wire.all(of: connection) }
                #expect(Wire.statuses(answer ?? "") == [200])
                #expect(took < .seconds(5))
            }
            #expect(clients().count == 50)
        }
    }

    /// What examines only whether the port is open.
    @Test func aConnectionThatEndsBeforeItsHeaderIsClosedAtOnce() async throws {
        try await serve { port, _ async throws in
            for start in ["", "PROXY TCP4"] {
                let connection = try FileHandle.connected(to: port)
                try connection.write(contentsOf: Data(start.utf8))
                #expect(shutdown(connection.fileDescriptor, Int32(SHUT_WR)) == 0)
                let clock = ContinuousClock()
                let took = try await clock.measure { _ = try await Wire.all(of: connection) }
                #expect(took < .seconds(5))
            }
        }
    }

    @Test func otherConnectionsAreClosed() async throws {
        try await serve { port, clients async throws in
            let request = Array(Self.request.utf8)
            // One that could name any client.
            #expect(try await statuses([Array(Self.header.utf8) + request], to: port, from: 2) == [])
            // Without a header.
            #expect(try await statuses([request], to: port) == [])
            #expect(try await statuses([Array("PROXY TCP4 nowhere\r\n".utf8) + request], to: port) == [])
            #expect(clients() == [])
            #expect(try await statuses([Array(Self.header.utf8) + request], to: port) == [200])
        }
    }

    @Test func aHeaderHasToComeInTime() async throws {
        try await serve({ $0.firstHeadArrival = .milliseconds(300) }) { port, _ async throws in
            for start in ["", "PROX"] {
                #expect(try await statuses([Array(start.utf8)], to: port) == [])
            }
        }
    }

    /// How many of these the server has closed, as soon as it has closed any.
    private func closed(_ connections: [FileHandle]) async throws -> Int {
        for _ in 0..<500 {
            if connections.contains(where: \.isClosed) { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        // Time for a second one, which there should not be.
        try await Task.sleep(for: .milliseconds(100))
        return connections.count(where: \.isClosed)
    }

    @Test func theLimitOfAnAddressIsThatOfTheClient() async throws {
        try await serve({ $0.maximumUnprovenConnectionsPerAddress = 2 }) { port, _ async throws in
            func waiting(_ client: Int) throws -> FileHandle {
                let connection = try FileHandle.connected(to: port)
                try connection.write(
                    contentsOf: Data("PROXY TCP4 192.0.2.\(client) 198.51.100.1 56324 443\r\nPOST ".utf8))
                return connection
            }
            // One of the three is closed, whichever the server accepts last.
            let held = try [waiting(7), waiting(7), waiting(7)]
            #expect(try await closed(held) == 1)
            #expect(try await statuses([Self.header2 + Array(Self.request.utf8)], to: port) == [200])
        }
    }

    /// A client whose address happens to be that of a proxy is not a proxy.
    @Test func theLimitAppliesToClientsWithTheAddressOfAProxy() async throws {
        try await serve({ $0.maximumUnprovenConnectionsPerAddress = 1 }) { port, _ async throws in
            func waiting() throws -> FileHandle {
                let connection = try FileHandle.connected(to: port)
                try connection.write(contentsOf: Data("PROXY TCP4 127.0.0.1 198.51.100.1 56324 443\r\nPOST ".utf8))
                return connection
            }
            let held = try [waiting(), waiting()]
            #expect(try await closed(held) == 1)
        }
    }

    @Test func aServerEndsWhileAHeaderIsMissing() async throws {
        let clock = ContinuousClock()
        var held: FileHandle?
        let took = try await clock.measure {
            try await serve { port, _ async throws in
                held = try FileHandle.connected(to: port)
                try held?.write(contentsOf: Data("PROXY ".utf8))
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        #expect(took < .seconds(8))
        #expect(held?.isClosed == true)
    }

    @Test func tlsComesAfterTheHeader() async throws {
        let clients = Clients()
        var settings = SOAPServer.Settings()
        settings.proxies = ["127.0.0.1"]
        settings.usesProxyProtocol = true
        settings.httpMiddlewares = [clients]
        try await TestServer.run(settings: settings) { server async throws in
            let curl = try Curl()
            let proof = try curl.trusting(server.authority) + curl.showing(server.authority.issueClient())
            for version in ["--http1.1", "--http2"] {
                let answer = try await curl(
                    server.url, proof + [version, "--haproxy-protocol"] + Greeting.posting(Greeting.envelope("Ada")))
                #expect(answer.status == 200, "\(answer.problem)")
            }
            let without = try await curl(server.url, proof + Greeting.posting(Greeting.envelope("Ada")))
            #expect(without.status == 0)
            #expect(clients.all.withLock { $0.count } == 2)
        }
    }

    @Test func withoutProxiesNoConnectionWouldBeAccepted() throws {
        var settings = SOAPServer.Settings()
        settings.usesProxyProtocol = true
        let error = #expect(throws: SOAPServerError.self) {
            try SOAPServer.withoutTLS(Greeting.dispatcher, settings: settings)
        }
        #expect(error?.code == .invalidConfiguration && error?.message.contains("proxies names none") == true)
    }
}

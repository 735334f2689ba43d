import NIOCore
import Testing

@testable import SignetServer

/// How handlers and the log are told where a request comes from.
@Suite struct RemoteAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1:443"), ("2001:db8::1", "[2001:db8::1]:443"),
        ("::ffff:192.0.2.1", "[::ffff:192.0.2.1]:443"),
    ]) func anAddressOfIPv6StandsInBrackets(address: String, text: String) throws {
        #expect(RequestHandler.text(try SocketAddress(ipAddress: address, port: 443)) == text)
    }

    @Test func aSocketInTheFileSystemHasNoAddress() throws {
        #expect(RequestHandler.text(try SocketAddress(unixDomainSocketPath: "/run/soap")) == nil)
    }
}

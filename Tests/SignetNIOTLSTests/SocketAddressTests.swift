import NIOCore
import Testing

@testable import SignetNIOTLS

/// How handlers, logs and reports are told the other end of a connection.
@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1:443"), ("2001:db8::1", "[2001:db8::1]:443"),
        ("::ffff:192.0.2.1", "[::ffff:192.0.2.1]:443"),
    ]) func anAddressOfIPv6StandsInBrackets(address: String, text: String) throws {
        #expect(try SocketAddress(ipAddress: address, port: 443).hostAndPort == text)
    }

    @Test func aSocketInTheFileSystemHasNoAddress() throws {
        #expect(try SocketAddress(unixDomainSocketPath: "/run/soap").hostAndPort == nil)
    }
}

import NIOCore
import Testing

@testable import SignetServer

/// Headers of the PROXY protocol, also from the examples of its specification.
@Suite struct ProxyHeaderTests {
    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

    private func client(_ finding: ProxyHeader.Finding) -> String? {
        guard case .complete(_, let client) = finding else { return nil }
        return switch client {
        case .address(let address): "\(address.ipAddress ?? "?") \(address.port ?? -1)"
        case .unknown: "unknown"
        case .proxy: "proxy"
        }
    }

    @Test(arguments: [
        ("PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n", "192.0.2.7 56324"),
        ("PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n", "255.255.255.255 65535"),
        ("PROXY TCP6 2001:db8::7 2001:db8::1 56324 443\r\n", "2001:db8::7 56324"),
        (
            "PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535\r\n",
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535"
        ),
        ("PROXY UNKNOWN\r\n", "unknown"), ("PROXY UNKNOWN ffff:: ffff:: 65535 65535\r\n", "unknown"),
    ])
    func version1(header: String, expected: String) {
        let bytes = Array(header.utf8)
        #expect(client(ProxyHeader.read(bytes)) == expected)
        guard case .complete(bytes.count, _) = ProxyHeader.read(bytes + Array("POST / HTTP/1.1\r\n".utf8)) else {
            Issue.record("what follows is part of the header")
            return
        }
        for count in 0..<bytes.count { #expect(ProxyHeader.read(Array(bytes[..<count])) == .incomplete) }
    }

    @Test(arguments: [
        "POST / HTTP/1.1\r\n", "PROXY TCP4 192.0.2.7 198.51.100.1 56324\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\n",
        "PROXY TCP4  192.0.2.7 198.51.100.1 56324 443\r\n", "PROXY TCP4 192.0.2.7 198.51.100.1 56324 443 \r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 65536 443\r\n", "PROXY TCP4 192.0.2.7 198.51.100.1 -1 443\r\n",
        "PROXY TCP4 192.0.2.7 198.51.100.1 +1 443\r\n", "PROXY TCP4 192.0.2.7 198.51.100.1 1 \r\n",
        "PROXY TCP4 ::1 ::1 56324 443\r\n", "PROXY TCP6 192.0.2.7 192.0.2.7 56324 443\r\n",
        "PROXY TCP4 host host 1 2\r\n",
        "PROXY UDP4 192.0.2.7 198.51.100.1 56324 443\r\n", "PROXY \r\n", "PROXY TCP6 fe80::1%eth0 ::1 1 2\r\n",
        "PROXY \(String(repeating: "x", count: 200))", "PROXY UNKNOWN \(String(repeating: "x", count: 200))\r\n",
        "\u{16}\u{3}\u{1}", "proxy TCP4 192.0.2.7 198.51.100.1 56324 443\r\n",
    ])
    func aWrongLineIsRefused(header: String) {
        guard case .invalid = ProxyHeader.read(Array(header.utf8)) else {
            Issue.record("accepted: \(header)")
            return
        }
    }

    private func header(_ command: UInt8, _ family: UInt8, _ content: [UInt8], length: Int? = nil) -> [UInt8] {
        let length = length ?? content.count
        return Self.signature + [command, family, UInt8(length >> 8), UInt8(length & 0xFF)] + content
    }

    private static let four: [UInt8] = [192, 0, 2, 7, 198, 51, 100, 1, 0xDC, 0x04, 1, 0xBB]
    private static let six: [UInt8] =
        [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [7] + [UInt8](repeating: 1, count: 16)
        + [0xDC, 0x04, 1, 0xBB]

    @Test func version2() {
        let details: [UInt8] = [0x20, 0, 5, 1, 0, 0, 0, 0]
        for (bytes, expected) in [
            (header(0x21, 0x11, Self.four), "192.0.2.7 56324"), (header(0x21, 0x21, Self.six), "2001:db8::7 56324"),
            (header(0x21, 0x11, Self.four + details), "192.0.2.7 56324"), (header(0x20, 0x00, []), "proxy"),
            (header(0x20, 0x11, Self.four), "proxy"), (header(0x21, 0x00, details), "unknown"),
            (header(0x21, 0x31, [UInt8](repeating: 0, count: 216)), "unknown"),
        ] {
            #expect(client(ProxyHeader.read(bytes + [1, 2, 3])) == expected)
            guard case .complete(bytes.count, _) = ProxyHeader.read(bytes + [1, 2, 3]) else {
                Issue.record("what follows is part of the header")
                continue
            }
            for count in 0..<bytes.count { #expect(ProxyHeader.read(Array(bytes[..<count])) == .incomplete) }
        }
    }

    @Test func aWrongHeaderOfVersion2IsRefused() {
        for bytes in [
            header(0x11, 0x11, Self.four), header(0x22, 0x11, Self.four), header(0x21, 0x12, Self.four),
            header(0x21, 0x22, Self.six), header(0x21, 0x41, Self.four),
            header(0x21, 0x11, Array(Self.four.dropLast())),
            header(0x21, 0x21, Array(Self.six.dropLast())), header(0x21, 0x11, [], length: 0xFFFF),
            header(0x20, 0x11, [], length: 4096), Array(Self.signature.dropLast()) + [0x0B],
        ] {
            guard case .invalid = ProxyHeader.read(bytes) else {
                Issue.record("accepted: \(bytes)")
                continue
            }
        }
    }

    @Test func noBytesStopTheServer() {
        let starts = [
            Array("PROXY TCP4 192.0.2.7 198.51.100.1 56324 443\r\n".utf8), header(0x21, 0x11, Self.four),
            header(0x21, 0x21, Self.six),
        ]
        for _ in 0..<20_000 {
            var bytes = starts.randomElement() ?? []
            for _ in 0..<Int.random(in: 0...3) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices)] = .random(in: 0...255)
            }
            if Bool.random() { bytes.removeLast(Int.random(in: 0...bytes.count)) }
            if case .complete(let length, _) = ProxyHeader.read(bytes) { #expect(length <= bytes.count) }
        }
    }
}

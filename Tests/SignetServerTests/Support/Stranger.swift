#if os(Linux)
import Foundation

/// A client that proves nothing, and takes its time with it.
enum Stranger {
    /// What it sends on each connection; nothing ends a request but `asks`.
    struct Approach: Sendable, CustomStringConvertible {
        let description: String
        /// At once.
        let bytes: [UInt8]
        /// One byte at a time, for as long as the server takes it.
        var trickle: [UInt8] = []
    }

    /// Those against a server with TLS: a hello that curl has sent, cut at some places.
    static func hellos(_ hello: [UInt8], cuts: Int) -> [Approach] {
        let cut = Self.cuts(hello.count, cuts).map {
            Approach(description: "hello to byte \($0)", bytes: Array(hello[..<$0]))
        }
        let records: [(String, [UInt8])] = [
            ("silence", []), ("a whole hello", hello), ("a record of one byte", [22, 3, 1, 0, 1, 1]),
            ("the head of a large record", [22, 3, 1, 0x40, 0]), ("an alert", [21, 3, 1, 0, 2, 1, 0]),
        ]
        return records.map { Approach(description: $0, bytes: $1) } + cut + [
            Approach(description: "a slow hello", bytes: [], trickle: hello),
            Approach(
                description: "records of one byte each, slowly", bytes: [],
                trickle: hello.dropFirst(5).flatMap { [22, 3, 1, 0, 1, $0] }),
        ]
    }

    /// Those against a server without TLS: a head, cut at some places.
    static func heads(cuts: Int) -> [Approach] {
        let request = Array(Wire.request("Eve").utf8)
        let head = Array(Wire.request("Eve").components(separatedBy: "\r\n\r\n")[0].utf8)
        let whole: [(String, [UInt8])] = [
            ("silence", []), ("an empty line", [13, 10]), ("a head without content", head + [13, 10, 13, 10]),
            ("a request without its last byte", Array(request.dropLast())), ("a request, and no other", request),
        ]
        return whole.map { Approach(description: $0, bytes: $1) }
            + Self.cuts(head.count, cuts).map {
                Approach(description: "a head to byte \($0)", bytes: Array(head[..<$0]))
            }
            + [
                Approach(description: "a slow head", bytes: [], trickle: head),
                Approach(
                    description: "empty lines, slowly", bytes: [], trickle: Array(repeating: 10, count: 10_000)),
            ]
    }

    private static func cuts(_ count: Int, _ wanted: Int) -> [Int] {
        guard wanted < count - 1 else { return Array(1..<count) }
        return (1...max(1, wanted)).map { 1 + ($0 * (count - 2)) / (wanted + 1) }
    }

    /// The bytes that curl opens a TLS connection with.
    static func hello() async throws -> [UInt8] {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 1) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        _ = fcntl(listener, F_SETFL, O_NONBLOCK)
        let port = Int(in_port_t(bigEndian: address.sin_port))
        async let answer = Curl()("https://127.0.0.1:\(port)/", ["--max-time", "60"])
        let start = ContinuousClock.now
        var connection: Int32 = -1
        while connection < 0, .now - start < .seconds(60) {
            connection = accept(listener, nil, nil)
            if connection < 0 { try await Task.sleep(for: .milliseconds(5)) }
        }
        var hello = [UInt8](repeating: 0, count: 16_384)
        var count = 0
        while count < 5 || count < Int(hello[3]) << 8 + Int(hello[4]) + 5, .now - start < .seconds(60) {
            let got = hello.withUnsafeMutableBytes {
                recv(connection, $0.baseAddress.map { $0 + count }, $0.count - count, Int32(MSG_DONTWAIT))
            }
            if got > 0 { count += got } else { try await Task.sleep(for: .milliseconds(5)) }
        }
        close(connection)
        _ = try await answer
        guard count > 5 else { throw POSIXError(.ETIMEDOUT) }
        return Array(hello[..<count])
    }
}
#endif

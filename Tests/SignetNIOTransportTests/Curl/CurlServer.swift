import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A server on the loopback address, and a proxy as well, that answers as ``CurlReplies`` says and keeps what it was
/// asked. It ends with its last reference.
final class CurlServer: Sendable {
    /// A request, and what came of it.
    struct Exchange: Sendable {
        let request: CurlRequest
        let connection: Int
        /// Of the answer; nil where there was none.
        let status: Int?
        /// Whether the runner asked for credentials that curl sends unasked.
        let isIntroduction: Bool
    }

    let port: Int
    private let shared: Shared

    init() throws {
        let listener = try Self.listener()
        port = listener.port
        shared = Shared(listener.socket)
        let shared = shared
        Thread.detachNewThread { shared.accept() }
    }

    deinit { shared.end() }

    /// - Parameter expected: what curl sends.
    func play(_ test: CurlCase, expected: [CurlRequest]) {
        shared.state.withLock { state in
            state.replies = CurlReplies(test)
            state.expected = expected
        }
    }

    /// All that was asked so far, in order.
    var exchanges: [Exchange] { shared.state.withLock { $0.exchanges } }
    /// The sections that an answer was looked for in, and that the case does not have.
    var missing: [String] { shared.state.withLock { $0.missing } }

    private static func listener() throws -> (socket: Int32, port: Int) {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let handle = socket(AF_INET, kind, 0)
        guard handle >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let size = length
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(handle, address, size) == 0 && listen(handle, 64) == 0
                    && getsockname(handle, address, &length) == 0
            }
        }
        guard isBound else {
            let code = errno
            close(handle)
            throw POSIXError(.init(rawValue: code) ?? .EIO)
        }
        return (handle, Int(UInt16(bigEndian: address.sin_port)))
    }

    // MARK: What its threads have in common

    private final class Shared: Sendable {
        struct State {
            var isOver = false
            var open: Set<Int32> = []
            var connections = 0
            var replies: CurlReplies?
            var expected: [CurlRequest] = []
            var exchanges: [Exchange] = []
            var missing: [String] = []
            /// How many of what curl sends unasked was asked for here.
            var introductions: [String: Int] = [:]
        }

        let state = Mutex(State())
        private let listener: Int32

        init(_ listener: Int32) { self.listener = listener }

        func end() {
            state.withLock { state in
                state.isOver = true
                for socket in state.open { shutdown(socket, Int32(SHUT_RDWR)) }
            }
        }

        func accept() {
            defer { close(listener) }
            while !state.withLock({ $0.isOver }) {
                var polled = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
                guard poll(&polled, 1, 50) > 0 else { continue }
                let socket = systemAccept(listener)
                guard socket >= 0 else { continue }
                let number: Int? = state.withLock { state in
                    guard !state.isOver else { return nil }
                    state.open.insert(socket)
                    state.connections += 1
                    return state.connections
                }
                guard let number else {
                    close(socket)
                    return
                }
                Thread.detachNewThread { [self] in
                    CurlConnection(socket: socket).serve { answer(to: $0, number) }
                    // Under one lock: the system may reuse a closed descriptor's number at once.
                    state.withLock { state in
                        state.open.remove(socket)
                        close(socket)
                    }
                }
            }
        }

        private func answer(to request: CurlRequest, _ connection: Int) -> CurlReplies.Answer {
            state.withLock { state in
                if let answer = introduction(request, &state) {
                    state.exchanges.append(
                        .init(request: request, connection: connection, status: nil, isIntroduction: true))
                    return answer
                }
                let answer = state.replies?.answer(to: request) ?? .init(bytes: [], closes: true)
                if let missing = answer.missing { state.missing.append(missing) }
                let line = String(latin1: answer.bytes.prefix { $0 != UInt8(ascii: "\r") })
                let status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) }
                state.exchanges.append(
                    .init(request: request, connection: connection, status: status, isIntroduction: false))
                return answer
            }
        }

        /// curl begins with NTLM unasked where nothing else is allowed, and cases have no challenge for it.
        private func introduction(_ request: CurlRequest, _ state: inout State) -> CurlReplies.Answer? {
            let index = state.exchanges.count { !$0.isIntroduction }
            guard state.expected.indices.contains(index) else { return nil }
            let expected = state.expected[index]
            for (answer, status, question) in [
                ("Proxy-Authorization", 407, "Proxy-Authenticate"), ("Authorization", 401, "WWW-Authenticate"),
            ] {
                guard let value = expected.value(answer), request.value(answer) == nil,
                    CurlAuthorization(value).messageType == 1
                else { continue }
                let count = state.introductions["\(answer) \(index)", default: 0]
                guard count < 2 else { return nil }
                state.introductions["\(answer) \(index)"] = count + 1
                let head = "HTTP/1.1 \(status) Speak\r\n\(question): NTLM\r\nContent-Length: 0\r\n\r\n"
                return .init(bytes: Array(head.utf8), closes: false)
            }
            return nil
        }
    }
}

/// One connection of a ``CurlServer``.
private struct CurlConnection: Sendable {
    let socket: Int32

    init(socket: Int32) {
        self.socket = socket
        var one: Int32 = 1
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    func serve(_ answer: (CurlRequest) -> CurlReplies.Answer) {
        var buffer: [UInt8] = []
        while let request = read(&buffer) {
            let answer = answer(request)
            guard send(answer.bytes), !answer.closes else { return }
        }
    }

    /// A request with all of its content, which is not kept.
    private func read(_ buffer: inout [UInt8]) -> CurlRequest? {
        let end = Array("\r\n\r\n".utf8)
        var head: Int?
        while head == nil {
            head = buffer.indices.first { buffer[$0...].starts(with: end) }
            guard head != nil || fill(&buffer) else { return nil }
        }
        guard let head, let request = CurlRequest.all(in: Array(buffer[..<(head + end.count)])).first else {
            return nil
        }
        let length = head + end.count + max(0, request.value("Content-Length").flatMap { Int($0) } ?? 0)
        while buffer.count < length { guard fill(&buffer) else { return nil } }
        buffer.removeFirst(length)
        return request
    }

    private func fill(_ buffer: inout [UInt8]) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer += chunk.prefix(count)
        return true
    }

    private func send(_ bytes: [UInt8]) -> Bool {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { systemSend(socket, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

// Inside the types above, their own members would be meant.
private func systemAccept(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }
private func systemSend(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(socket, bytes, count, flags)
}

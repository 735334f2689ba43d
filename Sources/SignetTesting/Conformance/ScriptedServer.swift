import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// One step of a server on one connection. The server reads only what the steps tell it to read.
package enum ServerStep: Sendable, Hashable {
    /// Reads a request: its head, and content of the announced length or in chunks.
    case read
    /// Reads the head of a request, and leaves its content to ``readContent``.
    case readHead
    /// Reads the content of a request; the server records the request again, with its content.
    case readContent
    /// Reads this many bytes.
    case readBytes(Int)
    case send(String)
    /// Sends binary bytes.
    case bytes([UInt8])
    /// Sends the text repeatedly, as fast as the client takes it.
    case flood(String)
    /// Sends the text repeatedly, one byte per this many milliseconds.
    case drip(String, milliseconds: Int)
    case wait(milliseconds: Int)
    case close
    /// Ends the connection with a reset.
    case reset
    /// Does nothing until the client has closed the connection.
    case stall
    /// Answers with the last content read.
    case echo
    /// Answers 200 with the received content, and sends a text after it in the same write, so that both arrive
    /// together.
    case echoAnd(String)
}

/// A request that a ``ScriptedServer`` has read.
package struct ScriptedRequest: Sendable {
    package let port: Int
    /// The number of the connection to the port, from 1.
    package let connection: Int
    /// The request line and the fields, without the empty line after them.
    package let head: String
    package let content: String
}

/// A server on the loopback address that follows a script on each connection: the first script on the first connection,
/// and so on; the last script on all further connections. It ends with its last reference.
package final class ScriptedServer: Sendable {
    /// The ports, one for each set of scripts.
    package let ports: [Int]
    private let shared: Shared

    /// - Parameter sets: the sets of scripts; each has a port of its own.
    package init(_ sets: [[[ServerStep]]]) throws {
        var listeners: [Listener] = []
        do {
            for scripts in sets { listeners.append(try Listener(scripts)) }
            shared = try Shared()
        } catch {
            for listener in listeners { close(listener.socket) }
            throw error
        }
        ports = listeners.map(\.port)
        let (shared, all) = (shared, listeners)
        Thread.detachNewThread { shared.accept(all) }
    }

    deinit { shared.end() }

    /// The requests read at a port, in the order of reading.
    package func requests(at port: Int) -> [ScriptedRequest] { shared.requests.filter { $0.port == port } }

    private struct Listener {
        let socket: Int32
        let port: Int
        let scripts: [[ServerStep]]
        var connections = 0

        init(_ scripts: [[ServerStep]]) throws {
            #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue)
            #else
            let kind = SOCK_STREAM
            #endif
            self.scripts = scripts
            socket = systemSocket(AF_INET, kind, 0)
            guard socket >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let (handle, size) = (socket, length)
            let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    unsafe bind(handle, address, size) == 0 && listen(handle, 512) == 0
                        && getsockname(handle, address, &length) == 0
                }
            }
            guard isBound else {
                let code = errno
                close(socket)
                throw POSIXError(.init(rawValue: code) ?? .EIO)
            }
            port = Int(UInt16(bigEndian: address.sin_port))
        }
    }

    /// The state that the threads of a server share; it briefly outlives the server.
    private final class Shared: Sendable {
        private struct State {
            var isOver = false
            var open: Set<Int32> = []
            var requests: [ScriptedRequest] = []
        }

        private let state = Mutex(State())
        /// Ends the wait for connections when its writing end is closed.
        private let wake: (read: Int32, write: Int32)

        init() throws {
            var ends: [Int32] = [0, 0]
            guard unsafe pipe(&ends) == 0, let read = ends.first, let write = ends.last else {
                throw POSIXError(.init(rawValue: errno) ?? .EIO)
            }
            wake = (read, write)
        }

        var requests: [ScriptedRequest] { state.withLock { $0.requests } }

        func end() {
            state.withLock { state in
                state.isOver = true
                // The thread that reads or writes there wakes up, and closes it.
                for socket in state.open { shutdown(socket, Int32(SHUT_RDWR)) }
            }
            close(wake.write)
        }

        func note(_ request: ScriptedRequest) { state.withLock { $0.requests.append(request) } }

        func accept(_ listeners: [Listener]) {
            var listeners = listeners
            var polled = listeners.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
            polled.append(pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0))
            while unsafe poll(&polled, nfds_t(polled.count), -1) >= 0 || errno == EINTR {
                if polled.last?.revents != 0 { break }
                for index in listeners.indices where polled[index].revents != 0 {
                    let socket = systemAccept(listeners[index].socket)
                    guard socket >= 0 else { continue }
                    let isWelcome = state.withLock { state in
                        if !state.isOver { state.open.insert(socket) }
                        return !state.isOver
                    }
                    guard isWelcome else {
                        close(socket)
                        continue
                    }
                    let listener = listeners[index]
                    let script = listener.scripts[
                        safely: min(listener.connections, listener.scripts.count - 1)]
                    listeners[index].connections += 1
                    let connection = ScriptedConnection(
                        socket: socket, port: listener.port, number: listener.connections + 1)
                    Thread.detachNewThread { [self] in
                        var connection = connection
                        connection.follow(script ?? [], note: note)
                        // Under one lock: the system may reuse a closed descriptor's number at once.
                        state.withLock { state in
                            state.open.remove(socket)
                            close(socket)
                        }
                    }
                }
            }
            for listener in listeners { close(listener.socket) }
            close(wake.read)
        }
    }
}

/// One connection of a ``ScriptedServer``.
private struct ScriptedConnection: Sendable {
    let socket: Int32
    let port: Int
    let number: Int
    /// Bytes that were read and not yet consumed.
    var buffer: [UInt8] = []
    var head = ""
    var content: [UInt8] = []

    init(socket: Int32, port: Int, number: Int) {
        self.socket = socket
        self.port = port
        self.number = number
        var one: Int32 = 1
        unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    mutating func follow(_ script: [ServerStep], note: (ScriptedRequest) -> Void) {
        for step in script {
            switch step {
            case .read:
                guard readHead(), readContent() else { return }
                note(request)
            case .readHead:
                guard readHead() else { return }
                note(request)
            case .readContent:
                guard readContent() else { return }
                note(request)
            case .readBytes(let count): guard take(count) != nil else { return }
            case .send(let text): guard send(Array(text.utf8)) else { return }
            case .bytes(let bytes): guard send(bytes) else { return }
            case .echo: guard send(echo) else { return }
            case .echoAnd(let text): guard send(echo + Array(text.utf8)) else { return }
            case .flood(let text):
                let once = Array(text.utf8)
                let bytes = Array(repeating: once, count: max(1, 65_536 / max(1, once.count))).flatMap { $0 }
                while !bytes.isEmpty, send(bytes) {}
                return
            case .drip(let text, let pause):
                while true {
                    for byte in text.utf8 {
                        guard send([byte]) else { return }
                        Self.sleep(milliseconds: pause)
                    }
                    if text.isEmpty { return }
                }
            case .wait(let pause): Self.sleep(milliseconds: pause)
            case .reset:
                var abrupt = linger(l_onoff: 1, l_linger: 0)
                unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &abrupt, socklen_t(MemoryLayout<linger>.size))
                return
            case .close: return
            case .stall:
                while fill() {}
                return
            }
        }
        while fill() { buffer = [] }
    }

    private var echo: [UInt8] {
        Array("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n".utf8) + content
    }

    private static func sleep(milliseconds: Int) { Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000) }

    private var request: ScriptedRequest {
        ScriptedRequest(port: port, connection: number, head: head, content: String(decoding: content, as: UTF8.self))
    }

    private mutating func readHead() -> Bool {
        let end = Array("\r\n\r\n".utf8)
        var found: Int?
        while true {
            found = buffer.indices.first { buffer[$0...].starts(with: end) }
            if found != nil { break }
            guard fill() else { return false }
        }
        guard let head = found.flatMap({ take($0) }), take(end.count) != nil else { return false }
        self.head = String(decoding: head, as: UTF8.self)
        content = []
        return true
    }

    /// The value of a field of the head, in lower case.
    private func field(_ name: String) -> String? {
        head.split(separator: "\r\n").lazy.compactMap { line -> String? in
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts.first?.lowercased() == name else { return nil }
            return parts.last?.trimmingCharacters(in: .whitespaces).lowercased()
        }.first
    }

    private mutating func readContent() -> Bool {
        guard field("transfer-encoding") == "chunked" else {
            guard let content = take(max(0, field("content-length").flatMap { Int($0) } ?? 0)) else { return false }
            self.content = content
            return true
        }
        while true {
            var line: [UInt8] = []
            while !line.ends(with: "\r\n".utf8) {
                guard let byte = take(1) else { return false }
                line += byte
            }
            let digits = String(decoding: line.dropLast(2), as: UTF8.self)
            guard let size = Int(digits, radix: 16), size >= 0, let chunk = take(size), take(2) != nil else {
                return false
            }
            if size == 0 { return true }
            content += chunk
        }
    }

    /// The next bytes; nil when the connection ends before there are enough.
    private mutating func take(_ count: Int) -> [UInt8]? {
        while buffer.count < count { guard fill() else { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer.prefix(count))
    }

    private mutating func fill() -> Bool {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe recv(socket, &chunk, chunk.count, 0)
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
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe systemSend(socket, $0.baseAddress, $0.count, flags)
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

// Inside the types above, these names would refer to the types' own members.
private func systemSocket(_ domain: Int32, _ kind: Int32, _ number: Int32) -> Int32 { socket(domain, kind, number) }
private func systemAccept(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }
private func systemSend(_ socket: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    unsafe send(socket, bytes, count, flags)
}

extension Array where Element == UInt8 {
    fileprivate func ends(with end: String.UTF8View) -> Bool { suffix(end.count).elementsEqual(end) }
}

extension Array {
    fileprivate subscript(safely index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

import Foundation
import Testing

/// What a server does on one connection, step by step. It reads nothing that it is not told to read.
enum Step: Sendable {
    /// Reads a request: its head, and content of the announced length.
    case read
    /// Reads so many bytes.
    case readBytes(Int)
    case send(String)
    /// Sends bytes that are no text.
    case bytes([UInt8])
    /// Sends the text over and over, as fast as it is taken.
    case flood(String)
    /// Sends the text over and over, one byte in so many milliseconds.
    case drip(String, milliseconds: Int)
    case wait(milliseconds: Int)
    case close
    /// Ends the connection with a reset.
    case reset
    /// Does nothing until the client has gone.
    case stall
    /// Answers with the content that was read last.
    case echo

    fileprivate var json: [Any] {
        switch self {
        case .read: ["read"]
        case .readBytes(let count): ["bytes", count]
        case .send(let text): ["send", Array(text.utf8).map(Int.init)]
        case .bytes(let bytes): ["send", bytes.map(Int.init)]
        case .flood(let text): ["flood", Array(text.utf8).map(Int.init)]
        case .drip(let text, let pause): ["drip", Array(text.utf8).map(Int.init), pause]
        case .wait(let pause): ["wait", pause]
        case .close: ["close"]
        case .reset: ["reset"]
        case .stall: ["stall"]
        case .echo: ["echo"]
        }
    }
}

/// A server in Python that follows a script on each connection: the first one on the first, and so on; the last one on all others.
final class ScriptedPeer: Sendable {
    private let python: PythonProcess
    /// One for each set of scripts.
    var ports: [Int] { python.ports }

    /// - Parameter sets: each has a port of its own.
    init(_ sets: [[[Step]]]) throws {
        let json = try JSONSerialization.data(withJSONObject: sets.map { $0.map { $0.map(\.json) } })
        python = try PythonProcess(Self.program, files: ["script.json": String(decoding: json, as: UTF8.self)])
    }

    /// What was read at a port: the number of the connection, the request line, and what came as content.
    func requests(at port: Int) throws -> [String] {
        try python.log.filter { $0.hasPrefix("\(port) ") }.map { String($0.dropFirst("\(port) ".count)) }
    }

    private static let program = #"""
        import json, selectors, socket, struct, time
        folder = sys.argv[1]
        sets = json.load(open(folder + "/script.json"))
        lock = threading.Lock()
        log = open(folder + "/log", "a")
        def note(line):
            with lock:
                log.write(line + "\n"); log.flush()
        def serve(sock, port, number, script):
            stream = sock.makefile("rb")
            body = b""
            def gone():
                while stream.read1(65536): pass
            try:
                for step in script:
                    kind = step[0]
                    if kind == "read":
                        first = stream.readline()
                        if not first: return
                        length = 0
                        while True:
                            line = stream.readline().strip().lower()
                            if not line: break
                            if line.startswith(b"content-length:"): length = int(line[15:])
                        body = stream.read(length)
                        note("%d %d %s %s" % (port, number, first.decode("latin-1").strip(), body.decode("latin-1")))
                    elif kind == "bytes": stream.read(step[1])
                    elif kind == "send": sock.sendall(bytes(step[1]))
                    elif kind == "echo":
                        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                    elif kind == "flood":
                        data = bytes(step[1]) * max(1, 65536 // len(step[1]))
                        while True: sock.sendall(data)
                    elif kind == "drip":
                        while True:
                            for byte in step[1]:
                                sock.sendall(bytes([byte])); time.sleep(step[2] / 1000)
                    elif kind == "wait": time.sleep(step[1] / 1000)
                    elif kind == "reset":
                        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                        return
                    elif kind == "stall": gone(); return
                    elif kind == "close": return
                gone()
            except OSError: pass
            finally:
                stream.close(); sock.close()
        listeners = selectors.DefaultSelector()
        ports = []
        for scripts in sets:
            listener = socket.create_server(("127.0.0.1", 0), backlog=512)
            ports.append(listener.getsockname()[1])
            listeners.register(listener, selectors.EVENT_READ, [ports[-1], 0, scripts])
        print(*ports, flush=True)
        while True:
            for key, _ in listeners.select():
                port, number, scripts = key.data
                sock, _ = key.fileobj.accept()
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                script = scripts[min(number, len(scripts) - 1)]
                key.data[1] = number + 1
                threading.Thread(target=serve, args=(sock, port, number + 1, script), daemon=True).start()
        """#
}

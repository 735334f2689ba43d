import Foundation
import SignetTLS

/// An origin and a proxy in one, of another make: it asks for what the name of a host, or the first part of a path,
/// tells it to ask for (`c7-basic-none`: case 7, the origin asks with `basic`, the proxy does not), lets in every
/// client that gives anything, and writes down what came out that is made of a password.
final class SecrecyPeer: Sendable {
    private let python: PythonProcess
    var plainPort: Int { python.ports[0] }
    var securePort: Int { python.ports[1] }

    /// - Parameter challenges: the lines of a challenge by the word that asks for it.
    init(_ identity: Identity, challenges: [String: [String]]) throws {
        func pem(_ type: String, _ der: [UInt8]) -> String {
            let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            return "-----BEGIN \(type)-----\n\(text)\n-----END \(type)-----\n"
        }
        let json = String(decoding: try JSONEncoder().encode(challenges), as: UTF8.self)
        python = try PythonProcess(
            Self.script,
            files: [
                "challenges.json": json,
                "identity.pem": identity.chain.map { pem("CERTIFICATE", $0.der) }.joined()
                    + pem("PRIVATE KEY", identity.privateKey?.pkcs8 ?? []),
            ])
    }

    /// What came out, by case: words such as `origin digest`.
    var findings: [Int: Set<String>] {
        get throws {
            try python.log.reduce(into: [:]) { result, line in
                let words = line.split(separator: " ", maxSplits: 1)
                guard let number = words.first.flatMap({ Int($0) }), let what = words.last else { return }
                result[number, default: []].insert(String(what))
            }
        }
    }

    private static let script = #"""
        import base64, json, socket, ssl, sys, threading
        folder = sys.argv[1]
        challenges = json.load(open(folder + "/challenges.json"))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder + "/identity.pem")
        lock = threading.Lock()
        log = open(folder + "/log", "a")
        def note(case, role, what):
            with lock:
                log.write("%s %s %s\n" % (case, role, what)); log.flush()

        # The server's message of NTLM, with a time, and the same within SPNEGO.
        pairs = b"\x02\x00\x02\x00D\x00" + b"\x07\x00\x08\x00" + bytes(range(8)) + b"\x00\x00\x00\x00"
        flags = 0x1 | 0x4 | 0x10 | 0x200 | 0x8000 | 0x80000 | 0x800000
        ntlm = (b"NTLMSSP\x00\x02\x00\x00\x00" + bytes(8) + flags.to_bytes(4, "little") + b"noncenon" + bytes(8)
                + len(pairs).to_bytes(2, "little") * 2 + (48).to_bytes(4, "little") + pairs)
        def der(tag, content):
            n = len(content)
            return bytes([tag]) + (bytes([n]) if n < 128 else b"\x82" + n.to_bytes(2, "big")) + content
        oid = der(6, bytes([0x2b, 6, 1, 4, 1, 0x82, 0x37, 2, 2, 10]))
        spnego = der(0xa1, der(0x30, der(0xa0, b"\x0a\x01\x01") + der(0xa1, oid) + der(0xa2, der(4, ntlm))))
        second = {"ntlm": "NTLM " + base64.b64encode(ntlm).decode(), "negotiate": "Negotiate " + base64.b64encode(spnego).decode()}

        def judge(value):
            """What is made of a password in a field, and whether it is the first word of a handshake only."""
            scheme, _, rest = value.partition(" ")
            scheme = scheme.lower()
            if scheme not in second: return scheme, False
            raw = base64.b64decode(rest)
            return (scheme, False) if b"NTLMSSP\x00\x03" in raw else (None, True)

        class Connection:
            def __init__(self, sock): self.sock, self.buffer, self.passed = sock, b"", {"origin": False, "proxy": False}
            def request(self):
                while b"\r\n\r\n" not in self.buffer:
                    more = self.sock.recv(65536)
                    if not more: return None
                    self.buffer += more
                head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
                lines = head.decode("latin-1").split("\r\n")
                fields = {}
                for line in lines[1:]:
                    name, _, value = line.partition(":")
                    fields[name.lower()] = value.strip()
                length = int(fields.get("content-length", "0"))
                while len(self.buffer) < length: self.buffer += self.sock.recv(65536)
                body, self.buffer = self.buffer[:length], self.buffer[length:]
                return lines[0].split(" "), fields, body
            def answer(self, status, lines=(), body=b""):
                head = "HTTP/1.1 %d X\r\nContent-Length: %d\r\n%s\r\n" % (status, len(body), "".join(l + "\r\n" for l in lines))
                self.sock.sendall(head.encode() + body)
            def passes(self, case, role, word, fields):
                """Asks for credentials; true when they are there."""
                status, question, field = {
                    "origin": (401, "WWW-Authenticate", "authorization"), "proxy": (407, "Proxy-Authenticate", "proxy-authorization")}[role]
                begins = False
                # Whatever is sent is written down, wanted or not.
                if field in fields:
                    what, begins = judge(fields[field])
                    if what:
                        note(case, role, what)
                        self.passed[role] = True
                if word == "none" or (field in fields and not begins): return True
                if word in second and self.passed[role]: return True
                lines = [second[word]] if begins else challenges[word]
                self.answer(status, [question + ": " + line for line in lines])
                return False

        def tag(target, host):
            name = host.split(".")[0] if host.split(":")[0].endswith(".test.example") else target.split("/")[1]
            case, origin, proxy = name.split("-")
            return case[1:], origin, proxy

        envelope = b'<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><Echo xmlns="urn:echo"/></s:Body></s:Envelope>'
        def serve(sock, secured):
            try:
                if secured: sock = context.wrap_socket(sock, server_side=True)
                connection = Connection(sock)
                inside = False
                while True:
                    read = connection.request()
                    if not read: return
                    (method, target, _), fields, body = read
                    if method == "CONNECT":
                        case, _, proxy = tag("", target)
                        if "authorization" in fields: note(case, "stranger", "authorization")
                        if not connection.passes(case, "proxy", proxy, fields): continue
                        sock.sendall(b"HTTP/1.1 200 Go\r\n\r\n")
                        sock = context.wrap_socket(sock, server_side=True)
                        connection, inside = Connection(sock), True
                        continue
                    host = fields["host"]
                    path = "/" + target.split("/", 3)[3] if "://" in target else target
                    case, origin, proxy = tag(path, host)
                    if "://" in target:
                        if not connection.passes(case, "proxy", proxy, fields): continue
                    elif "proxy-authorization" in fields: note(case, "stranger", "proxy-authorization")
                    if b":Password" in body: note(case, "origin", "wss")
                    if not connection.passes(case, "origin", origin, fields): continue
                    connection.answer(200, ["Content-Type: text/xml; charset=utf-8"], envelope)
            except (OSError, ValueError, IndexError): pass
            finally: sock.close()
        def accept(listener, secured):
            while True:
                sock, _ = listener.accept()
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=serve, args=(sock, secured), daemon=True).start()
        listeners = [socket.create_server(("127.0.0.1", 0), backlog=512) for _ in range(2)]
        threading.Thread(target=accept, args=(listeners[0], False), daemon=True).start()
        print(*[listener.getsockname()[1] for listener in listeners], flush=True)
        accept(listeners[1], True)
        """#
}

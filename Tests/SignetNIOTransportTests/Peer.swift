import Foundation
import SignetTLS
import Testing

/// A server of another make, Python's, on the loopback address. What it does is chosen by the path of a request; what
/// it saw is written down before it answers.
final class Peer: Sendable {
    /// What came in on one connection: a handshake, a request or the end.
    struct Event: Decodable {
        var event: String
        var connection: Int
        var method: String?
        var path: String?
        var fields: [String: String]?
        var body: String?
        var certificate: String?
        var error: String?
        /// TLS handshake messages read from the client, by number.
        var messages: [Int]?
        var cipher: String?
        var version: String?
        var serverName: String?
    }

    enum ClientCertificate: String { case none, optional, required }

    private let python: PythonProcess
    var port: Int { python.ports[0] }

    init(
        identity: Identity? = nil, clients: ClientCertificate = .none, authority: CertificateBundle? = nil,
        version: String = "", address: String = "127.0.0.1", port wanted: Int = 0
    ) throws {
        var files: [String: String] = [:]
        if let identity {
            files["identity.pem"] =
                identity.chain.map { Self.pem("CERTIFICATE", $0.der) }.joined()
                + Self.pem("PRIVATE KEY", identity.privateKey?.pkcs8 ?? [])
        }
        if let authority {
            files["authority.pem"] = authority.certificates.map { Self.pem("CERTIFICATE", $0.der) }.joined()
        }
        python = try PythonProcess(
            Self.script, files: files,
            arguments: [identity == nil ? "plain" : "tls", clients.rawValue, version, address, "\(wanted)"])
    }

    var events: [Event] {
        get throws {
            try python.log.map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
        }
    }

    var requests: [Event] { get throws { try events.filter { $0.event == "request" } } }

    private static func pem(_ type: String, _ der: [UInt8]) -> String {
        let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(type)-----\n\(text)\n-----END \(type)-----\n"
    }

    private static let script = #"""
        import base64, json, os, socket, ssl, struct, sys, threading
        folder, kind, clients, version, address, port = sys.argv[1:7]
        lock = threading.Lock()
        log = open(folder + "/log", "a")
        def note(**event):
            with lock:
                log.write(json.dumps(event) + "\n"); log.flush()
        context = None
        if kind == "tls":
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(folder + "/identity.pem")
            if version == "1.2": context.maximum_version = ssl.TLSVersion.TLSv1_2
            if version == "1.3": context.minimum_version = ssl.TLSVersion.TLSv1_3
            if version == "cbc":
                context.maximum_version = ssl.TLSVersion.TLSv1_2
                context.set_ciphers("ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0")
            if version == "retry": context.set_ecdh_curve("secp384r1")
            if clients != "none":
                context.verify_mode = ssl.CERT_OPTIONAL if clients == "optional" else ssl.CERT_REQUIRED
                context.load_verify_locations(folder + "/authority.pem")
        # All connections share the context, and each has a thread: what its callbacks find is kept by thread.
        here = threading.local()
        def message(conn, direction, version, content, kind, data):
            if direction == "read" and int(content) == 22: here.seen.append(int(kind))
        def server_name(s, name, c): here.name[0] = name
        if context:
            context._msg_callback = message
            context.sni_callback = server_name
        def serve(sock, number):
            secured = sock
            subject = None
            if context:
                seen = here.seen = []
                name = here.name = [None]
                try:
                    secured = context.wrap_socket(sock, server_side=True)
                    der = secured.getpeercert(True)
                    if der:
                        cert = secured.getpeercert()
                        subject = dict(x[0] for x in cert["subject"]).get("commonName") if cert else "unread"
                    note(event="handshake", connection=number, messages=seen, certificate=subject,
                         cipher=secured.cipher()[0], version=secured.version(), serverName=name[0])
                except Exception as error:
                    note(event="refused", connection=number, messages=seen, error=str(error), serverName=name[0])
                    sock.close(); return
            stream = secured.makefile("rb")
            def send(text, end=b""):
                secured.sendall(text.encode("latin-1") + end)
            def answer(status, body=b"", fields=""):
                send("HTTP/1.1 %s\r\nContent-Length: %d\r\n%s\r\n" % (status, len(body), fields), body)
            try:
                while True:
                    line = stream.readline()
                    if not line: break
                    method, path, _ = line.decode().split(" ")
                    fields = {}
                    while True:
                        line = stream.readline().decode("latin-1").rstrip("\r\n")
                        if not line: break
                        name, value = line.split(":", 1)
                        fields[name.lower()] = value.strip()
                    body = stream.read(int(fields.get("content-length", "0")))
                    note(event="request", connection=number, method=method, path=path, fields=fields,
                         body=body.decode("latin-1")[:100], certificate=subject)
                    if path == "/ok": answer("200 OK", b"hello " + body)
                    elif path == "/who": answer("200 OK", (subject or "nobody").encode())
                    elif path == "/connection": answer("200 OK", str(number).encode())
                    elif path == "/chunked":
                        send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n")
                        send("4\r\ndefg\r\n0\r\nTrailer: t\r\n\r\n")
                    elif path == "/kept": answer("200 OK", b"kept", "Keep-Alive: timeout=2, max=100\r\n")
                    elif path.startswith("/kept/"):
                        answer("200 OK", str(number).encode(), "Keep-Alive: " + base64.b16decode(path[6:]).decode() + "\r\n")
                    elif path == "/limited":
                        # A server that closes idle connections and does not say so beforehand.
                        answer("200 OK", b"limited"); sock.settimeout(1.2); secured.settimeout(1.2)
                    elif path == "/close":
                        answer("200 OK", b"last", "Connection: close\r\n"); break
                    elif path == "/leave":
                        answer("200 OK", b"left"); break
                    elif path == "/eof":
                        send("HTTP/1.1 200 OK\r\n\r\nuntil the end"); break
                    elif path == "/half":
                        send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789"); break
                    elif path == "/halfchunked":
                        send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"); break
                    elif path == "/drop": break
                    elif path == "/parthead":
                        send("HTTP/1.1 20"); break
                    elif path in ("/fault", "/faultinside"):
                        # A record of TLS that was not made with the keys of the connection.
                        if path == "/faultinside": send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789")
                        os.write(secured.fileno(), b"\x17\x03\x03\x00\x40" + b"x" * 64); stream.readline()
                    elif path.startswith("/bare/"):
                        import zlib
                        answer("200 OK", zlib.compress(b"a" * int(path[6:]), wbits=-15), "Content-Encoding: deflate\r\n")
                    elif path.startswith("/coded/"):
                        import gzip, zlib
                        plain = b"hello " * 10000
                        kind = path[7:]
                        coded = {"gzip": gzip.compress(plain), "deflate": zlib.compress(plain), "wrong": plain,
                                 "x-gzip": gzip.compress(plain), "bare": zlib.compress(plain, wbits=-15), "stored": zlib.compress(plain, 0, wbits=-15),
                                 "bare-half": zlib.compress(plain, wbits=-15)[:40], "bare-more": zlib.compress(plain, wbits=-15) + b"evil",
                                 "br": b"\x0b", "twice": gzip.compress(gzip.compress(plain)), "empty": b"",
                                 "half": gzip.compress(plain)[:40], "more": gzip.compress(plain) + b"evil", "identity": plain,
                                 "bomb": gzip.compress(b"x" * 20000000)}[kind]
                        name = {"deflate": "deflate", "bare": "DEFLATE", "stored": "deflate", "bare-half": "deflate", "bare-more": "deflate",
                                "x-gzip": "X-GZIP", "br": "br", "twice": "gzip, gzip", "empty": "br"}.get(kind, "gzip")
                        answer("200 OK", b"" if method == "HEAD" else coded, "Content-Encoding: " + name + "\r\n" if kind != "identity" else "")
                    elif path == "/silent": stream.readline()
                    elif path == "/slow":
                        import time
                        time.sleep(0.4); answer("200 OK", b"slow")
                    elif path == "/stall":
                        send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n0123456789"); stream.readline()
                    elif path == "/drip":
                        send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
                        import time
                        while True:
                            send("x"); time.sleep(0.02)
                    elif path == "/large": answer("200 OK", b"x" * 1000001)
                    elif path == "/largechunked":
                        send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                        for _ in range(101): send("2710\r\n" + "x" * 10000 + "\r\n")
                        send("0\r\n\r\n")
                    elif path == "/fields": answer("200 OK", b"", "X: " + "x" * 200000 + "\r\n")
                    elif path == "/manyfields": answer("200 OK", b"", "".join("X%d: y\r\n" % i for i in range(5000)))
                    elif path == "/garbage": send("SSH-2.0-OpenSSH_9.2\r\n\r\n")
                    elif path.startswith("/fields/"): answer("200 OK", b"", "".join("X%d: y\r\n" % i for i in range(int(path[8:]))))
                    elif path == "/folded": answer("200 OK", b"", "X: a\r\n b\r\n")
                    elif path == "/spacedcolon": answer("200 OK", b"", "X : a\r\n")
                    elif path == "/spacedchunk": send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5 \r\nhello\r\n0\r\n\r\n")
                    elif path == "/gzipchunks": send("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
                    elif path == "/badlength": send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello")
                    elif path == "/negative": send("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n")
                    elif path == "/both": send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
                    elif path == "/extra": send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
                    elif path == "/interim":
                        send("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"); answer("200 OK", b"final")
                    elif path == "/204": send("HTTP/1.1 204 No Content\r\n\r\n")
                    elif path == "/304": send("HTTP/1.1 304 Not Modified\r\nContent-Length: 50\r\n\r\n")
                    elif path == "/redirect": answer("302 Found", b"", "Location: /ok\r\n")
                    elif path == "/500": answer("500 Internal Server Error", b"fault")
                    elif path == "/head":
                        send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + ("" if method == "HEAD" else "hello"))
                    elif path == "/407": answer("407 Proxy Authentication Required", b"", "Proxy-Authenticate: Basic realm=\"p\"\r\n")
                    elif path == "/negotiate": answer("401 Unauthorized", b"", "WWW-Authenticate: Negotiate\r\n")
                    elif path.startswith("/refused/"):
                        if "authorization" not in fields: challenge = "Basic realm=\"r\""
                        else: challenge = {"unsaid": None, "malformed": "Basic realm=\"", "unknown": "Digest realm=\"r\""}[path[9:]]
                        answer("401 Unauthorized", b"", "WWW-Authenticate: " + challenge + "\r\n" if challenge else "")
                    elif path.startswith("/status/") and "authorization" in fields: answer(path[8:] + " Status")
                    elif path.startswith("/private") or path.startswith("/status/"):
                        right = "Basic " + base64.b64encode(b"service:right").decode()
                        if fields.get("authorization") == right: answer("200 OK", b"secret")
                        elif path == "/private/closing":
                            answer("401 Unauthorized", b"no", "Connection: close\r\nWWW-Authenticate: Basic realm=\"r\"\r\n"); break
                        else: answer("401 Unauthorized", b"no", "WWW-Authenticate: Negotiate\r\nWWW-Authenticate: Basic realm=\"r\"\r\n")
                    else: answer("404 Not Found")
            except (OSError, ValueError) as error:
                note(event="broken", connection=number, error=str(error))
            try:
                if context: secured.unwrap()
            except (OSError, ValueError): pass
            note(event="end", connection=number)
            try:
                secured.shutdown(socket.SHUT_RDWR)
            except OSError: pass
            secured.close()
        listener = socket.create_server((address, int(port)), family=socket.AF_INET6 if ":" in address else socket.AF_INET, backlog=128)
        print(listener.getsockname()[1], flush=True)
        number = 0
        while True:
            sock, _ = listener.accept()
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            number += 1
            threading.Thread(target=serve, args=(sock, number), daemon=True).start()
        """#
}

import Foundation
import SignetTLS
import Testing

/// A server of HTTP/2 of another make, Python's h2, on the loopback address; it also speaks HTTP/1.1. What it does is
/// chosen by the path of a request; what it processed is written down before it answers.
final class HTTP2Peer: Sendable {
    struct Event: Decodable {
        var event: String
        var connection: Int
        /// `1.1` or `2`.
        var version: String
        var stream: Int?
        var method: String?
        var path: String?
        var fields: [String: String]?
        var body: String?
        /// The subject's common name of the client's certificate.
        var certificate: String?
        /// Of an RST_STREAM from the client.
        var code: Int?
        /// How many connections have begun.
        var connections: Int?
    }

    struct Options: Encodable {
        var protocols = ["h2", "http/1.1"]
        var clients = "none"
        var maximumStreams: Int? = 100
        /// How much of a request's content the server takes ahead on a stream.
        var window = 65_535
        /// After how many requests a connection ends with GOAWAY; nil for never.
        var requests: Int?
        /// The server ends each connection with this code instead of taking requests.
        var firstGoAway: Int?
    }

    private let python: PythonProcess
    var port: Int { python.ports[0] }

    init(_ identity: Identity, authority: CertificateBundle, options: Options = .init()) throws {
        var files = ["authority.pem": authority.certificates.map { Self.pem("CERTIFICATE", $0.der) }.joined()]
        files["identity.pem"] =
            identity.chain.map { Self.pem("CERTIFICATE", $0.der) }.joined()
            + Self.pem("PRIVATE KEY", identity.privateKey?.pkcs8 ?? [])
        files["options.json"] = String(decoding: try JSONEncoder().encode(options), as: UTF8.self)
        python = try PythonProcess(Self.script + Self.hostile + Self.main, files: files, python: "/usr/bin/python3")
    }

    func url(_ path: String) -> String { "https://localhost:\(port)\(path)" }

    var events: [Event] {
        get throws { try python.log.map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) } }
    }

    /// The requests that it processed.
    var requests: [Event] { get throws { try events.filter { $0.event == "request" } } }

    private static func pem(_ type: String, _ der: [UInt8]) -> String {
        let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN \(type)-----\n\(text)\n-----END \(type)-----\n"
    }

    private static let script = #"""

        import asyncio, json, ssl, struct
        import h2.config, h2.connection, h2.events, h2.exceptions, h2.settings

        folder = sys.argv[1]
        options = json.load(open(folder + "/options.json"))
        output = open(folder + "/log", "a", buffering=1)
        connections = 0
        counts = {}
        gates = {}

        def note(event, connection, **values):
            print(json.dumps({"event": event, "connection": connection.number, "version": connection.version,
                              **values}), file=output)

        def common_name(writer):
            certificate = writer.get_extra_info("peercert") or {}
            for part in certificate.get("subject", ()):
                for name, value in part:
                    if name == "commonName":
                        return value

        class Connection:
            """A connection of HTTP/2."""
            version = "2"

            def __init__(self, number, reader, writer):
                self.number, self.reader, self.writer = number, reader, writer
                configuration = h2.config.H2Configuration(client_side=False, header_encoding="utf-8",
                    validate_outbound_headers=False, normalize_outbound_headers=False)
                self.h2 = h2.connection.H2Connection(config=configuration)
                values = {h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: options["window"]}
                if options.get("maximumStreams") is not None:
                    values[h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS] = options["maximumStreams"]
                self.h2.local_settings = h2.settings.Settings(client=False, initial_values=values)
                self.streams, self.bodies = {}, {}
                self.windows = asyncio.Event()
                self.processed, self.isEnding = 0, False
                self.held = set()

            def flush(self):
                self.writer.write(self.h2.data_to_send())

            def raw(self, kind, flags, stream, payload=b"", length=None):
                length = len(payload) if length is None else length
                self.flush()
                self.writer.write(struct.pack(">I", length)[1:] + bytes([kind, flags])
                                  + struct.pack(">I", stream) + payload)

            async def run(self):
                self.h2.initiate_connection()
                self.flush()
                if options.get("firstGoAway") is not None:
                    self.end(0, options["firstGoAway"])
                try:
                    while data := await self.reader.read(65536):
                        for event in self.h2.receive_data(data):
                            self.handle(event)
                        self.flush()
                except (h2.exceptions.ProtocolError, ConnectionError, ssl.SSLError):
                    pass
                finally:
                    note("end", self)
                    self.writer.close()

            def handle(self, event):
                if isinstance(event, h2.events.RequestReceived):
                    fields = dict(event.headers)
                    self.streams[event.stream_id], self.bodies[event.stream_id] = fields, bytearray()
                    path = fields[":path"]
                    if path.startswith("/early/"):
                        self.answer(event.stream_id, path.split("/")[2], b"early")
                        self.h2.reset_stream(event.stream_id, 0)
                    elif path == "/hold":
                        self.held.add(event.stream_id)
                    elif fields.get("expect") == "100-continue" and path != "/refused-content":
                        self.h2.send_headers(event.stream_id, [(":status", "100")])
                    elif path == "/refused-content":
                        self.answer(event.stream_id, "413", b"too large")
                elif isinstance(event, h2.events.DataReceived):
                    self.bodies[event.stream_id] += event.data
                    if event.stream_id not in self.held and event.flow_controlled_length:
                        self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                elif isinstance(event, h2.events.StreamEnded):
                    asyncio.ensure_future(self.process(event.stream_id))
                elif isinstance(event, h2.events.StreamReset):
                    note("reset", self, stream=event.stream_id, code=int(event.error_code))
                    self.windows.set()
                elif isinstance(event, h2.events.WindowUpdated):
                    self.windows.set()

            def answer(self, stream, status, body=b"", more=(), head=None):
                fields = head or [(":status", status), ("content-length", str(len(body)))]
                self.h2.send_headers(stream, fields + list(more), end_stream=not body)
                if body:
                    self.h2.send_data(stream, body, end_stream=True)

            async def send(self, stream, body, end=True):
                """Sends content as the client's windows allow."""
                while body:
                    size = min(self.h2.local_flow_control_window(stream), self.h2.max_outbound_frame_size, len(body))
                    if size <= 0:
                        self.windows.clear()
                        await self.windows.wait()
                        continue
                    self.h2.send_data(stream, body[:size])
                    body = body[size:]
                    self.flush()
                    await self.writer.drain()
                if end:
                    self.h2.end_stream(stream)

            async def process(self, stream):
                fields, body = self.streams.pop(stream), bytes(self.bodies.pop(stream))
                parts = fields[":path"].split("/")[1:]
                if self.isEnding and stream > self.last:
                    return
                try:
                    if not await self.refuse(stream, parts, fields):
                        self.processed += 1
                        note("request", self, stream=stream, method=fields[":method"], path=fields[":path"],
                             fields=fields, body=body.decode("utf-8", "replace"), certificate=common_name(self.writer))
                        if self.processed == options.get("requests"):
                            self.end(stream)
                        await self.respond(stream, parts, fields, body)
                except (h2.exceptions.ProtocolError, KeyError, ConnectionError):
                    pass
                self.flush()
                if self.isEnding and not self.h2.open_inbound_streams:
                    await asyncio.sleep(0.05)
                    self.writer.close()

            def end(self, last, code=0):
                self.raw(7, 0, 0, struct.pack(">II", last, code))
                self.isEnding, self.last = True, last

            async def refuse(self, stream, parts, fields):
                """Ends a request without processing it."""
                path = fields[":path"]
                counts[path] = counts.get(path, 0) + 1
                if parts[0] == "refuse" and counts[path] <= int(parts[1]):
                    self.h2.reset_stream(stream, 7)
                elif parts[0] == "http11":
                    self.h2.reset_stream(stream, 13)
                elif parts[0] == "goaway-below" and counts[path] <= int(parts[2]):
                    self.end(max(0, stream - 2), int(parts[1]))
                else:
                    return False
                return True

            async def respond(self, stream, parts, fields, body):
                what = parts[0]
                if what == "echo":
                    self.h2.send_headers(stream, [(":status", "200"), ("content-length", str(len(body)))],
                                         end_stream=not body)
                    if body:
                        await self.send(stream, body)
                elif what == "wait":
                    await asyncio.sleep(int(parts[1]) / 1000)
                    self.answer(stream, "200", b"waited")
                elif what == "gate":
                    gate = gates.setdefault(fields[":path"], [0, asyncio.Event()])
                    gate[0] += 1
                    if gate[0] >= int(parts[1]):
                        gate[1].set()
                    await gate[1].wait()
                    self.answer(stream, "200", str(self.number).encode())
                elif what == "never":
                    pass
                elif what == "reset":
                    self.h2.reset_stream(stream, int(parts[1]))
                elif what == "reset-late":
                    self.h2.send_headers(stream, [(":status", "200"), ("content-length", "100")])
                    self.h2.send_data(stream, b"half")
                    self.h2.reset_stream(stream, int(parts[1]))
                elif what == "goaway":
                    self.end(stream, int(parts[1]))
                    self.answer(stream, "200", b"last")
                elif what == "close":
                    self.writer.transport.abort()
                elif what == "big":
                    self.h2.send_headers(stream, [(":status", "200")])
                    await self.send(stream, bytes(int(parts[1])))
                elif what == "interim":
                    for _ in range(int(parts[1])):
                        self.h2.send_headers(stream, [(":status", "103"), ("link", "</style.css>")])
                    self.answer(stream, "200", b"final")
                elif what == "trailers":
                    self.h2.send_headers(stream, [(":status", "200"), ("content-type", "text/plain")])
                    self.h2.send_data(stream, b"with trailers")
                    self.h2.send_headers(stream, [("x-sum", "1")], end_stream=True)
                elif what == "fields":
                    more = [("x-%d" % index, "v" * int(parts[2])) for index in range(int(parts[1]))]
                    self.answer(stream, "200", b"fields", more)
                elif what == "length":
                    self.answer(stream, "200", b"12345", head=[(":status", "200"), ("content-length", parts[1])])
                elif what == "gzip":
                    import gzip
                    self.answer(stream, "200", gzip.compress(b"unpacked"), [("content-encoding", "gzip")])
                elif what in ("basic", "ntlm", "negotiate"):
                    scheme = {"basic": 'Basic realm="peer"', "ntlm": "NTLM", "negotiate": "Negotiate"}[what]
                    given = fields.get("authorization", "").startswith("Basic ")
                    self.answer(stream, "200" if given else "401", b"x",
                                [] if given else [("www-authenticate", scheme)])
                elif what == "settings":
                    self.h2.update_settings({h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: int(parts[1])})
                    self.answer(stream, "200", b"set")
                elif what == "hostile":
                    await hostile(self, stream, parts[1])
                else:
                    self.answer(stream, "200", b"ok")

        class OldConnection:
            """A connection of HTTP/1.1, for requests with a length."""
            version = "1.1"

            def __init__(self, number, reader, writer):
                self.number, self.reader, self.writer = number, reader, writer

            async def run(self):
                try:
                    while line := await self.reader.readline():
                        method, path, _ = line.decode().split(" ")
                        fields = {}
                        while (line := await self.reader.readline()) not in (b"\r\n", b""):
                            name, value = line.decode().split(":", 1)
                            fields[name.lower()] = value.strip()
                        body = await self.reader.readexactly(int(fields.get("content-length", "0")))
                        note("request", self, method=method, path=path, fields=fields, body=body.decode(),
                             certificate=common_name(self.writer))
                        status, more = "200 OK", ""
                        if path in ("/ntlm", "/negotiate"):
                            status, more = "401 Unauthorized", "WWW-Authenticate: NTLM\r\n"
                        self.writer.write(("HTTP/1.1 %s\r\n%sContent-Length: 3\r\n\r\nold" % (status, more)).encode())
                except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError, ValueError):
                    pass
                finally:
                    self.writer.close()

        """#

    private static let main = #"""

        async def serve(reader, writer):
            global connections
            connections += 1
            chosen = writer.get_extra_info("ssl_object").selected_alpn_protocol()
            kind = Connection if chosen == "h2" else OldConnection
            connection = kind(connections, reader, writer)
            note("connection", connection, connections=connections, certificate=common_name(writer))
            await connection.run()

        async def main():
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(folder + "/identity.pem")
            context.set_alpn_protocols(options["protocols"])
            if options["clients"] != "none":
                context.load_verify_locations(folder + "/authority.pem")
                context.verify_mode = ssl.CERT_REQUIRED if options["clients"] == "required" else ssl.CERT_OPTIONAL
            asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
            server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context, limit=1 << 20)
            print(server.sockets[0].getsockname()[1], flush=True)
            async with server:
                await server.serve_forever()

        asyncio.run(main())
        """#
}

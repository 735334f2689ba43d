import GreetingService
import SignetServer
import SignetTesting
import Synchronization
import Testing

/// Clients that try to exhaust a server over HTTP/2. Each loses its connection, and another client is served.
@Suite(.timeLimit(.minutes(5))) struct HTTP2HostileTests {
    private static let attacks = [
        // CVE-2023-44487.
        "rapid reset": """
        for _ in range(10):
            frames = []
            for _ in range(100):
                head = client.head()
                frames += [head, client.data(head.stream_id), RstStreamFrame(head.stream_id, error_code=8)]
            client.send(*frames)
        """,
        "CONTINUATION": """
        head = client.head(fields=[("x", "1")])
        head.flags.discard("END_HEADERS")
        client.send(head, *[ContinuationFrame(head.stream_id, b"") for _ in range(10000)])
        """,
        "endless head": """
        head = client.head()
        head.flags.discard("END_HEADERS")
        client.send(head)
        for _ in range(100):
            client.send(ContinuationFrame(head.stream_id, b"\\x00\\x01x\\x7f\\xff\\xff\\x7f" + b"1" * 16000))
        """,
        // A field of the dynamic table takes one byte each time.
        "HPACK bomb": """
        block = client.encoder.encode([("x", "1" * 4000)]) + b"\\xbe" * 16000
        head = client.head()
        head.data += block
        client.send(head)
        """,
        "SETTINGS": "client.send(*[SettingsFrame(0, settings={4: 65535}) for _ in range(10000)])",
        "HPACK table": "client.send(SettingsFrame(0, settings={1: 1 << 24}))",
        "PING": "client.send(*[PingFrame(0, b'12345678') for _ in range(10000)])",
        "PRIORITY": "client.send(*[PriorityFrame(1, depends_on=0, stream_weight=1) for _ in range(10000)])",
        "empty DATA": """
        stream = client.begin()
        client.send(*[client.data(stream, b"", end=False) for _ in range(10000)])
        """,
        "a window beyond its limit": "client.send(*[WindowUpdateFrame(0, window_increment=0x7fffffff)] * 2)",
        "no HTTP/2": "client.write(b'GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n' * 1000)",
        "a stream of the server": "client.next = 2\nclient.post()",
        "too many streams": """
        client.read(lambda: client.initial != 65535)
        client.read(seconds=0.5)
        for _ in range(101):
            client.begin()
        """,
    ]

    @Test(arguments: attacks.keys.sorted()) func anAttackEndsItsOwnConnection(name: String) async throws {
        let running = Mutex((now: 0, most: 0))
        let handler: Greeting.Handler = { input, _ in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            defer { running.withLock { $0.now -= 1 } }
            return .init(text: input.name)
        }
        try await TestServer.run(handler: handler, clients: { _ in .noCertificateRequested }) { server in
            let client = try HTTP2Client(
                server.port,
                """
                other = Client()
                print(other.answer(other.post()))
                client = Client()
                \(Self.attacks[name] ?? "")
                print(client.end())
                print(other.answer(other.post()))
                new = Client()
                print(new.answer(new.post()))
                """)
            let lines = await client.rest()
            try #require(lines.count == 4, "\(lines)")
            #expect([lines[0], lines[2], lines[3]].allSatisfy { $0 == "200 whole" }, "\(lines)")
            // GOAWAY may be lost when the server closes a connection on which more has arrived.
            #expect(lines[1] != "open" && lines[1] != "0", "\(lines)")
            #expect(running.withLock { $0.most } <= 101)
        }
    }

    /// Frames that break the rules of RFC 9113, after the sections of h2spec. Each ends its connection or its stream.
    @Test func framesThatBreakTheRules() async throws {
        try await TestServer.run(clients: { _ in .noCertificateRequested }) { server in
            let client = try HTTP2Client(
                server.port,
                #"""
                def raw(type, flags, stream, content=b"", length=None):
                    size = len(content) if length is None else length
                    return size.to_bytes(3, "big") + bytes([type, flags]) + stream.to_bytes(4, "big") + content
                def opened(*frames):
                    return lambda c: c.begin() and b"".join(frames)
                setting = lambda number, value: number.to_bytes(2, "big") + value.to_bytes(4, "big")
                cases = {
                    "4.2 a frame that is too long": opened(raw(0, 0, 1, b"x" * 20000)),
                    "4.3 a damaged head": raw(1, 5, 1, b"\xff\xff\xff\xff\xff\xff"),
                    "4.3 another frame within a head": raw(1, 1, 1, b"\x82") + raw(6, 0, 0, b"12345678"),
                    "5.1 DATA before a head": raw(0, 1, 1, b"x"), "5.1 RST_STREAM before a head": raw(3, 0, 1, b"\0\0\0\1"),
                    "5.1 WINDOW_UPDATE before a head": raw(8, 0, 1, b"\0\0\0\1"),
                    "5.1.1 a lower stream": lambda c: setattr(c, "next", 5) or c.begin() and raw(1, 5, 3, b"\x82\x86\x84"),
                    "6.1 DATA on stream 0": raw(0, 0, 0, b"x"), "6.1 padding": opened(raw(0, 8, 1, b"\x09x")),
                    "6.2 HEADERS on stream 0": raw(1, 5, 0, b"\x82"), "6.2 padding": raw(1, 13, 1, b"\x09\x82"),
                    "6.3 PRIORITY on stream 0": raw(2, 0, 0, b"\0\0\0\1\1"), "6.3 its length": opened(raw(2, 0, 1, b"\0\0\0\1")),
                    "6.4 RST_STREAM on stream 0": raw(3, 0, 0, b"\0\0\0\1"), "6.4 its length": opened(raw(3, 0, 1, b"\0\0\0")),
                    "6.5 SETTINGS on a stream": raw(4, 0, 1), "6.5 its length": raw(4, 0, 0, b"\0\1\0"),
                    "6.5 an acknowledgement with content": raw(4, 1, 0, setting(3, 9)),
                    "6.5.2 ENABLE_PUSH": raw(4, 0, 0, setting(2, 2)), "6.5.2 window": raw(4, 0, 0, setting(4, 1 << 31)),
                    "6.5.2 frame size": raw(4, 0, 0, setting(5, 16383)), "6.5.2 a huge one": raw(4, 0, 0, setting(5, 1 << 24)),
                    "6.6 PUSH_PROMISE": opened(raw(5, 4, 1, b"\0\0\0\2\x82")),
                    "6.7 PING on a stream": raw(6, 0, 1, b"12345678"), "6.7 its length": raw(6, 0, 0, b"1234567"),
                    "6.8 GOAWAY on a stream": raw(7, 0, 1, b"\0\0\0\0\0\0\0\0"),
                    "6.9 a window of 0": raw(8, 0, 0, b"\0\0\0\0"), "6.9 its length": raw(8, 0, 0, b"\0\0\1"),
                    "6.9 a window of 0 for a stream": opened(raw(8, 0, 1, b"\0\0\0\0")),
                    "6.10 CONTINUATION on stream 0": raw(9, 4, 0, b"\x82"), "6.10 alone": raw(9, 4, 1, b"\x82"),
                    "6.10 after a head": opened(raw(9, 4, 1, b"\x82")),
                    "6.10 of another stream": raw(1, 1, 1, b"\x82") + raw(9, 4, 3, b"\x82"),
                }
                for name, frames in cases.items():
                    client = Client()
                    client.write(frames(client) if callable(frames) else frames)
                    def over():
                        return any(answer.reset is not None for answer in client.answers.values())
                    if not client.read(over, seconds=3) and (not client.closed or client.goaway and client.goaway[1] == 0):
                        print(name, client.goaway)
                print(len(cases))
                client = Client()
                print(client.answer(client.post()))
                """#)
            let lines = await client.rest()
            #expect(lines == ["33", "200 whole"], "\(lines)")
        }
    }

    /// Each ends by itself, and none is taken for a call.
    @Test func oddRequestsAreNotCalls() async throws {
        let calls = Mutex(0)
        let handler: Greeting.Handler = { input, _ in
            calls.withLock { $0 += 1 }
            return .init(text: input.name)
        }
        try await TestServer.run(handler: handler, clients: { _ in .noCertificateRequested }) { server in
            let client = try HTTP2Client(
                server.port,
                """
                odd = [dict(path=""), dict(path="*"), dict(path="soap"), dict(path="/soap#x"), dict(method="CONNECT"),
                       dict(method="OPTIONS"), dict(method="PO ST"), dict(method=""), dict(fields=[("te", "gzip")]),
                       dict(fields=[("transfer-encoding", "chunked")]), dict(fields=[("upgrade", "h2c")]),
                       dict(fields=[("content-length", "3")]), dict(fields=[("content-length", "-1")]),
                       dict(fields=[("content-length", "5"), ("content-length", "6")]),
                       dict(fields=[("x", "a\\0b")]), dict(fields=[("x", "a\\r\\nb")]), dict(fields=[("", "x")]),
                       dict(fields=[("X", "upper")]), dict(fields=[(":path", "/other")]), dict(fields=[(":protocol", "x")]),
                       dict(fields=[("host", "a"), ("host", "b")])]
                for more in odd:
                    client = Client()
                    answer = client.answer(client.post(**more), seconds=5)
                    if answer.status == 200 or not (answer.ended or answer.reset is not None or client.closed):
                        print(more, answer, client.closed)
                # Trailers with a field that only heads have, and content behind the end.
                client = Client()
                stream = client.begin()
                trailers = HeadersFrame(stream, client.encoder.encode([(":path", "/x")]), flags=["END_HEADERS", "END_STREAM"])
                client.send(client.data(stream, end=False), trailers)
                print(client.answer(stream, seconds=5).status)
                stream = client.post()
                client.send(client.data(stream), client.data(stream))
                client.read(seconds=1)
                client = Client()
                print(client.answer(client.post()))
                """)
            let lines = await client.rest()
            #expect(lines.count == 2 && lines.first != "200" && lines.last == "200 whole", "\(lines)")
            #expect(calls.withLock { $0 } <= 2)
        }
    }
}

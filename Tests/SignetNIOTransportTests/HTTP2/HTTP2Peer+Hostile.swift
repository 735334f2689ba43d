extension HTTP2Peer {
    /// Answers a request with frames that break the rules of RFC 9113; the names are those of ``HostileFrames``.
    static let hostile = #"""

        def block(*fields):
            """A block of fields in HPACK, none of them in the table (RFC 7541 §6.2.2)."""
            data = b""
            for name, value in fields:
                data += b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value
            return data

        ok = b"\x88"

        async def hostile(connection, stream, name):
            raw = connection.raw
            head = lambda *fields: raw(1, 5, stream, block(*fields))
            frames = {
                "frame-too-large": lambda: raw(0, 1, stream, bytes(16385)),
                "data-on-idle-stream": lambda: raw(0, 1, 99, b"x"),
                "data-on-stream-0": lambda: raw(0, 1, 0, b"x"),
                "head-on-stream-0": lambda: raw(1, 5, 0, ok),
                "head-on-even-stream": lambda: raw(1, 5, 2, ok),
                "data-before-head": lambda: raw(0, 1, stream, b"x"),
                "reset-of-idle-stream": lambda: raw(3, 0, 99, bytes(4)),
                "reset-of-stream-0": lambda: raw(3, 0, 0, bytes(4)),
                "reset-too-short": lambda: raw(3, 0, stream, bytes(3)),
                "window-0": lambda: raw(8, 0, 0, bytes(4)),
                "window-0-of-stream": lambda: (raw(8, 0, stream, bytes(4)), raw(1, 5, stream, ok)),
                "window-overflow": lambda: raw(8, 0, 0, b"\x7f\xff\xff\xff"),
                "window-overflow-of-stream": lambda: (raw(8, 0, stream, b"\x7f\xff\xff\xff"), raw(1, 5, stream, ok)),
                "window-too-short": lambda: raw(8, 0, 0, bytes(3)),
                "settings-on-stream": lambda: raw(4, 0, stream, b""),
                "settings-of-odd-length": lambda: raw(4, 0, 0, bytes(5)),
                "settings-ack-with-content": lambda: raw(4, 1, 0, bytes(6)),
                "settings-push-2": lambda: raw(4, 0, 0, struct.pack(">HI", 2, 2)),
                "settings-window-too-large": lambda: raw(4, 0, 0, struct.pack(">HI", 4, 1 << 31)),
                "settings-window-lowered": lambda: raw(4, 0, 0, struct.pack(">HI", 4, 0)),
                "settings-large-table": lambda: raw(4, 0, 0, struct.pack(">HI", 1, 1 << 24)),
                "settings-frame-too-small": lambda: raw(4, 0, 0, struct.pack(">HI", 5, 100)),
                "ping-on-stream": lambda: raw(6, 0, stream, bytes(8)),
                "ping-too-short": lambda: raw(6, 0, 0, bytes(7)),
                "goaway-on-stream": lambda: raw(7, 0, stream, bytes(8)),
                "goaway-too-short": lambda: raw(7, 0, 0, bytes(7)),
                "continuation-alone": lambda: raw(9, 4, stream, ok),
                "continuation-of-other-stream": lambda: (raw(1, 0, stream, ok), raw(9, 4, stream + 2, b"")),
                "data-inside-head": lambda: (raw(1, 0, stream, ok), raw(0, 1, stream, b"x")),
                "push": lambda: raw(5, 4, stream, struct.pack(">I", 2) + ok),
                "padding-too-long": lambda: raw(0, 8, stream, b"\xffx"),
                "priority-too-short": lambda: raw(2, 0, stream, bytes(4)),
                "hpack-index": lambda: raw(1, 5, stream, b"\xff\xff\xff\x03"),
                "hpack-cut": lambda: raw(1, 5, stream, b"\x88\x00\x7f"),
                "hpack-table-too-large": lambda: raw(1, 5, stream, b"\x3f\xff\xff\x7f\x88"),
                "upper-case-name": lambda: head((b":status", b"200"), (b"X-Upper", b"1")),
                "connection-field": lambda: head((b":status", b"200"), (b"connection", b"close")),
                "transfer-encoding": lambda: head((b":status", b"200"), (b"transfer-encoding", b"chunked")),
                "no-status": lambda: head((b"x", b"1")),
                "two-statuses": lambda: head((b":status", b"200"), (b":status", b"500")),
                "late-status": lambda: head((b"x", b"1"), (b":status", b"200")),
                "strange-pseudo-field": lambda: head((b":status", b"200"), (b":x", b"1")),
                "request-pseudo-field": lambda: head((b":status", b"200"), (b":path", b"/")),
                "status-no-number": lambda: head((b":status", b"abc")),
                "status-101": lambda: raw(1, 4, stream, block((b":status", b"101"))),
                "line-feed-in-value": lambda: head((b":status", b"200"), (b"x", b"1\nset-cookie: a")),
                "two-heads": lambda: (raw(1, 4, stream, ok), raw(1, 5, stream, ok)),
                "trailers-without-end": lambda: (raw(1, 4, stream, ok), raw(1, 4, stream, block((b"x", b"1")))),
                "data-after-end": lambda: (raw(1, 5, stream, ok), raw(0, 1, stream, b"x")),
                "content-too-long": lambda: (raw(1, 4, stream, ok + block((b"content-length", b"1"))),
                                             raw(0, 1, stream, b"12345")),
                "ping-flood": lambda: [raw(6, 0, 0, bytes(8)) for _ in range(10000)],
                "settings-flood": lambda: [raw(4, 0, 0, b"") for _ in range(10000)],
                "empty-data-flood": lambda: (raw(1, 4, stream, ok), [raw(0, 0, stream, b"") for _ in range(10000)]),
                "continuation-flood": lambda: (raw(1, 0, stream, ok), [raw(9, 0, stream, b"") for _ in range(10000)]),
                "interim-flood": lambda: [raw(1, 4, stream, block((b":status", b"103"))) for _ in range(10000)],
                "reset-flood": lambda: [raw(3, 0, stream, bytes(4)) for _ in range(10000)],
                "priority-flood": lambda: [raw(2, 0, stream, struct.pack(">IB", 0, 1)) for _ in range(10000)],
                "large-head": lambda: [raw(1, 0, stream, ok)] + [
                    raw(9, 0, stream, block((b"x", b"v" * 120)) * 128) for _ in range(100)],
                "http1-answer": lambda: connection.writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"),
                "half-frame": lambda: (raw(1, 5, stream, b"", length=100), connection.writer.close()),
                "random": lambda: connection.writer.write(os.urandom(1000)),
            }
            frames[name]()
            connection.flush()
            await connection.writer.drain()

        """#
}

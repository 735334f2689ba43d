import GreetingService
import SignetTLS

/// A client of HTTP/2 that a test steers to the frame, made with Python's hyperframe and hpack. It trusts every server.
///
/// The script uses the class `Client`; each `print` is a line, and `wait()` waits for ``step()``.
final class HTTP2Client: Sendable {
    private let script: PythonScript
    /// Keeps the file with the client's identity.
    private let files: Curl

    init(_ port: Int, showing identity: Identity? = nil, _ script: String) throws {
        let files = try Curl()
        self.files = files
        let file = try identity.map { try files.write(try $0.pem(password: nil), "client.pem") }
        self.script = try PythonScript(
            Self.prelude + script, ["\(port)", Greeting.envelope("Ada"), file ?? ""])
    }

    /// The next line that the script prints; nil when it has ended.
    func line() async -> String? { await script.line() }

    /// The other lines that the script prints until it ends.
    func rest() async -> [String] { await script.rest() }

    func step() throws { try script.send() }

    private static let prelude = #"""
        import faulthandler, socket, ssl, sys, time
        from hpack import Decoder, Encoder
        from hyperframe.frame import *

        # A script that hangs says where.
        faulthandler.dump_traceback_later(150, exit=True)

        port, envelope, pem = int(sys.argv[1]), sys.argv[2].encode(), sys.argv[3]

        def wait():
            sys.stdin.readline()

        class Answer:
            def __init__(self):
                self.status, self.body, self.ended, self.reset = None, b"", False, None

            # The status, then how the stream ended: the code of a reset, or "whole".
            def __str__(self):
                return f"{self.status} {'whole' if self.ended else self.reset}"

        class Client:
            def __init__(self, window=65535):
                context = ssl.create_default_context()
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
                context.set_alpn_protocols(["h2"])
                if pem:
                    context.load_cert_chain(pem)
                self.socket = context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=60))
                assert self.socket.selected_alpn_protocol() == "h2"
                self.encoder, self.decoder, self.buffer = Encoder(), Decoder(), b""
                self.answers, self.next, self.goaway, self.closed = {}, 1, None, False
                self.windows, self.initial, self.answers_pings = {0: 65535}, 65535, True
                settings = SettingsFrame(0, settings={SettingsFrame.INITIAL_WINDOW_SIZE: window})
                self.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings.serialize())
                self.send(WindowUpdateFrame(0, window_increment=1 << 30))

            def write(self, data):
                self.socket.settimeout(10)
                try:
                    self.socket.sendall(data)
                except OSError:
                    self.closed = True

            def send(self, *frames):
                self.write(b"".join(frame.serialize() for frame in frames))

            def head(self, fields=(), end=False, path="/soap", authority="localhost", method="POST"):
                stream = self.next
                self.next += 2
                self.answers[stream] = Answer()
                self.windows[stream] = self.initial
                fields = [(":method", method), (":scheme", "https"), (":authority", authority), (":path", path),
                          ("content-type", "text/xml; charset=utf-8"), ("soapaction", '""'), *fields]
                frame = HeadersFrame(stream, self.encoder.encode(fields))
                frame.flags.add("END_HEADERS")
                if end:
                    frame.flags.add("END_STREAM")
                return frame

            def begin(self, **more):
                head = self.head(**more)
                self.send(head)
                return head.stream_id

            def data(self, stream, content=envelope, end=True):
                frame = DataFrame(stream, content)
                if end:
                    frame.flags.add("END_STREAM")
                return frame

            def post(self, **more):
                head = self.head(**more)
                self.send(head, self.data(head.stream_id))
                return head.stream_id

            def read(self, until=lambda: False, seconds=30):
                end = time.time() + seconds
                while not until() and not self.closed and time.time() < end:
                    self.socket.settimeout(max(0.01, end - time.time()))
                    try:
                        data = self.socket.recv(1 << 16)
                    except socket.timeout:
                        continue
                    except OSError:
                        data = b""
                    self.closed = self.closed or not data
                    self.buffer += data
                    while len(self.buffer) >= 9:
                        frame, length = Frame.parse_frame_header(memoryview(self.buffer[:9]))
                        if len(self.buffer) < 9 + length:
                            break
                        frame.parse_body(memoryview(self.buffer[9:9 + length]))
                        self.buffer = self.buffer[9 + length:]
                        self.take(frame)
                return until()

            def take(self, frame):
                answer = self.answers.get(frame.stream_id)
                if isinstance(frame, SettingsFrame) and "ACK" not in frame.flags:
                    before = self.initial
                    self.initial = frame.settings.get(SettingsFrame.INITIAL_WINDOW_SIZE, before)
                    for stream in self.answers:
                        self.windows[stream] += self.initial - before
                    self.send(SettingsFrame(0, flags=["ACK"]))
                elif isinstance(frame, PingFrame) and "ACK" not in frame.flags and self.answers_pings:
                    self.send(PingFrame(0, frame.opaque_data, flags=["ACK"]))
                elif isinstance(frame, GoAwayFrame):
                    self.goaway = (frame.last_stream_id, frame.error_code)
                elif isinstance(frame, WindowUpdateFrame):
                    self.windows[frame.stream_id] = self.windows.get(frame.stream_id, 0) + frame.window_increment
                elif isinstance(frame, RstStreamFrame) and answer:
                    answer.reset = frame.error_code
                elif isinstance(frame, HeadersFrame):
                    fields = dict(self.decoder.decode(frame.data))
                    if not fields[":status"].startswith("1"):
                        answer.status = int(fields[":status"])
                        answer.ended = "END_STREAM" in frame.flags
                elif isinstance(frame, DataFrame):
                    answer.body += frame.data
                    answer.ended = "END_STREAM" in frame.flags

            def answer(self, stream, seconds=30):
                answer = self.answers[stream]
                self.read(lambda: answer.ended or answer.reset is not None, seconds)
                return answer

            # Why the server ended the connection: the code of its GOAWAY; "open" when it has not ended it.
            def end(self, seconds=30):
                self.read(seconds=seconds)
                return self.goaway[1] if self.closed and self.goaway else "closed" if self.closed else "open"


        """#
}

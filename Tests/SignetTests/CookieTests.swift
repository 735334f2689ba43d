import Foundation
import ReferenceServices
import Signet
import Testing

/// Cookies of a server that this project did not write: Python's.
@Suite(.timeLimit(.minutes(5))) struct CookieTests {
    private static let server = """
        import http.server, os, sys, threading
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            calls = 0
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                Handler.calls += 1
                text = (self.headers["Cookie"] or "none").replace("&", "&amp;")
                body = ('<e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope"><e:Body><trackResponse '
                    'xmlns="urn:signet:example:parcels:types"><place>%s</place><at>2026-11-21T00:00:00Z</at>'
                    '</trackResponse></e:Body></e:Envelope>' % text).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/soap+xml")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Set-Cookie", "session=s%d&; HttpOnly" % Handler.calls)
                self.send_header("Set-Cookie", "other=1; Path=/elsewhere")
                self.send_header("Set-Cookie", "foreign=1; Domain=example.com")
                self.end_headers()
                self.wfile.write(body)
            def log_message(self, *arguments): pass
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        # The server ends with the tests, also when a shell stands between them.
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
        print(server.server_port, flush=True)
        server.serve_forever()
        """

    @Test func cookiesAreSentBack() async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.server]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        defer { try? input.fileHandleForWriting.close() }
        let number = process.processIdentifier
        let limit = DispatchWorkItem { kill(number, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 60, execute: limit)
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        limit.cancel()
        let port = try #require(Int(line.trimmingCharacters(in: .newlines)))

        var service = try ServiceConfiguration(
            Parcels.Ports.parcelsPort12, address: "http://127.0.0.1:\(port)/soap")
        let forgetful = Parcels.Client(service)
        for _ in 1...2 { #expect(try await forgetful.track(.init(number: "")).text == "none") }
        service.cookies = .kept
        let parcels = Parcels.Client(service)
        #expect(try await parcels.track(.init(number: "")).text == "none")
        #expect(try await parcels.track(.init(number: "")).text == "session=s3&")
        let later = parcels.with { $0.deadlines.total = .seconds(30) }
        #expect(try await later.track(.init(number: "")).text == "session=s4&")
        #expect(try await parcels.track(.init(number: "")).text == "session=s5&")
        try await forgetful.shutdown()
        try await parcels.shutdown()
    }
}

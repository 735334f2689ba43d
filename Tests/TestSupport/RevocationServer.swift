import Foundation

/// An authority that says over HTTP whether its certificates are revoked: the openssl command makes the answers and
/// lists, and a program in Python sends them. It ends when the tests end.
///
/// There are the certificates `root`, the authority `middle` below it, and any number below one of the two.
package final class RevocationServer: @unchecked Sendable {
    package struct Failure: Error, CustomStringConvertible { package let description: String }

    /// Where a certificate says that its revocation is published.
    package enum Source: String, Sendable, CaseIterable {
        case ocsp, list, ocspAndList
        /// Nowhere.
        case none
        /// An OCSP server that accepts connections and says nothing.
        case silent
        /// An OCSP server that answers with HTTP status 500.
        case failing
        /// A list of more than a megabyte.
        case large
        /// An OCSP server at a port at which nothing listens.
        case absent
        /// A list at a port at which nothing listens.
        case absentList
    }

    package let openssl: OpenSSL
    package let port: Int
    // Only touched when the process is started and when it ends, which cannot overlap; that makes the class sendable.
    private let process = Process()
    private let lifeline = Pipe()

    /// - Parameter middle: where the authority `middle` says that its own revocation is published.
    package init(middle: Source = .ocsp) throws {
        openssl = try OpenSSL()
        try openssl.write(Self.program, "server.py")
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", openssl.folder.appending(path: "server.py").path, openssl.folder.path]
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = lifeline
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n"), let byte = try output.fileHandleForReading.read(upToCount: 1),
            !byte.isEmpty
        {
            line += byte
        }
        guard let port = Int(String(decoding: line, as: UTF8.self).dropLast()) else {
            throw Failure(description: "The server of revocation did not start.")
        }
        self.port = port
        try openssl.makeRoot("root")
        try issue("middle", by: "root", "basicConstraints=critical,CA:TRUE", source: middle)
    }

    deinit {
        // The child inherits the signal mask of a worker thread, which blocks SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        openssl.remove()
    }

    /// Makes a certificate `name.pem` with its key `name.key`, and the file `name-chain.pem` with both and the
    /// certificate of `middle`.
    ///
    /// - Parameter extensions: in OpenSSL's notation.
    package func issue(
        _ name: String, by issuer: String = "middle", _ extensions: String, source: Source = .ocsp
    ) throws {
        let lines = [extensions] + Self.lines(source, of: issuer, port)
        try openssl.issue(name, by: issuer, lines.joined(separator: "\n"))
        var chain = try openssl.bytes("\(name).pem") + openssl.bytes("\(name).key")
        if issuer == "middle" { chain += try openssl.bytes("middle.pem") }
        try openssl.write(chain, "\(name)-chain.pem")
        try write(indexOf: issuer)
    }

    package func issueServer(_ name: String, by issuer: String = "middle", source: Source = .ocsp) throws {
        try issue(
            name, by: issuer, "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth", source: source)
    }

    /// From now on, `name` is revoked.
    package func revoke(_ name: String, by issuer: String = "middle") throws {
        let serial = try openssl("x509 -in \(name).pem -noout -serial").dropFirst("serial=".count)
        try openssl.write(serial + "\n", "\(name).revoked")
        try write(indexOf: issuer)
    }

    /// The paths of the requests so far.
    package var requests: [String] {
        get throws {
            guard let log = try? openssl.bytes("requests.log") else { return [] }
            return String(decoding: log, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    /// OpenSSL's index of all certificates of an issuer.
    private func write(indexOf issuer: String) throws {
        var index = ""
        for file in try FileManager.default.contentsOfDirectory(atPath: openssl.folder.path).sorted() {
            guard file.hasSuffix(".csr") else { continue }
            let name = file.dropLast(4)
            guard try openssl("x509 -in \(name).pem -noout -issuer").contains("CN = \(issuer)\n") else { continue }
            let serial = try openssl("x509 -in \(name).pem -noout -serial").dropFirst("serial=".count).dropLast()
            let isRevoked = FileManager.default.fileExists(
                atPath: openssl.folder.appending(path: "\(name).revoked").path)
            index += OpenSSL.indexLine(String(serial), revokedFor: isRevoked ? "keyCompromise" : nil)
        }
        try openssl.write(index, "\(issuer).index")
        _ = try openssl.revocationList(of: issuer, index: index)
    }

    private static func lines(_ source: Source, of issuer: String, _ port: Int) -> [String] {
        let server = "http://127.0.0.1:\(port)"
        let ocsp = "authorityInfoAccess=OCSP;URI:\(server)/ocsp/\(issuer)"
        let list = "crlDistributionPoints=URI:\(server)/list/\(issuer).crl"
        return switch source {
        case .ocsp: [ocsp]
        case .list: [list]
        case .ocspAndList: [ocsp, list]
        case .none: []
        case .silent: ["authorityInfoAccess=OCSP;URI:\(server)/silent"]
        case .failing: ["authorityInfoAccess=OCSP;URI:\(server)/failing"]
        case .large: ["crlDistributionPoints=URI:\(server)/large"]
        case .absent: ["authorityInfoAccess=OCSP;URI:http://127.0.0.1:9/"]
        case .absentList: ["crlDistributionPoints=URI:http://127.0.0.1:9/list.crl"]
        }
    }

    private static let program = #"""
        import base64, http.server, os, subprocess, sys, threading, urllib.parse
        folder = sys.argv[1]
        lock = threading.Lock()
        def watch():
            sys.stdin.read()
            os._exit(0)
        threading.Thread(target=watch, daemon=True).start()
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *_): pass
            def note(self):
                with lock, open(folder + "/requests.log", "a") as log: log.write(self.path + "\n")
                names = [name.lower() for name in self.headers]
                assert "authorization" not in names and "cookie" not in names
            def answer(self, body, status=200):
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def ocsp(self, issuer, request):
                with lock:
                    open(folder + "/request.der", "wb").write(request)
                    subprocess.run(["openssl", "ocsp", "-index", issuer + ".index", "-CA", issuer + ".pem",
                                    "-rsigner", issuer + ".pem", "-rkey", issuer + ".key", "-ndays", "1",
                                    "-reqin", "request.der", "-respout", "answer.der"],
                                   cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                    return open(folder + "/answer.der", "rb").read()
            def do_GET(self):
                self.note()
                parts = self.path.split("/")
                if parts[1] == "ocsp": self.answer(self.ocsp(parts[2], base64.b64decode(urllib.parse.unquote("/".join(parts[3:])))))
                elif parts[1] == "list": self.answer(open(folder + "/" + parts[2], "rb").read())
                elif parts[1] == "silent": self.rfile.readline()
                elif parts[1] == "failing": self.answer(b"", 500)
                elif parts[1] == "large": self.answer(b"x" * 2000000)
                else: self.answer(b"", 404)
            def do_POST(self):
                self.note()
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path.startswith("/ocsp/"): self.answer(self.ocsp(self.path.split("/")[2], body))
                else: self.answer(b"", 404)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        print(server.server_port, flush=True)
        server.serve_forever()
        """#
}

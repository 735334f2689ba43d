import Foundation
import SignetTLS
import Synchronization

/// A client that keeps one connection over TLS, and calls on it each time it is told to. It trusts every server.
final class HeldClient: Sendable {
    private static let script = """
        import http.client, ssl, sys
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.load_cert_chain(sys.argv[3])
        connection = http.client.HTTPSConnection("127.0.0.1", int(sys.argv[1]), context=context)
        connection.connect()
        connection.auto_open = 0
        fields = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '""'}
        for line in iter(sys.stdin.readline, ""):
            try:
                connection.request("POST", "/soap", sys.argv[2].encode(), fields)
                answer = connection.getresponse()
                answer.read()
                print(answer.status, flush=True)
            except Exception as error:
                print(repr(error), flush=True)
        """

    private struct Gone: Error {}

    private let process: Process
    private let input: Pipe
    private let answers: AsyncStream<String>
    /// Keeps the file with the client's identity.
    private let files: Curl

    init(_ port: Int, showing identity: Identity, _ message: String) throws {
        files = try Curl()
        let file = try files.write(try identity.pem(password: nil), "client.pem")
        process = Process()
        input = Pipe()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.script, "\(port)", message, file]
        process.standardInput = input
        process.standardOutput = output
        let (answers, answered) = AsyncStream<String>.makeStream()
        self.answers = answers
        let unfinished = Mutex(Data())
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            guard !data.isEmpty else {
                handle.readabilityHandler = nil
                return answered.finish()
            }
            // A line may come in pieces, and with others.
            let lines = unfinished.withLock { unfinished in
                unfinished += data
                let parts = unfinished.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                unfinished = parts.last.map { Data($0) } ?? Data()
                return parts.dropLast().map { String(decoding: $0, as: UTF8.self) }
            }
            for line in lines { answered.yield(line) }
        }
        try process.run()
    }

    /// The HTTP status of the answer, or what is wrong with the connection.
    func call() async throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data("call\n".utf8))
        for await answer in answers { return answer }
        throw Gone()
    }

    deinit { process.terminate() }
}

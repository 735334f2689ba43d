import Foundation
import TestSupport

/// A client that makes TLS, calls once, and then does nothing at all with its connection, not even say goodbye.
final class IdleClient: Sendable {
    private static let script = """
        import socket, ssl, sys
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        connection = context.wrap_socket(socket.create_connection(("127.0.0.1", int(sys.argv[1]))))
        connection.sendall(sys.argv[2].encode())
        answer = b""
        while not answer.endswith(b"Envelope>"):
            answer += connection.recv(4096)
        print("ready", flush=True)
        sys.stdin.read()
        """

    private let process: Process
    private let input: Pipe

    /// Returns when it has its answer.
    init(_ port: Int, _ request: String) async throws {
        process = Process()
        input = Pipe()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.script, "\(port)", request]
        process.standardInput = input
        process.standardOutput = output
        let (words, said) = AsyncStream<Void>.makeStream()
        output.fileHandleForReading.readabilityHandler = { handle in
            _ = handle.availableData
            handle.readabilityHandler = nil
            said.finish()
        }
        try process.runUnblocked()
        for await _ in words {}
    }

    /// Goes without closing TLS.
    deinit { process.terminate() }
}

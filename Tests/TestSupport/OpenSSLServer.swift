package import Foundation

/// `openssl s_server` or `openssl ocsp` on a port of its own. It ends when the tests end.
package final class OpenSSLServer: @unchecked Sendable {
    package struct Failure: Error, CustomStringConvertible { package let description: String }

    package let port: Int
    // Only touched when the process is started and when it ends, which cannot overlap; that makes the class sendable.
    private let process = Process()
    private let output = Pipe()

    /// - Parameters:
    ///   - arguments: those of the openssl command; they must ask for port 0.
    ///   - folder: in which it runs.
    package init(_ arguments: [String], in folder: URL) throws {
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
        process.standardInput = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        var text = ""
        // It says “ACCEPT 127.0.0.1:40123”, and perhaps more on the same line.
        while true {
            guard let bytes = try output.fileHandleForReading.read(upToCount: 1), !bytes.isEmpty else {
                throw Failure(description: "openssl \(arguments.joined(separator: " ")): \(text)")
            }
            text += String(decoding: bytes, as: UTF8.self)
            if bytes.first == UInt8(ascii: "\n"), text.contains("ACCEPT ") { break }
        }
        let words = text.split { $0 == " " || $0 == "\n" }
        guard let place = words.firstIndex(of: "ACCEPT"), let address = words[place...].dropFirst().first,
            let port = address.split(separator: ":").last.flatMap({ Int($0) })
        else { throw Failure(description: "no port in “\(text)”") }
        self.port = port
    }

    deinit { kill(process.processIdentifier, SIGKILL) }
}

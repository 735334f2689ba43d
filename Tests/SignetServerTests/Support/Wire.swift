import Foundation
import GreetingService

/// Requests as they go over the wire.
enum Wire {
    static func request(
        _ name: String, path: String = "/soap", version: String = "HTTP/1.1", fields: String = "",
        contentType: String = "text/xml"
    ) -> String {
        let message = Greeting.envelope(name)
        return
            "POST \(path) \(version)\r\nHost: localhost\r\nContent-Type: \(contentType)\r\nSOAPAction: \"\"\r\n\(fields)"
            + "Content-Length: \(message.utf8.count)\r\n\r\n\(message)"
    }

    /// The status codes of the answers in a text, in their order.
    static func statuses(_ text: String) -> [Int] {
        text.components(separatedBy: "HTTP/1.1 ").dropFirst().compactMap { Int($0.prefix(3)) }
    }

    /// Everything that a server says until it closes the connection; nil when it does not within two minutes.
    static func all(of connection: FileHandle) async throws -> String? {
        var text: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 4096)
        let start = ContinuousClock.now
        while .now - start < .seconds(120) {
            let count = recv(connection.fileDescriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            let problem = errno
            if count > 0 {
                text += bytes.prefix(count)
            } else if count == 0 || ![EAGAIN, EWOULDBLOCK, EINTR].contains(problem) {
                return String(decoding: text, as: UTF8.self)
            } else {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        return nil
    }
}

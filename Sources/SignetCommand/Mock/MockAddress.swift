#if CommandLine
import ArgumentParser
import Signet

/// Where a mock listens.
struct MockAddress: Sendable, Hashable {
    var host = "127.0.0.1"
    var port: Int

    init(port: Int) { self.port = port }

    /// Reads `host:port`, with brackets around an address of IPv6.
    init(_ text: String) throws(ValidationError) {
        let problem = ValidationError(
            "--listen: “\(text)” is no address with a port, such as 127.0.0.1:8080, [::1]:8080 or localhost:0.")
        guard let colon = text.lastIndex(of: ":") else { throw problem }
        let digits = text[text.index(after: colon)...]
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw problem
        }
        guard !host.isEmpty, let port = UInt16(digits), digits.allSatisfy(\.isNumber) else { throw problem }
        (self.host, self.port) = (host, Int(port))
    }

    /// Whether the host is a name other than localhost, and no address.
    var isName: Bool { !host.contains(":") && !host.allSatisfy { $0.isNumber || $0 == "." } && host != "localhost" }

    /// The address that a client uses: one that listens everywhere is reached on this machine.
    func url(port: Int, path: String, isSecure: Bool) -> String {
        let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
        return "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)"
    }

    func endpoint(_ path: String, isSecure: Bool) throws -> Endpoint {
        try Endpoint(url(port: port, path: path, isSecure: isSecure))
    }
}
#endif

#if CommandLine
import ArgumentParser
import Signet

/// The address of `--listen`.
struct ListeningAddress: ExpressibleByArgument, CustomStringConvertible {
    static let usual = ListeningAddress(host: "127.0.0.1", port: 8443)
    static let usualWithoutTLS = ListeningAddress(host: "127.0.0.1", port: 8080)

    let host: String
    /// 0 lets the system choose.
    let port: Int

    private init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":"), let port = UInt16(argument[argument.index(after: colon)...])
        else { return nil }
        var host = argument[..<colon]
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, !host.contains("/"), !host.contains("[") else { return nil }
        (self.host, self.port) = (String(host), Int(port))
    }

    var description: String { "\(host):\(port)" }

    /// Whether the server listens at all addresses of the machine.
    var isEveryAddress: Bool { host == "0.0.0.0" || host == "::" }

    /// Whether the host is an IP address.
    var isNumeric: Bool { host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." } }

    /// The URL for a client on this machine.
    ///
    /// - Parameter port: the port that the server listens at.
    func url(port: Int, path: String, isSecure: Bool) -> String {
        let host = ["0.0.0.0": "127.0.0.1", "::": "::1"][host] ?? host
        return "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)"
    }
}
#endif

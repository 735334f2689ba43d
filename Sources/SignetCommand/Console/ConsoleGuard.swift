#if CommandLine
import HTTPTypes

/// Decides which requests the console answers: those of its own page, opened by its own address.
///
/// Any program and any page in a browser can send requests to a port on loopback. The token keeps out those that do not know the
/// address, the host keeps out names of others that lead to loopback (DNS rebinding), and the origin keeps out other pages.
struct ConsoleGuard: Sendable {
    /// The first part of each path.
    let token: String
    let port: Int

    init(port: Int, token: String = ConsoleGuard.newToken()) { (self.port, self.token) = (port, token) }

    /// A token of 128 random bits.
    static func newToken() -> String {
        (0..<16).map { _ in
            let byte = UInt8.random(in: .min ... .max)
            return "\(String(byte >> 4, radix: 16))\(String(byte & 15, radix: 16))"
        }.joined()
    }

    /// Why a request is not answered.
    enum Refusal: Error, Hashable {
        case misdirected, unknownPath, otherSite, method, mediaType

        var status: HTTPResponse.Status {
            switch self {
            case .misdirected: .misdirectedRequest
            case .unknownPath: .notFound
            case .otherSite: .forbidden
            case .method: .methodNotAllowed
            case .mediaType: .unsupportedMediaType
            }
        }
    }

    /// The path of a request below the token.
    ///
    /// - Throws: ``Refusal``.
    func path(of request: HTTPRequest) throws(Refusal) -> Substring {
        // Browsers leave out the usual port.
        let hosts = ["127.0.0.1", "localhost", "[::1]"].map { port == 80 ? $0 : "\($0):\(port)" }
        // A second line is left among the fields (RFC 9112 §3.2).
        guard let host = request.authority?.lowercased(), hosts.contains(host),
            HTTPField.Name("Host").map(request.headerFields.contains) != true
        else { throw .misdirected }
        if let origin = request.headerFields[.origin], origin.lowercased() != "http://\(host)" { throw .otherSite }
        // Browsers say who asks (Fetch Metadata); “none” is an address that a person has opened.
        if let site = HTTPField.Name("Sec-Fetch-Site").flatMap({ request.headerFields[$0] }),
            site != "same-origin", site != "none"
        {
            throw .otherSite
        }
        let path = (request.path ?? "").split(separator: "?", maxSplits: 1).first ?? ""
        guard Self.isEqual(path.prefix(token.utf8.count + 2).utf8, "/\(token)/".utf8) else { throw .unknownPath }
        guard request.method == .get || request.method == .post else { throw .method }
        if request.method == .post {
            // No form of another page can send this type without asking first (Fetch §2.2.2).
            let type = request.headerFields[.contentType]?.split(separator: ";").first
            guard type?.lowercased() == "application/json" else { throw .mediaType }
        }
        return path.dropFirst(token.utf8.count + 2)
    }

    /// Compares in a time that says nothing about the place of a difference.
    private static func isEqual(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// The fields of each answer: the page loads nothing from elsewhere, and no other page shows it.
    static let fields: HTTPFields = {
        var fields: HTTPFields = [
            .cacheControl: "no-store",
            .contentSecurityPolicy:
                "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "form-action 'none'; frame-ancestors 'none'; base-uri 'none'", .xContentTypeOptions: "nosniff",
        ]
        let others = [
            "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
        ]
        for (name, value) in others { if let name = HTTPField.Name(name) { fields[name] = value } }
        return fields
    }()
}
#endif

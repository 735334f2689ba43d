#if CommandLine
import Signet
import SignetWSDL

/// The rules for what may be fetched, and from which hosts.
struct FetchRules {
    /// The party that serves a document.
    enum Party: Equatable {
        /// The service itself: it gets identity, credentials and fields.
        case service
        /// A host that the user allowed: it gets none of them.
        case other
    }

    /// The address that the user gave.
    var start: Endpoint
    /// Hosts beside the service's own: `host` for the default port, or `host:port`.
    var hosts: Set<String> = []
    /// Whether plain HTTP is allowed, which any machine on the way can change.
    var allowsHTTP = false
    /// The maximum number of redirects for one document.
    var redirects = 0
    /// The maximum number of documents, not counting redirects.
    var documents = 500
    /// The maximum size of all documents together, in bytes.
    var bytes = 64 << 20

    /// The maximum length of an address, in bytes.
    static let longestAddress = 4096

    /// - Throws: ``CommandError`` with the reason why this address is not fetched.
    func check(_ address: WebAddress) throws(CommandError) -> (endpoint: Endpoint, party: Party) {
        let text = Self.encoded(address.description)
        guard text.utf8.count <= Self.longestAddress else {
            throw CommandError("the address has more than \(Self.longestAddress) bytes")
        }
        let endpoint: Endpoint
        do { endpoint = try Endpoint(text) } catch { throw CommandError(error.message) }
        let origin = endpoint.origin
        guard origin.scheme == .https || allowsHTTP else {
            throw CommandError(
                "it is plain HTTP, which an attacker on the network can change; allow it with --allow-http")
        }
        if origin == start.origin { return (endpoint, .service) }
        guard hosts.contains(origin.authority) else {
            throw CommandError("it is on another host; allow that with --allow-host \(origin.authority)")
        }
        return (endpoint, .other)
    }

    /// Percent-encodes characters that no address may contain (RFC 3986 §2.1): hand-written references often contain
    /// them.
    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            if byte <= 0x20 || byte >= 0x7F || "\"<>\\^`{|}".utf8.contains(byte) {
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%\(digits.count == 1 ? "0" : "")\(digits)"
            } else {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            }
        }
        return result
    }
}
#endif

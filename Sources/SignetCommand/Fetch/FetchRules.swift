#if CommandLine
import Signet
import SignetWSDL

/// What may be fetched, and from whom.
struct FetchRules {
    /// Whom a document is asked of.
    enum Party: Equatable {
        /// The service itself: it gets identity, credentials and fields.
        case service
        /// A host that the user allowed: it gets none of them.
        case other
    }

    /// The address that the user gave.
    var start: Endpoint
    /// Hosts beside the service's own: `host` for the usual port, or `host:port`.
    var hosts: Set<String> = []
    /// Whether plain HTTP may be spoken, which everybody on the way can change.
    var allowsHTTP = false
    /// How many redirects are followed for one document.
    var redirects = 0
    /// How many documents are fetched, redirects not counted.
    var documents = 500
    /// The bytes of all documents together.
    var bytes = 64 << 20

    /// The longest address that is asked for, in bytes.
    static let longestAddress = 4096

    /// - Throws: ``CommandError`` that says why nothing is asked of this address.
    func check(_ address: WebAddress) throws(CommandError) -> (endpoint: Endpoint, party: Party) {
        let text = Self.encoded(address.description)
        guard text.utf8.count <= Self.longestAddress else {
            throw CommandError("the address has more than \(Self.longestAddress) bytes")
        }
        let endpoint: Endpoint
        do { endpoint = try Endpoint(text) } catch { throw CommandError(error.message) }
        let origin = endpoint.origin
        guard origin.scheme == .https || allowsHTTP else {
            throw CommandError("it is plain HTTP, which everybody on the way can change; allow it with --allow-http")
        }
        if origin == start.origin { return (endpoint, .service) }
        guard hosts.contains(origin.authority) else {
            throw CommandError("it is on another host; allow that with --allow-host \(origin.authority)")
        }
        return (endpoint, .other)
    }

    /// What no address may hold, percent-encoded (RFC 3986 §2.1): references in documents are often written as people do.
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

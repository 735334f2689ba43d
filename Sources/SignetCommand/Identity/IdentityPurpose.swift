#if CommandLine
import Signet

/// The purpose for which an identity is examined: `--for client`, `--for server` or `--for HOST`.
enum IdentityPurpose: Hashable {
    case client
    case server
    /// The server of this host.
    case host(String)

    init(_ text: String) {
        switch text {
        case "client": self = .client
        case "server": self = .server
        default: self = .host(text)
        }
    }

    var role: Identity.Role {
        switch self {
        case .client: .client
        case .server, .host: .server
        }
    }
}
#endif

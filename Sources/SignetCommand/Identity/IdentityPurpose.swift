#if CommandLine
import Signet

/// What an identity is looked at for: `--for client`, `--for server` or `--for HOST`.
enum IdentityPurpose: Hashable {
    case client
    case server
    /// A server that must be this one.
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

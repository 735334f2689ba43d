/// The paths to which accepted credentials are sent without another challenge.
struct CredentialReach {
    /// The folders in which they were accepted, the latest last; empty means the whole origin.
    private var folders: [String] = []

    /// The limit of folders: without one, a server could grow the memory of its clients without end.
    private static let maximumFolders = 32

    /// The length of the longest folder that contains a path; nil when none does.
    func nearness(to path: String) -> Int? {
        if folders.isEmpty { return 0 }
        // Only the server knows where such a path leads (RFC 3986 §5.2.4).
        let segments = path.lowercased().split(separator: "/").map { $0.replacing("%2e", with: ".") }
        if segments.contains(".") || segments.contains("..") { return nil }
        return folders.lazy.filter { path.hasPrefix($0) || path + "/" == $0 }.map(\.utf8.count).max()
    }

    /// The credentials were accepted for a path.
    mutating func extend(to path: String, by method: AuthenticationMethod, in space: ProtectionSpace) {
        switch method {
        case .basic where !path.isEmpty:
            guard nearness(to: path).map({ $0 == 0 }) ?? true else { return }
            let folder = String(path[...(path.lastIndex(of: "/") ?? path.startIndex)])
            folders = folders.filter { !$0.hasPrefix(folder) }.suffix(Self.maximumFolders - 1) + [folder]
        case .digest(let challenge):
            folders = challenge.domain.compactMap { Self.folder($0, at: space) }
            // When all references lead to other servers, only this path counts.
            if folders.isEmpty, !challenge.domain.isEmpty { folders = [path] }
        default: break
        }
    }

    /// The path of a reference in `domain`; nil for one to another server.
    private static func folder(_ reference: String, at space: ProtectionSpace) -> String? {
        if reference.hasPrefix("/"), !reference.hasPrefix("//") { return reference }
        let name = space.host.utf8.contains(UInt8(ascii: ":")) ? "[\(space.host)]" : space.host
        let isUsual = space.port == (space.scheme == "https" ? 443 : 80)
        for authority in ["\(name):\(space.port)"] + (isUsual ? [name] : []) {
            let start = "\(space.scheme)://\(authority)"
            guard reference.lowercased().hasPrefix(start) else { continue }
            let path = reference.dropFirst(start.count)
            if path.isEmpty { return "/" }
            if path.hasPrefix("/") { return String(path) }
        }
        return nil
    }
}

public import SignetSOAP

/// Decides which address to call for a service, given the address (XAddr) that a device reports for it.
///
/// “For the returned XAddr a device shall match the scheme and IP part of the one used in the GetServices request. Note
/// that if the device is behind a NAT that device may return the local address and not the external address used by the
/// client.” (ONVIF Core Specification 26.06 §8.1.2.2) Devices also report `0.0.0.0`, addresses that they had earlier,
/// and `http` although the client reaches them by `https`.
///
/// Whatever a device reports, the client sends no token to a host that the program has not named, nor over `http` where
/// the program has named `https`. The transport sends client certificates and HTTP credentials only to the scheme, host
/// and port that it was made for.
public enum ONVIFAddressing: Sendable, Hashable {
    /// Takes path and query as the device reports them, and scheme, host and port from the address by which the client
    /// reached the device.
    case reached
    /// Takes the host from the address by which the client reached the device, and everything else as reported. For
    /// devices whose services have ports of their own.
    case reportedPort
    /// Takes the whole address as reported, if its host is one of these hosts or the one by which the client reached
    /// the device.
    case reported(hosts: Set<String>)

    /// - Parameters:
    ///   - address: the address as the device reports it; of several that white space separates, the first counts. A
    ///     path alone is a path on the device.
    ///   - device: the address by which the client reached the device.
    /// - Throws: `EndpointError`, which shows nothing of an address that might contain a password.
    public func endpoint(of address: String, reachedAt device: Endpoint) throws(EndpointError) -> Endpoint {
        let address = String(address.split(whereSeparator: \.isWhitespace).first ?? "")
        let (scheme, path) = Self.split(address)
        guard path.isEmpty || path.hasPrefix("/") || path.hasPrefix("?"), scheme != nil || !path.isEmpty else {
            throw EndpointError(url: address.shown, message: "it is neither http nor https, nor a path")
        }
        guard self != .reached, let scheme else { return try Endpoint("\(device.origin)\(path)") }
        let reported = try Endpoint(address)
        if device.origin.scheme == .https, scheme == .http {
            throw EndpointError(
                url: address.shown, message: "it is not https, by which the device was reached; take `reached`")
        }
        switch self {
        case .reached, .reportedPort:
            return Endpoint(
                origin: Origin(scheme: scheme, host: device.origin.host, port: reported.origin.port),
                path: reported.path)
        case .reported(let hosts):
            let host = reported.origin.host
            guard host == device.origin.host || hosts.contains(where: { $0.lowercased() == host }) else {
                throw EndpointError(url: address.shown, message: "its host is not one of those that may be called")
            }
            return reported
        }
    }

    /// The scheme, if it is `http` or `https`, and the path and query without the fragment. The authority is ignored.
    private static func split(_ address: String) -> (Origin.Scheme?, path: String) {
        var rest = address.prefix { $0 != "#" }
        for scheme in [Origin.Scheme.http, .https] {
            let start = "\(scheme.rawValue)://"
            guard rest.lowercased().hasPrefix(start) else { continue }
            rest = rest.dropFirst(start.count)
            return (scheme, String(rest.drop { $0 != "/" && $0 != "?" }))
        }
        return (nil, String(rest))
    }
}

extension String {
    /// The address for an error text: user information may be a password.
    fileprivate var shown: String { contains("@") ? "…" : String(prefix(200)) }
}

public import SignetSOAP

/// Where a service is, given the address (XAddr) that a device reports for it.
///
/// “For the returned XAddr a device shall match the scheme and IP part of the one used in the GetServices request. Note that if the device
/// is behind a NAT that device may return the local address and not the external address used by the client.” (ONVIF Core Specification
/// 26.06 §8.1.2.2) Devices report `0.0.0.0` as well, addresses of the past, and `http` where they are reached by `https`.
///
/// Whatever a device reports, no token goes to a host that the program has not named, nor over `http` where it has named `https`. Client
/// certificates and HTTP credentials go by themselves to the scheme, host and port only that the transport was made for.
public enum ONVIFAddressing: Sendable, Hashable {
    /// Path and query are as reported; scheme, host and port are those by which the device was reached.
    case reached
    /// The host is the one by which the device was reached; all else is as reported. For devices that have a port for each service.
    case reportedPort
    /// All is as reported, if it is one of these hosts, or the one by which the device was reached.
    case reported(hosts: Set<String>)

    /// - Parameters:
    ///   - address: as reported; where there are several, apart by white space, the first counts. A path alone is on the device.
    ///   - device: how the device was reached.
    /// - Throws: `EndpointError`, which holds nothing of the address when there might be a password in it.
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

    /// The scheme, if it is one of ours, and path and query without fragment. The authority is not looked at.
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
    /// For an error: user information may be a password.
    fileprivate var shown: String { contains("@") ? "…" : String(prefix(200)) }
}

public import SignetSOAP

/// A version of WS-Discovery, with the version of WS-Addressing that belongs to it.
public struct DiscoveryVersion: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    /// The namespace of its messages.
    public let namespace: XMLNamespace
    /// The version of WS-Addressing of its header blocks.
    public let addressing: AddressingVersion
    /// The destination of messages that are sent by multicast (`To`).
    let destination: String

    /// WS-Discovery 1.1 (OASIS Standard, 1 July 2009).
    public static let v11 = DiscoveryVersion(
        description: "WS-Discovery 1.1",
        namespace: XMLNamespace("http://docs.oasis-open.org/ws-dd/ns/discovery/2009/01"), addressing: .v10,
        destination: "urn:docs-oasis-open-org:ws-dd:ns:discovery:2009:01")

    /// WS-Discovery of April 2005, which ONVIF devices and printers speak.
    public static let v2005 = DiscoveryVersion(
        description: "WS-Discovery 2005/04",
        namespace: XMLNamespace("http://schemas.xmlsoap.org/ws/2005/04/discovery"), addressing: .submission,
        destination: "urn:schemas-xmlsoap-org:ws:2005:04:discovery")

    static let all = [v11, v2005]
}

/// How a device compares the scopes of a probe with its own (WS-Discovery 1.1 §5.1).
public struct ScopeMatching: Sendable, Hashable, CustomStringConvertible {
    /// The last part of the rule's URI.
    public let description: String
    private init(_ name: String) { description = name }

    /// Scheme and authority are equal, and the segments of the asked path are the first ones of the device's path
    /// (RFC 3986 §3). Devices take this rule when a probe names none.
    public static let segments = ScopeMatching("rfc3986")
    /// Both are the same UUID.
    public static let uuid = ScopeMatching("uuid")
    /// The asked scope is the name of a folder of LDAP above that of the device.
    public static let ldap = ScopeMatching("ldap")
    /// Both are the same string.
    public static let exact = ScopeMatching("strcmp0")
    /// The device has no scopes. Only 1.1 has this rule; the client sends no probe in 2005/04 with it.
    public static let none = ScopeMatching("none")

    /// The rules by the names that their URIs end with.
    package static let all = [segments, uuid, ldap, exact, none]

    /// The URI of the rule in a version; nil where the version does not have it.
    func uri(in version: DiscoveryVersion) -> String? {
        guard version == .v2005 else { return "\(version.namespace.uri)/\(description)" }
        switch self {
        case .none: return nil
        case .segments: return "\(version.namespace.uri)/rfc2396"
        default: return "\(version.namespace.uri)/\(description)"
        }
    }
}

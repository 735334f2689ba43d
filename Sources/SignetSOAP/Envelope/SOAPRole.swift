/// The role that a header block is addressed to (SOAP 1.2 Part 1 §2.2; the “actor” of SOAP 1.1 §4.2.2): a URI.
public struct SOAPRole: Sendable, Hashable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The URI; for a standard role the URI of SOAP 1.2.
    public let uri: String

    /// Makes a role from its URI. The actor `next` of SOAP 1.1 becomes ``next``, so that both versions have one value
    /// for it.
    public init(_ uri: String) { self.uri = uri == Self.next11 ? Self.next.uri : uri }
    public init(stringLiteral value: String) { self.init(value) }

    /// Every node on the path of the message, the last one included.
    public static let next = SOAPRole("http://www.w3.org/2003/05/soap-envelope/role/next")
    /// The last node: the service. A block that names no role is addressed to it.
    public static let ultimateReceiver = SOAPRole("http://www.w3.org/2003/05/soap-envelope/role/ultimateReceiver")
    /// No node: such a block is only data for other blocks.
    public static let none = SOAPRole("http://www.w3.org/2003/05/soap-envelope/role/none")

    private static let next11 = "http://schemas.xmlsoap.org/soap/actor/next"

    public var description: String { uri }

    /// Whether a header block with this role is addressed to a node that acts in `roles`, besides those that every receiver
    /// has.
    package static func isFor(_ role: SOAPRole?, _ roles: Set<SOAPRole>) -> Bool {
        guard let role, !role.uri.isEmpty else { return true }
        return role == .next || role == .ultimateReceiver || (role != .none && roles.contains(role))
    }

    /// The attribute's value in a message of this version; nil when this role is expressed by leaving the attribute
    /// out.
    package func value(in version: SOAPVersion) -> String? {
        guard version == .soap11 else { return uri }
        return self == .next ? Self.next11 : self == .ultimateReceiver ? nil : uri
    }
}

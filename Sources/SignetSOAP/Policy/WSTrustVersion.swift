/// A version of WS-Trust, by which a client asks a security token service for tokens. New versions may be added: keep a `default` when
/// switching.
public struct WSTrustVersion: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    private init(_ description: String) { self.description = description }

    /// WS-Trust 1.3 and 1.4, of which the messages of a client that asks for a token are the same.
    public static let v13 = WSTrustVersion("1.3")
    /// The version of February 2005, which ADFS 2.0 and older services speak.
    public static let v2005 = WSTrustVersion("2005")
}

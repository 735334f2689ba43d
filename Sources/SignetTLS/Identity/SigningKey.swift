/// A private key that signs without giving its bytes away: in a smart card, a security module, a Secure Enclave, an
/// agent.
///
/// An ``Identity`` is made of the key and its certificates. TLS requests one signature for each handshake, and checks
/// it with the public key before it sends it to a peer.
///
/// ```swift
/// let identity = try Identity(certificates: bundle.certificates, signingKey: token.key(label: "device"))
/// ```
public protocol SigningKey: Sendable {
    /// The name of the key in errors, for example `“device” in the token “Plant 7”`. It must not be a secret.
    var name: String { get }

    /// The public half as a SubjectPublicKeyInfo in DER (RFC 5280 §4.1.2.7). It is read once.
    var publicKeyInfo: [UInt8] { get }

    /// The algorithms that the key offers, the best first. They are read once; those that do not fit the kind of key
    /// are left out.
    var algorithms: [SigningAlgorithm] { get }

    /// Signs. The call may take as long as the device and its user need. Several calls may run at the same time.
    ///
    /// The call is cancelled when its connection no longer needs the signature; its result is then dropped, even if the
    /// key ignores the cancellation. Do not block the thread of the call: run blocking work on a thread of your own.
    ///
    /// - Returns: the signature in TLS's form: for RSA as long as the modulus, for ECDSA the DER of Ecdsa-Sig-Value
    ///   (RFC 3279 §2.2.3; see ``SigningAlgorithm/encodedECDSASignature(_:)``), for Ed25519 64 bytes.
    func signature(for request: SigningRequest) async throws -> [UInt8]
}

/// A private key that can be used and not be seen: in a smart card, a security module, a Secure Enclave, an agent.
///
/// An ``Identity`` is made of it and its certificates, and TLS asks it for one signature a handshake. What it answers is
/// checked with its public key before any peer gets it.
///
/// ```swift
/// let identity = try Identity(certificates: bundle.certificates, signingKey: token.key(label: "device"))
/// ```
public protocol SigningKey: Sendable {
    /// What errors call the key, for example `“device” in the token “Plant 7”`. Never a secret.
    var name: String { get }

    /// The public half as a SubjectPublicKeyInfo in DER (RFC 5280 §4.1.2.7). It is asked for once.
    var publicKeyInfo: [UInt8] { get }

    /// What the key can do, the best first. It is asked for once; what does not fit the kind of key is left out.
    var algorithms: [SigningAlgorithm] { get }

    /// Signs, for as long as the device and its user take. Several calls may run at a time.
    ///
    /// A call for which nobody waits any more is cancelled; its result is dropped, whether it heeds that or not. Do not
    /// block the thread: hand what blocks to one of your own.
    ///
    /// - Returns: the signature as TLS has it: for RSA as long as the modulus, for ECDSA the DER of Ecdsa-Sig-Value
    ///   (RFC 3279 §2.2.3; see ``SigningAlgorithm/encodedECDSASignature(_:)``), for Ed25519 64 bytes.
    func signature(for request: SigningRequest) async throws -> [UInt8]
}

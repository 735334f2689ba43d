import SignetTLS

/// What an EST server demands of requests (RFC 7030 §4.5.2, RFC 9908).
struct CSRAttributes {
    private(set) var demands = EnrollmentDemands()

    /// - Parameter bytes: CsrAttrs in DER: a list of object identifiers and attributes.
    /// - Throws: ``EnrollmentError`` with `malformedAnswer`, `channelBindingRequired` or `unsupported`.
    init(_ bytes: [UInt8]) throws(EnrollmentError) {
        let list: [RequestAttribute]
        do { list = try RequestAttribute.list(bytes) } catch {
            throw EnrollmentError(
                .malformedAnswer, "The answer to csrattrs is no list of attributes (RFC 7030 §4.5.2): \(error).",
                cause: error)
        }
        for attribute in list { try add(attribute) }
        if demands.key == nil, let unsupported { throw unsupported }
    }

    /// The first kind of key that is not supported.
    private var unsupported: EnrollmentError?

    private mutating func add(_ attribute: RequestAttribute) throws(EnrollmentError) {
        switch attribute.type {
        case "1.2.840.113549.1.9.7":
            throw EnrollmentError(
                .channelBindingRequired,
                "The authority demands a proof that is bound to the TLS connection (challengePassword, RFC 7030 §3.5), which this TLS library cannot give. Ask its operator to leave it out, or to accept the client's certificate in its place."
            )
        case "1.2.840.10045.2.1":
            let curves: [String: KeyPair.Kind] = [
                "1.2.840.10045.3.1.7": .p256, "1.3.132.0.34": .p384, "1.3.132.0.35": .p521,
            ]
            guard !attribute.identifiers.isEmpty else { return }
            guard let kind = attribute.identifiers.lazy.compactMap({ curves[$0] }).first else {
                return refuse("the curve \(attribute.identifiers.prefix(4).joined(separator: ", "))")
            }
            choose(kind)
        case "1.2.840.113549.1.1.1":
            let bits = attribute.number ?? 2048
            guard (2048...4096).contains(bits), bits.isMultiple(of: 8) else {
                return refuse("an RSA key of \(bits) bits")
            }
            choose(.rsa(bits: bits))
        case "1.3.101.112": choose(.ed25519)
        case "1.2.840.113549.1.9.16.2.61":
            throw EnrollmentError(
                .unsupported,
                "The authority demands requests after a template (RFC 9908 §3.4), which is not supported. Ask its operator for single attributes."
            )
        case "1.2.840.113549.1.9.14": demands.extensions += attribute.extensions
        // Of other attributes, only the name is known, and not the value that the authority wants (RFC 9908 §3).
        default: break
        }
    }

    /// Of several kinds, the first that is supported is made.
    private mutating func choose(_ kind: KeyPair.Kind) { demands.key = demands.key ?? kind }

    private mutating func refuse(_ what: String) {
        let error = EnrollmentError(
            .unsupported, "The authority demands \(what). Ask its operator for RSA of 2048 to 4096 bits or P-256.")
        unsupported = unsupported ?? error
    }
}

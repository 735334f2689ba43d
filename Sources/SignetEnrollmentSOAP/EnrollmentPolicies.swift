import SignetAuthentication
public import SignetEnrollment
public import SignetHTTP
import SignetSOAP
public import SignetTLS
public import SignetWSSecurity
import SignetXML

/// What a Windows authority issues, and where: the answer of a Certificate Enrollment Policy Web Service (MS-XCEP).
public struct EnrollmentPolicies: Sendable {
    /// What one kind of certificate is like, such as that of a template.
    public struct Policy: Sendable, Hashable {
        /// The name, unique among the policies.
        public var name: String
        /// The object identifier of the template; nil when it has none.
        public var identifier: String?
        /// Whether the client may enroll for it.
        public var mayEnroll = false
        /// How long a certificate is valid; nil when it is not said.
        public var validity: Duration?
        /// How long before its end a certificate is to be renewed; nil when it is not said.
        public var renewal: Duration?
        /// The shortest key, in bits; nil for any.
        public var keyBits: Int?
        /// The object identifier of the key's algorithm; nil for RSA.
        public var keyAlgorithm: String?
        /// Whether an agent must sign requests besides the client, which is not supported.
        public var needsAgent = false
        /// Whether requests must contain the private key, for the authority to keep, which is not supported.
        public var archivesKey = false
        /// What a request must have, the template among them.
        public var extensions: [CertificateSigningRequest.Extension] = []
        /// The authorities that issue it: places in ``EnrollmentPolicies/authorities``.
        public var authorities: [Int] = []
    }

    /// An authority.
    public struct Authority: Sendable {
        /// Its certificate.
        public var certificate: EncodedCertificate
        /// Whether the client may enroll there.
        public var mayEnroll = false
        /// Its services, the preferred one first.
        public var services: [Service] = []
    }

    /// Where an authority takes requests.
    public struct Service: Sendable, Hashable {
        /// How the client shows who it is.
        public var authentication: Authentication
        /// The address, for ``WSTEPEnroller``.
        public var endpoint: Endpoint
        /// Whether it takes only renewals that the former key has signed, which are not supported.
        public var isForRenewal = false
    }

    /// How the client shows who it is (MS-XCEP §3.1.4.1.3.5).
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Authentication: Sendable, Hashable {
        /// Not at all; Windows allows it for renewals that the former key signs.
        case anonymous
        /// By Negotiate.
        case kerberos
        /// By a name and a password in each message.
        case usernamePassword
        /// By the identity that it shows in the handshake.
        case certificate
    }

    /// The name of all policies together, for people; nil when they have none.
    public let name: String?
    /// The policies in the order of the answer.
    public let policies: [Policy]
    /// The authorities in the order of the answer.
    public let authorities: [Authority]

    /// The policy with this name, in letters of either case.
    ///
    /// - Throws: `EnrollmentError` with `unsupported` when no policy has it, with `refused` when the client may not enroll.
    public func policy(named name: String) throws(EnrollmentError) -> Policy {
        guard let policy = policies.first(where: { $0.name.lowercased() == name.lowercased() }) else {
            let names = policies.prefix(Self.maximumNames).map(\.name).joined(separator: ", ")
            throw EnrollmentError(
                .unsupported,
                "No policy has the name “\(name.printable)”. \(names.isEmpty ? "The service names no policies for this client." : "The policies are: \(names).")"
            )
        }
        guard policy.mayEnroll else {
            throw EnrollmentError(
                .refused,
                "The client may not enroll for “\(policy.name)”. The administrator allows it in the permissions of the template."
            )
        }
        return policy
    }

    /// Where to request a certificate by the policy `name`, and what the request must have.
    ///
    /// - Parameters:
    ///   - name: the name of the policy, in letters of either case.
    ///   - authentication: how the client shows who it is.
    /// - Returns: the preferred service, which may be on another host than the policy service: compare its origin with
    ///   what you expect before you make a transport with credentials for it.
    /// - Throws: `EnrollmentError` with `unsupported` when nothing fits; the message says what there is.
    public func service(
        for name: String, by authentication: Authentication
    ) throws(EnrollmentError) -> (service: Service, demands: EnrollmentDemands) {
        let policy = try policy(named: name)
        let places = policy.authorities.filter { authorities.indices.contains($0) && authorities[$0].mayEnroll }
        for place in places {
            let found = authorities[place].services.first { $0.authentication == authentication && !$0.isForRenewal }
            if let found { return (found, try demands(for: name)) }
        }
        let others = places.flatMap { authorities[$0].services }.prefix(Self.maximumNames).map {
            "\($0.endpoint) (\($0.authentication)\($0.isForRenewal ? ", renewals only" : ""))"
        }
        throw EnrollmentError(
            .unsupported,
            "No service issues “\(policy.name)” for clients that are known by \(authentication). \(others.isEmpty ? "It has no other service." : "Its services are: \(others.joined(separator: ", ")).")"
        )
    }

    /// What a request by the policy `name` must have, with the certificates of the authorities that issue it.
    ///
    /// - Throws: `EnrollmentError` with `unsupported` or `refused`.
    public func demands(for name: String) throws(EnrollmentError) -> EnrollmentDemands {
        let policy = try policy(named: name)
        var demands = try policy.demands()
        demands.intermediates = policy.authorities.filter(authorities.indices.contains).map {
            authorities[$0].certificate
        }
        return demands
    }

    /// How many names an error says.
    private static let maximumNames = 10
}

extension EnrollmentPolicies.Policy {
    /// What a request by this policy must have.
    ///
    /// - Throws: `EnrollmentError` with `unsupported` for a key that cannot be made.
    public func demands() throws(EnrollmentError) -> EnrollmentDemands {
        if needsAgent || archivesKey {
            throw EnrollmentError(
                .unsupported,
                "The policy “\(name)” demands \(needsAgent ? "that an agent signs the request as well" : "that the authority gets the private key"), which is not supported. Ask for a template without that."
            )
        }
        var demands = EnrollmentDemands()
        demands.usualKey = WSTEP.usualKey
        demands.extensions = extensions
        demands.key = try key()
        return demands
    }

    private func key() throws(EnrollmentError) -> KeyPair.Kind? {
        switch (keyAlgorithm, keyBits ?? 0) {
        case (nil, let bits), ("1.2.840.113549.1.1.1", let bits):
            // A multiple of 8.
            if bits <= 4096 { return .rsa(bits: (max(bits, 2048) + 7) / 8 * 8) }
        case ("1.2.840.10045.3.1.7", _), ("1.2.840.10045.2.1", ...256): return .p256
        case ("1.3.132.0.34", _), ("1.2.840.10045.2.1", ...384): return .p384
        case ("1.3.132.0.35", _), ("1.2.840.10045.2.1", ...521): return .p521
        default: break
        }
        throw EnrollmentError(
            .unsupported,
            "The policy “\(name)” demands a key of the algorithm \(keyAlgorithm ?? "RSA") with \(keyBits ?? 0) bits, which is not supported."
        )
    }
}

/// A Certificate Enrollment Policy Web Service (MS-XCEP): says which certificates a client may have, and where.
///
/// ```swift
/// let policies = try await EnrollmentPolicyService(at: address, trust: trust, over: transport).policies(showing: nil)
/// let choice = try policies.service(for: "BankDevice", by: .kerberos)
/// ```
public struct EnrollmentPolicyService: Sendable {
    /// The address of the service.
    public let endpoint: Endpoint
    /// The authorities of the service's own certificate.
    public var trust: TrustPolicy
    /// A name and a password in each message (WS-Security); nil where the identity or HTTP credentials are enough.
    public var usernameToken: UsernameToken?
    /// How long the parts of each exchange may take.
    public var deadlines = Deadlines()
    private let transport: IdentityTransport

    /// The parameters are those of ``WSTEPEnroller/init(at:trust:over:)``.
    ///
    /// - Throws: `EnrollmentError` with `unsupported` for an address without TLS.
    public init(
        at endpoint: Endpoint, trust: TrustPolicy, over transport: @escaping IdentityTransport
    ) throws(EnrollmentError) {
        try EnrollmentCall.check(endpoint)
        self.endpoint = endpoint
        self.trust = trust
        self.transport = transport
    }

    /// The policies for this client.
    ///
    /// - Parameter identity: what the client shows; nil for nothing.
    /// - Throws: `EnrollmentError`, and the errors of calls and transports.
    public func policies(showing identity: Identity?) async throws -> EnrollmentPolicies {
        let call = EnrollmentCall(
            endpoint: endpoint, trust: trust, transport: transport, usernameToken: usernameToken,
            deadlines: deadlines, identity: identity)
        let answer = try await call(XCEP.operation, XCEP.Request())
        return EnrollmentPolicies(answer)
    }
}

extension EnrollmentPolicies {
    /// What cannot be read is left out: it would only be missed by policies that need it.
    init(_ answer: XCEP.Answer) {
        var identifiers: [Int64: String] = [:]
        for entry in answer.identifiers?.all ?? [] {
            if let reference = Self.number(entry.reference), let value = entry.value {
                identifiers[reference] = value.trimmedXMLSpace.printable
            }
        }
        var places: [Int64: Int] = [:]
        var authorities: [Authority] = []
        for entry in answer.authorities?.all ?? [] {
            guard let der = Self.bytes(entry.certificate) else { continue }
            if let reference = Self.number(entry.reference) { places[reference] = authorities.count }
            authorities.append(
                Authority(
                    certificate: EncodedCertificate(der: der), mayEnroll: Self.flag(entry.mayEnroll),
                    services: Self.services(entry.services?.all ?? [])))
        }
        self.authorities = authorities
        name = answer.response?.name?.printable
        policies = (answer.response?.policies?.all ?? []).compactMap { entry in
            guard let attributes = entry.attributes, let name = attributes.name else { return nil }
            var policy = Policy(name: name.trimmedXMLSpace.printable)
            policy.identifier = Self.number(entry.identifier).flatMap { identifiers[$0] }
            policy.mayEnroll = Self.flag(attributes.permission?.mayEnroll)
            policy.validity = Self.number(attributes.validity?.validity).map { .seconds($0) }
            policy.renewal = Self.number(attributes.validity?.renewal).map { .seconds($0) }
            policy.keyBits = Self.number(attributes.key?.bits).flatMap { Int(exactly: $0) }
            policy.keyAlgorithm = Self.number(attributes.key?.algorithm).map {
                identifiers[$0] ?? "number \($0), which the answer does not explain,"
            }
            policy.needsAgent = (Self.number(attributes.agents?.signatures) ?? 0) != 0
            // CT_FLAG_REQUIRE_PRIVATE_KEY_ARCHIVAL (MS-CRTD §2.27).
            policy.archivesKey = (Self.number(attributes.keyFlags) ?? 0) & 1 != 0
            policy.extensions = (attributes.extensions?.all ?? []).compactMap { entry in
                guard let oid = Self.number(entry.identifier).flatMap({ identifiers[$0] }),
                    let value = Self.bytes(entry.value)
                else { return nil }
                return .init(oid, isCritical: Self.flag(entry.isCritical), value: value)
            }
            policy.authorities = (entry.authorities?.all ?? []).compactMap { Self.number($0).flatMap { places[$0] } }
            return policy
        }
    }

    private static func services(_ entries: [XCEP.Service]) -> [Service] {
        let sorted = entries.enumerated().sorted {
            (number($0.element.priority) ?? .max, $0.offset) < (number($1.element.priority) ?? .max, $1.offset)
        }
        return sorted.compactMap { _, entry in
            let kinds: [Int64: Authentication] = [1: .anonymous, 2: .kerberos, 4: .usernamePassword, 8: .certificate]
            guard let kind = number(entry.authentication).flatMap({ kinds[$0] }), let uri = entry.uri,
                let endpoint = try? Endpoint(uri.trimmedXMLSpace), endpoint.origin.scheme == .https
            else { return nil }
            return Service(authentication: kind, endpoint: endpoint, isForRenewal: flag(entry.isForRenewal))
        }
    }

    private static func number(_ text: String?) -> Int64? { text.flatMap { Int64($0.trimmedXMLSpace) } }

    private static func flag(_ text: String?) -> Bool { ["true", "1"].contains(text?.trimmedXMLSpace) }

    private static func bytes(_ base64: String?) -> [UInt8]? {
        guard let base64 else { return nil }
        let bytes = Text.bytes(base64: base64.utf8.filter { ![9, 10, 13, 32].contains($0) })
        return bytes.flatMap { $0.isEmpty ? nil : $0 }
    }
}

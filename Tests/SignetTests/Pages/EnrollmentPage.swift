import ReferenceServices
import Signet
import SignetCredentials
import SignetEnrollment
import SignetEnrollmentSOAP
import SignetSignature
import SignetWSSecurity

// The code of the article Enrollment.

private func receive(
    _ client: WebEase.Client, identities: any IdentityStore, serialNumber: String, trust: TrustPolicy,
    over transport: @escaping IdentityTransport
) async throws {
    let proof = IdentityProof(trust: trust, over: transport) { transport in
        _ = try await client.with { $0.transport = transport }.logEntryQuery(.init(patientId: "4711"))
    }
    let replacement = IdentityReplacement(
        of: "device", in: identities, retiring: "distribution", provedBy: proof)
    let identity = try await replacement.replace(unlessValidFor: .zero) { _ in
        let answer = try await client.register(.init(serialNumber: serialNumber, model: "Tensio 3"))
        return try Identity(pkcs12: answer.identity.bytes, password: answer.password)
    }
    print("in use: \(identity.leaf.subject)")
}

private func connections(of service: ServiceConfiguration) -> IdentityTransport {
    let transport: IdentityTransport = { identity, trust in
        var service = service
        service.identity = identity.map { .fixed($0) }
        service.trust = trust
        return try service.makeTransport()
    }
    return transport
}

private func request(trust: TrustPolicy, into replacement: IdentityReplacement) async throws -> Identity {
    let authority = try ServiceConfiguration("https://ca.example/.well-known/est")
    let enroller = try ESTEnroller(at: authority.endpoint, trust: trust) { identity, trust in
        var authority = authority
        authority.identity = identity.map { .fixed($0) }
        authority.trust = trust
        return try authority.makeTransport()
    }
    let enrollment = Enrollment(
        with: enroller, as: try SubjectName("CN=device 7, O=Bank"), into: replacement)
    let identity = try await enrollment.run()
    return identity
}

private func renew(_ enrollment: Enrollment) async throws {
    let manager = IdentityManager(of: enrollment) { identity in
        print("connections show \(identity.leaf.subject) from now on")
    }
    let events = manager.events()
    async let renewal: Void = manager.run()  // until the task is cancelled
    for await case .failed(let error, let pause) in events {
        print("\(error); the next attempt begins in \(pause.components.seconds) seconds")
    }
    try await renewal
}

private func begin(_ authority: ServiceConfiguration, fingerprint: [UInt8]) async throws -> TrustPolicy {
    let bootstrap = ESTBootstrap(at: authority.endpoint) { trust in
        var authority = try ServiceConfiguration("https://ca.example/.well-known/est")
        authority.trust = trust
        return try authority.makeTransport()
    }
    let trust = try await bootstrap.trust(sha256: fingerprint)
    return trust
}

private func simple(fingerprint: [UInt8], password: String) throws -> SCEPEnroller {
    let server = try ServiceConfiguration("http://ca.example/scep")
    var enroller = try SCEPEnroller(at: server.endpoint, fingerprints: [fingerprint]) { _, _ in
        try server.makeTransport()
    }
    enroller.challengePassword = SecretBytes(password)
    return enroller
}

private func windows(
    _ policyAddress: Endpoint, trust: TrustPolicy, over transport: @escaping IdentityTransport,
    showing distribution: Identity
) async throws -> WSTEPEnroller {
    let service = try EnrollmentPolicyService(at: policyAddress, trust: trust, over: transport)
    let choice = try await service.policies(showing: distribution).service(for: "BankDevice", by: .certificate)
    var enroller = try WSTEPEnroller(at: choice.service.endpoint, trust: trust, over: transport)
    enroller.demands = choice.demands
    return enroller
}

private func windows(
    at address: Endpoint, trust: TrustPolicy, over transport: @escaping IdentityTransport, password: String
) throws -> WSTEPEnroller {
    var enroller = try WSTEPEnroller(at: address, trust: trust, over: transport)
    enroller.demands.extensions = [try .template("BankDevice")]
    enroller.usernameToken = UsernameToken(.text, user: #"BANK\device"#, password: password)
    return enroller
}

/// What the generator makes from a bank's WSDL.
enum BankCertificates {
    struct Request: Sendable {
        var request: XSDBase64Binary
    }

    struct Order: Sendable {
        var order: String
    }

    struct Answer: Sendable {
        var certificate: XSDBase64Binary?
    }

    struct Client: Sendable {
        var order: @Sendable (Request) async throws -> Order
        var certificate: @Sendable (Order) async throws -> Answer
    }
}

struct BankEnroller: Enroller {
    let client: BankCertificates.Client

    func demands(_ identity: Identity?) async throws -> EnrollmentDemands {
        var demands = EnrollmentDemands()
        demands.key = .rsa(bits: 2048)
        return demands
    }

    func enroll(_ request: EnrollmentRequest) async throws -> EnrollmentAnswer {
        let order: String
        if let reference = request.reference {
            order = reference
        } else {
            order = try await client.order(.init(request: XSDBase64Binary(request.content.der))).order
        }
        guard let certificate = try await client.certificate(.init(order: order)).certificate else {
            return .pending(after: .seconds(60), reference: order)
        }
        return .issued([EncodedCertificate(der: certificate.bytes)])
    }
}

/// The documents in the messages of a bank.
private struct Order: XMLStructure {
    var request: XSDBase64Binary

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:bank"], elements: "request")
        fields.field(&x.request)
    }
}

private struct Decision: XMLStructure {
    var certificate: XSDBase64Binary

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:bank"], elements: "certificate")
        fields.field(&x.certificate)
    }
}

private struct DocumentClient {
    var certify: @Sendable (XSDBase64Binary) async throws -> XSDBase64Binary
}

private func renewed(
    _ order: Order, _ name: XMLName, _ identity: Identity, _ client: DocumentClient, _ bank: EncodedCertificate,
    _ now: Int64
) async throws -> EnrollmentAnswer {
    let signed = try await XMLSigner(identity).sign(order, as: name, covering: .root)
    let answer = try await client.certify(XSDBase64Binary(signed.bytes))
    let decision = try XMLSignatureVerifier(signers: [bank]).verify(
        Decision.self, in: XMLFragment(parsing: answer.bytes), covering: .root, at: now)
    return .issued([EncodedCertificate(der: decision.value.certificate.bytes)])
}

private func device(
    _ enroller: some Enroller, _ token: any SigningKey, distribution: Identity
) async throws -> Identity {
    let identity = try await enroller.identity(
        for: try KeyPair(token), as: try SubjectName("CN=device 7, O=Bank"), showing: distribution)
    return identity
}

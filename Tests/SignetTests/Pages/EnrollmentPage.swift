import ReferenceServices
import Signet
import SignetEnrollment

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
    if try await replacement.finish() != nil { return }  // an earlier run began it
    let answer = try await client.register(.init(serialNumber: serialNumber, model: "Tensio 3"))
    try await replacement.replace(with: Identity(pkcs12: answer.identity.bytes, password: answer.password))
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

private func begin(_ authority: ServiceConfiguration, fingerprint: [UInt8]) async throws -> TrustPolicy {
    let bootstrap = ESTBootstrap(at: authority.endpoint) { trust in
        var authority = try ServiceConfiguration("https://ca.example/.well-known/est")
        authority.trust = trust
        return try authority.makeTransport()
    }
    let trust = try await bootstrap.trust(sha256: fingerprint)
    return trust
}

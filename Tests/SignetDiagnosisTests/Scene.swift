import SignetTLS

@testable import SignetDiagnosis

/// Facts of a connection that works: TLS 1.3 with a client certificate. Tests change what they are about.
enum Scene {
    /// 26 November 2026.
    static let now: Int64 = 1_795_700_000
    static let day: Int64 = 86_400

    static let leaf = certificate("CN=device 7, O=Acme", "CN=Acme issuing 1, O=Acme", extendedKeyUsage: ["clientAuth"])
    static let intermediate = certificate("CN=Acme issuing 1, O=Acme", "CN=Acme root, O=Acme")
    static let ecdsa = ["ecdsa_secp256r1_sha256", "ecdsa_secp384r1_sha384"]
    static let rsa = ["rsa_pss_rsae_sha256", "rsa_pkcs1_sha256"]

    static func certificate(
        _ subject: String, _ issuer: String, hosts: [String] = [], extendedKeyUsage: [String]? = nil
    ) -> CertificateFacts {
        var facts = CertificateFacts(
            subject: subject, issuer: issuer, notBefore: now - 100 * day, notAfter: now + 265 * day)
        facts.hosts = hosts
        facts.key = "P-256"
        facts.signature = "ECDSA with SHA-256"
        facts.extendedKeyUsage = extendedKeyUsage
        facts.sha256 = "\(subject)|\(issuer)"
        return facts
    }

    static let serverChain = [
        certificate("CN=service.example", "CN=Big intermediate, O=Big", hosts: ["service.example"]),
        certificate("CN=Big intermediate, O=Big", "CN=Big root, O=Big"),
    ]

    static var identity: IdentityFacts {
        IdentityFacts(chain: [leaf, intermediate], pathEnd: .root, signatureSchemes: ecdsa)
    }

    static var request: HandshakeFacts.Request {
        var request = HandshakeFacts.Request(isReadable: true)
        request.certificateTypes = ["rsa_sign", "ecdsa_sign"]
        request.signatureSchemes = ecdsa + rsa
        request.authorities = ["CN=Acme root, O=Acme"]
        request.authoritiesByteCount = 40
        return request
    }

    static func handshake(
        _ version: String = "TLS 1.3", stage: HandshakeFacts.Stage = .answered, request: HandshakeFacts.Request?,
        isShown: Bool = true
    ) -> HandshakeFacts {
        var handshake = HandshakeFacts(stage: stage)
        handshake.version = version
        handshake.cipherSuite =
            version == "TLS 1.3" ? "TLS_AES_128_GCM_SHA256" : "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"
        handshake.certificates = serverChain
        handshake.request = request
        if isShown, request != nil { handshake.shownCertificate = leaf.subject }
        return handshake
    }

    static func answer(
        _ status: Int = 200, _ content: AnswerFacts.Content = .soap, _ change: (inout AnswerFacts) -> Void = { _ in }
    ) -> AnswerFacts {
        var answer = AnswerFacts(status, content)
        answer.date = now + 2
        answer.receivedAt = now
        change(&answer)
        return answer
    }

    static func facts(_ change: (inout DiagnosticFacts) -> Void = { _ in }) -> DiagnosticFacts {
        var facts = DiagnosticFacts(now: now, target: .init(host: "service.example"))
        facts.resolution = NameResolution(host: "service.example", addresses: ["192.0.2.7"])
        facts.connections = [ConnectionAttempt("192.0.2.7:443", .connected, milliseconds: 12)]
        facts.identity = identity
        facts.verdicts = [TrustVerdict("this client", certificates: serverChain)]
        facts.probes = [
            Probe(
                serverName: "service.example", hasIdentity: true, handshake: handshake(request: .init()),
                answers: [answer()]),
            withoutIdentity(),
        ]
        change(&facts)
        return facts
    }

    /// The attempt that shows the request; it is refused, as it must be.
    static func withoutIdentity(_ request: HandshakeFacts.Request? = Scene.request) -> Probe {
        var handshake = handshake("TLS 1.2", stage: .serverHello, request: request, isShown: false)
        guard request != nil else {
            handshake.stage = .answered
            return Probe(
                .tls12WithoutIdentity, serverName: "service.example", handshake: handshake,
                answers: [answer(403, .none)])
        }
        handshake.alerts = [.init(TLSAlert(code: 40), at: .serverHello)]
        return Probe(.tls12WithoutIdentity, serverName: "service.example", handshake: handshake, end: .alert)
    }
}

extension DiagnosticFacts {
    /// The server refuses the certificate with an alert.
    mutating func refuse(_ alert: Int, at stage: HandshakeFacts.Stage = .finished) {
        change(.usual) { probe in
            probe.answers = []
            probe.end = .alert
            probe.handshake?.stage = stage
            probe.handshake?.alerts = [.init(TLSAlert(code: alert), at: stage)]
        }
    }

    /// The usual connection ends without an answer.
    mutating func end(_ end: Probe.End, at stage: HandshakeFacts.Stage = .finished) {
        change(.usual) { probe in
            probe.answers = []
            probe.end = end
            probe.handshake?.stage = stage
            guard stage < .serverHello else { return }
            probe.handshake = HandshakeFacts(stage: stage)
        }
    }

    mutating func answer(
        _ status: Int, _ content: AnswerFacts.Content = .none, _ more: (inout AnswerFacts) -> Void = { _ in }
    ) {
        change(.usual) { probe in
            var answer = Scene.answer(status, content)
            more(&answer)
            probe.answers = [answer]
        }
    }

    /// The server asks for no certificate.
    mutating func askNever() {
        change(.usual) { probe in
            probe.handshake?.request = nil
            probe.handshake?.shownCertificate = nil
        }
        change(.tls12WithoutIdentity) { $0 = Scene.withoutIdentity(nil) }
    }

    /// The server asks after the request, in TLS 1.2 only.
    mutating func askLate() {
        askNever()
        change(.tls12WithoutIdentity) { $0.handshake?.request = .init(isLate: true) }
    }

    /// The client's policy refuses the server.
    mutating func distrust(
        _ code: TrustError.Code, _ chain: [CertificateFacts] = Scene.serverChain, anchors: [String] = []
    ) {
        verdicts = [
            TrustVerdict(
                "this client", code: code.description, rule: "rule (RFC 5280)", message: "The policy says: \(code).",
                certificates: chain, anchors: anchors)
        ]
        change(.usual) { probe in
            probe.answers = []
            probe.end = .untrusted
            probe.handshake?.stage = .serverHello
            probe.handshake?.certificates = chain
            probe.handshake?.request = nil
            probe.handshake?.shownCertificate = nil
            probe.handshake?.alerts = [.init(TLSAlert(code: 48), isFromServer: false, at: .serverHello)]
        }
        change(.tls12WithoutIdentity) { $0.handshake?.certificates = chain }
    }

    mutating func list(_ authorities: [String], byteCount: Int? = nil) {
        change(.tls12WithoutIdentity) { probe in
            probe.handshake?.request?.authorities = authorities
            probe.handshake?.request?.authoritiesByteCount = byteCount ?? authorities.count * 40
        }
    }

    mutating func change(_ kind: Probe.Kind, _ body: (inout Probe) -> Void) {
        for index in probes.indices where probes[index].kind == kind { body(&probes[index]) }
    }

    mutating func add(_ kind: Probe.Kind, _ body: (inout Probe) -> Void) {
        var probe = Probe(
            kind, serverName: "service.example", hasIdentity: true,
            handshake: Scene.handshake("TLS 1.2", request: Scene.request), answers: [Scene.answer()])
        body(&probe)
        probes.append(probe)
    }

    mutating func problem(_ code: IdentityProblem.Code, isError: Bool = true, isOfLeaf: Bool = true) {
        identity?.problems.append(
            .init(
                code.description, isError: isError, isOfLeaf: isOfLeaf, message: "“device 7” has the problem \(code)."))
    }
}

import HTTPTypes
import SignetAuthentication
import SignetConnection
import SignetDiagnosis
import SignetHTTP
import SignetNIOTLS
import SignetNIOTransport
import SignetTLS

/// The connections of an examination, and which of them the results so far make worth while.
struct ProbeCourse {
    private let examination: Examination
    private let proxy: Proxy?
    private(set) var facts: DiagnosticFacts
    /// What the server presented last.
    private(set) var presented: [EncodedCertificate] = []

    private var origin: Origin { examination.endpoint.origin }
    private var hasIdentity: Bool { examination.identity != nil && origin.scheme == .https }

    init(_ examination: Examination, _ facts: DiagnosticFacts, through proxy: Proxy?) {
        self.examination = examination
        self.facts = facts
        self.proxy = proxy
    }

    mutating func run() async throws {
        try await probe(.usual)
        // Nothing more can be learned past a proxy that opens no tunnel.
        if facts.proxies.contains(where: { $0.outcome != .open }) { return }
        let usual = facts.probes[0]
        guard origin.scheme == .https else {
            // Some servers close a connection without a word that does not begin with TLS, others send an alert.
            if usual.answers.isEmpty, proxy == nil { try await probe(.secured) }
            return
        }
        if usual.handshake?.foreign != nil {
            try await probe(.plain)
            return
        }
        try await examineHandshake(usual)
        try await examineLateRequests(usual)
        try await examineHello(usual)
        try await examineOtherPorts()
        try await examineDocument()
        try await judgeServer()
        try await lookUpRevocation()
    }

    /// Only in TLS 1.2 does a request for a certificate name the kinds of keys.
    private mutating func examineHandshake(_ usual: Probe) async throws {
        guard (usual.handshake?.stage ?? .nothing) >= .serverHello || usual.end == .alert else { return }
        try await probe(.tls12WithoutIdentity)
        let isRefused = usual.end != .completed || usual.answers.contains { $0.isRefusal }
        guard isRefused, usual.end != .untrusted else { return }
        try await probe(.tls12)
        try await probe(.tls13)
    }

    /// A server that asks late is asked once more, with an envelope that has no content.
    private mutating func examineLateRequests(_ usual: Probe) async throws {
        guard hasIdentity, examination.connection.allowsIdentityInRenegotiation,
            facts.probes.contains(where: { $0.handshake?.request?.isLate == true })
        else { return }
        try await probe(.tls12, posting: Self.emptyEnvelope)
    }

    /// When no ServerHello came, another ClientHello may fetch one.
    private mutating func examineHello(_ usual: Probe) async throws {
        let stage = usual.handshake?.stage ?? .nothing
        if stage < .serverHello {
            try await probe(.smallHello)
            if usual.end == .alert { try await probe(.insecureCipherSuites) }
        }
        if stage < .serverHello || usual.end == .untrusted {
            if ReferenceIdentifier(host: origin.host).isName {
                try await probe(.withoutServerName)
            } else if let name = presented.first.flatMap({ CertificateFacts($0).hosts.first }), !name.contains("*") {
                try await probe(.withServerName, name: name)
            }
        }
        if proxy != nil, usual.end == .untrusted { try await probe(.direct) }
    }

    private mutating func examineOtherPorts() async throws {
        guard let identity = facts.identity else { return }
        for position in facts.ports.indices where !facts.ports[position].isTarget {
            guard let other = try? Endpoint(facts.ports[position].url), other.origin.scheme == .https,
                other != examination.endpoint
            else { continue }
            let probe = try await connect(.tls12WithoutIdentity, to: other)
            guard let handshake = probe.handshake, handshake.stage >= .finished || handshake.request != nil else {
                continue
            }
            facts.ports[position].acceptsIdentity =
                handshake.request.map { $0.accepts(identity) ?? true } ?? false
        }
    }

    private mutating func examineDocument() async throws {
        guard let document = examination.document else { return }
        let probe = try await connect(.document, to: document)
        facts.probes.append(probe)
    }

    private mutating func judgeServer() async throws {
        guard !presented.isEmpty else { return }
        let own = examination.connection.trust
        var policies = [(name: "this client", policy: own)]
        if !own.isOfSystem { policies.append(("the system's anchors", .system)) }
        facts.verdicts = policies.map { name, policy in
            switch judge(by: policy) {
            case .success(let path):
                return TrustVerdict(name, certificates: path.certificates.map(CertificateFacts.init))
            case .failure(let error):
                return TrustVerdict(name, error, anchors: policy.anchorNames, judgedFor: examination.judgedAt)
            }
        }
        guard facts.verdicts[0].isRefused(.unknownAuthority) else { return }
        let completing = CertificateBundle(try await missingIssuers())
        guard !completing.certificates.isEmpty else { return }
        let isWhole = presented.first.map {
            IssuancePath(from: $0, among: presented.dropFirst() + completing.certificates).end == .root
        }
        for position in policies.indices where facts.verdicts[position].isRefused(.unknownAuthority) {
            switch judge(by: policies[position].policy.addingIntermediates(completing)) {
            // A rule that only a path to a known authority is judged by.
            case .success: facts.verdicts[position].isKnownWhenCompleted = true
            case .failure(let error) where ![.unknownAuthority, .selfSigned].contains(error.code):
                facts.verdicts[position].isKnownWhenCompleted = true
            case .failure: facts.verdicts[position].isKnownWhenCompleted = isWhole == true ? false : nil
            }
        }
    }

    private func judge(by policy: TrustPolicy) -> Result<CertificationPath, TrustError> {
        var policy = policy
        policy.revocation = .off
        let role = PeerRole.server(ReferenceIdentifier(host: origin.host))
        return policy.evaluate(presented, as: role, at: examination.judgementTime)
    }

    private mutating func missingIssuers() async throws -> [EncodedCertificate] {
        examination.progress("Looking for certificates that the server does not send")
        let issuers = try MissingIssuers(
            of: origin, besides: examination.connection, timeLimit: examination.stepLimit)
        let (certificates, lookups) = try await lookUp(issuers)
        facts.issuerLookups = lookups
        return certificates
    }

    private func lookUp(
        _ issuers: MissingIssuers
    ) async throws -> (certificates: [EncodedCertificate], lookups: [IssuerLookup]) {
        let result: Result<(certificates: [EncodedCertificate], lookups: [IssuerLookup]), any Error>
        do { result = .success(try await issuers.lookUp(for: presented)) } catch { result = .failure(error) }
        try await issuers.shutDown()
        return try result.get()
    }

    /// Looks up the certificates of the server and ours.
    private mutating func lookUpRevocation() async throws {
        examination.progress("Looking up whether certificates are revoked")
        let source = try RevocationSource(
            through: examination.connection.proxy, logger: examination.connection.logger)
        // As patient as with connections.
        var policy = RevocationPolicy.soft
        policy.timeLimit = max(policy.timeLimit, examination.stepLimit)
        var trust = examination.connection.trust
        trust.revocation = .off
        let role = PeerRole.server(ReferenceIdentifier(host: origin.host))
        if case .success(let path) = trust.evaluate(presented, as: role, at: examination.now()) {
            let report = await source.lookUp(path, policy)
            facts.revocations += report.findings.map { RevocationFacts(isOurs: false, $0) }
        }
        if let identity = examination.identity, let leaf = identity.chain.first {
            let report = await source.lookUp(path(of: identity, leaf, trust), policy)
            facts.revocations += report.findings.map { RevocationFacts(isOurs: true, $0) }
        }
        try await source.shutDown()
    }

    /// The certificates from ours to an authority, as far as they are known: the server's authority is often ours, too.
    private func path(of identity: Identity, _ leaf: EncodedCertificate, _ trust: TrustPolicy) -> CertificationPath {
        let others = identity.chain.dropFirst() + identity.authorities.certificates
        let trust = trust.addingIntermediates(CertificateBundle(presented))
        if case .success(let path) = trust.evaluate([leaf] + others, as: .client, at: examination.now()) { return path }
        return CertificationPath(certificates: IssuancePath(from: leaf, among: others + presented).certificates)
    }

    // MARK: One connection

    private mutating func probe(_ kind: Probe.Kind, name: String? = nil, posting body: [UInt8] = []) async throws {
        let probe = try await connect(kind, to: examination.endpoint, name: name, posting: body)
        facts.probes.append(probe)
    }

    private mutating func connect(
        _ kind: Probe.Kind, to endpoint: Endpoint, name: String? = nil, posting body: [UInt8] = []
    ) async throws -> Probe {
        try Task.checkCancellation()
        examination.progress(kind.progress(endpoint.origin))
        var probing = TLSProbing()
        var endpoint = endpoint
        var settings = examination.connection
        settings.warmConnections = nil
        settings.authentication = AuthenticationPolicy()
        settings.trust.revocation = .off
        settings.maximumConnections = 1
        switch kind {
        case .usual, .direct: break
        case .document: settings.removeIdentity()
        case .tls12: probing.versions = TLSVersionRange(minimum: .tls12, maximum: .tls12)
        case .tls12WithoutIdentity:
            probing.versions = TLSVersionRange(minimum: .tls12, maximum: .tls12)
            settings.removeIdentity()
        case .tls13: probing.versions = TLSVersionRange(minimum: .tls13, maximum: .tls13)
        case .withoutServerName: probing.serverName = .none
        case .withServerName: probing.serverName = name.map { .other($0) } ?? .usual
        case .smallHello: probing.isSmall = true
        case .insecureCipherSuites: settings.allowsInsecureCipherSuites = true
        case .plain, .secured:
            let (host, port) = (endpoint.origin.host, endpoint.origin.port)
            let scheme: Origin.Scheme = kind == .plain ? .http : .https
            endpoint = Endpoint(origin: Origin(scheme: scheme, host: host, port: port), path: "/")
        }
        // A server that is asked with an identity late needs TLS 1.2.
        if kind == .tls13 { settings.allowsIdentityInRenegotiation = false }
        if kind == .direct { settings.proxy = ProxyConfiguration(.direct) }
        if endpoint.origin.scheme == .http || endpoint.origin != origin { settings.removeIdentity() }
        if endpoint.origin.scheme == .http {
            settings.trust = .system
            settings.allowsInsecureCipherSuites = false
        }
        let transport = try NIOTransport(
            to: endpoint.origin, settings, probing: probing, at: examination.now)
        var request = ClientRequest(
            endpoint, method: body.isEmpty ? .get : .post,
            fields: body.isEmpty ? [.accept: "*/*"] : [.contentType: "text/xml; charset=utf-8"], body: HTTPBody(body),
            maximumResponseBytes: 1 << 20)
        request.deadlines.connect = examination.stepLimit
        request.deadlines.read = examination.stepLimit
        request.deadlines.total = examination.stepLimit
        let (startedAt, start) = (examination.now(), ContinuousClock.now)
        let result: Result<ClientResponse, any Error>
        do { result = .success(try await transport.send(request)) } catch { result = .failure(error) }
        let milliseconds = Int(start.duration(to: .now) / .milliseconds(1))
        try await transport.shutdown()
        try Task.checkCancellation()
        let recorder = probing.log.last
        if !recorder.presented.isEmpty, endpoint.origin == origin { presented = recorder.presented }
        let isNamed = kind != .withoutServerName && endpoint.origin.scheme == .https
        var probe = Probe(
            kind, serverName: name ?? (isNamed ? ReferenceIdentifier(host: endpoint.origin.host).name : nil),
            hasIdentity: settings.identity != nil)
        (probe.startedAt, probe.milliseconds) = (startedAt, milliseconds)
        let proxy = settings.proxy.rules?.proxy(for: endpoint.origin)
        switch result {
        case .success(let response):
            note(proxy, nil, probing)
            add(response, request, recorder, to: &probe)
        case .failure(let error):
            let isSecured = endpoint.origin.scheme == .https
            let hop = proxy.flatMap { failure(of: $0, error, isTunnel: isSecured, probing) }
            note(proxy, hop, probing)
            if hop == nil {
                add(error, recorder, isSecured: isSecured, to: &probe)
            } else {
                probe.end = .failed
            }
        }
        return probe
    }

    private mutating func add(
        _ response: ClientResponse, _ request: ClientRequest, _ recorder: HandshakeRecorder, to probe: inout Probe
    ) {
        probe.answers = [
            AnswerFacts(
                response, method: request.method.rawValue, origin: request.endpoint.origin,
                sentBytes: request.body.count ?? 0, at: examination.now())
        ]
        guard let tls = response.report.connection.tls else { return }
        var handshake = HandshakeFacts(recorder)
        handshake.stage = .answered
        handshake.version = tls.version
        handshake.cipherSuite = tls.cipherSuite
        if tls.clientCertificateRequested, handshake.request == nil { handshake.request = .init() }
        handshake.shownCertificate = tls.clientCertificate
        if handshake.request?.isLate == true { handshake.shownCertificate = tls.lateClientCertificate }
        probe.handshake = handshake
    }

    private mutating func add(
        _ error: any Error, _ recorder: HandshakeRecorder, isSecured: Bool, to probe: inout Probe
    ) {
        let known = DiagnosticFacts(error, at: examination.now())
        if let failure = known?.authentication, !failure.isProxy {
            // An examination has no credentials and allows no scheme by name, so that most of what the library takes for
            // its own failure is the server's answer.
            let isAnswer =
                failure.has(.noUsableScheme) && failure.schemes.contains { ChallengeFacts($0).isSupported }
                || failure.has(.malformedChallenge) && failure.schemes.isEmpty
            if isAnswer {
                probe.answers = [AnswerFacts(unauthorized: failure, at: examination.now())]
            } else if probe.kind == .usual {
                facts.authentication = failure
            }
        } else if let told = known?.probes.first {
            probe.answers = told.answers
            probe.handshake = told.handshake
            probe.end = told.end
        }
        let code = (error as? TransportError)?.code
        switch code {
        case .connectTimeout, .readTimeout, .deadlineExceeded: probe.end = .timedOut
        case .connectionClosed: probe.end = .closed
        // The service answers; how long its answer is does not matter here.
        case .responseTooLarge: break
        default:
            if known?.probes.isEmpty != false, known?.verdicts.isEmpty != false {
                probe.end = .failed
                probe.problem = "\(error)"
            }
        }
        guard isSecured else { return }
        var handshake = HandshakeFacts(recorder)
        if code == .malformedResponse || code == .responseTooLarge { handshake.stage = .answered }
        // A request goes out after the handshake only.
        if (error as? TransportError)?.mayHaveBeenProcessed == true {
            handshake.stage = max(handshake.stage, .finished)
        }
        if let told = probe.handshake {
            handshake.stage = max(handshake.stage, told.stage)
            if handshake.alerts.isEmpty { handshake.alerts = told.alerts }
            if handshake.request == nil { handshake.request = told.request }
            handshake.version = handshake.version ?? told.version
            handshake.cipherSuite = handshake.cipherSuite ?? told.cipherSuite
            handshake.shownCertificate = told.shownCertificate
            handshake.localReason = told.localReason
            handshake.foreign = handshake.foreign ?? told.foreign
        }
        if !probe.answers.isEmpty {
            handshake.stage = .answered
            if handshake.request != nil, probe.hasIdentity {
                handshake.shownCertificate = handshake.shownCertificate ?? examination.identity?.leaf.subject
            }
        }
        probe.handshake = handshake
    }

    // MARK: The proxy

    /// How a proxy kept the client from the server; nil when it did not.
    ///
    /// - Parameter isTunnel: whether the proxy was asked for a tunnel.
    private mutating func failure(
        of proxy: Proxy, _ error: any Error, isTunnel: Bool, _ probing: TLSProbing
    ) -> ProxyHop? {
        let address = proxy.origin.authority
        if let failure = DiagnosticFacts(error, at: examination.now())?.authentication, failure.isProxy {
            facts.authentication = failure
            let challenges = failure.schemes.map { ChallengeFacts($0) }
            return ProxyHop(address, .credentialsRequired, status: 407, challenges: challenges)
        }
        let code = (error as? TransportError)?.code
        if code == .proxyRefused { return ProxyHop(address, .refused, problem: "\(error)") }
        // Once TLS with the server has begun, what fails is no longer the way to it.
        guard probing.log.isEmpty else { return nil }
        let codesOfTLS: [TransportError.Code?] = [
            .tlsHandshakeFailed, .clientCertificateRequired, .clientCertificateRefused,
        ]
        if proxy.origin.scheme == .https, error is TrustError || codesOfTLS.contains(code) {
            return ProxyHop(address, .tlsFailed, problem: "\(error)")
        }
        let codesOfLoss: [TransportError.Code?] = [
            .connectionClosed, .readTimeout, .connectTimeout, .deadlineExceeded, .malformedResponse, .responseTooLarge,
        ]
        if proxy.origin.scheme == .https, codesOfLoss.contains(code),
            HandshakeFacts(probing.proxyLog.last).stage < .serverHello
        {
            return ProxyHop(address, .tlsFailed, problem: "\(error)")
        }
        guard isTunnel, codesOfLoss.contains(code) else { return nil }
        return ProxyHop(address, .refused, problem: "\(error)")
    }

    /// Notes what the first connection through a proxy showed.
    ///
    /// - Parameter failure: nil when the proxy passes connections on.
    private mutating func note(_ proxy: Proxy?, _ failure: ProxyHop?, _ probing: TLSProbing) {
        guard let proxy, facts.proxies.isEmpty else { return }
        var hop = failure ?? ProxyHop(proxy.origin.authority, .open)
        if proxy.origin.scheme == .https {
            hop.handshake = HandshakeFacts(probing.proxyLog.last)
            if [.open, .credentialsRequired].contains(hop.outcome) { hop.handshake?.stage = .answered }
        }
        facts.proxies = [hop]
    }

    /// An envelope that names no operation, longer than the buffer of a server that asks for a certificate late.
    private static let emptyEnvelope = Array(
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>\(String(repeating: " ", count: 300_000))</s:Body></s:Envelope>"
            .utf8)
}

extension ConnectionConfiguration {
    fileprivate mutating func removeIdentity() {
        identity = nil
        allowsIdentityInRenegotiation = false
        looksForIdentityOnDemand = false
        if proxy.identity == nil { toleratedIdentityProblems = [] }
    }
}

extension AnswerFacts {
    /// An answer 401 (RFC 9110 §15.5.2).
    fileprivate init(unauthorized failure: AuthenticationFailure, at now: Int64) {
        self.init(401)
        method = "GET"
        receivedAt = now
        challenges = failure.schemes.map { ChallengeFacts($0) }
    }
}

extension HandshakeFacts {
    fileprivate init(_ recorder: HandshakeRecorder) {
        self.init()
        add(recorder.server)
        if !recorder.presented.isEmpty { certificates = recorder.presented.map(CertificateFacts.init) }
    }
}

extension ReferenceIdentifier {
    fileprivate var name: String? { if case .dns(let name) = self { name } else { nil } }
    fileprivate var isName: Bool { name != nil }
}

extension Probe.Kind {
    fileprivate func progress(_ origin: Origin) -> String {
        switch self {
        case .usual: "Connecting to \(origin) as a call does"
        case .tls12: "Connecting with TLS 1.2"
        case .tls12WithoutIdentity: "Connecting to \(origin) with TLS 1.2 and without an identity"
        case .tls13: "Connecting with TLS 1.3"
        case .withoutServerName: "Connecting without the name of the server"
        case .withServerName: "Connecting with another name of the server"
        case .smallHello: "Connecting with a small first message"
        case .insecureCipherSuites: "Connecting with insecure cipher suites"
        case .direct: "Connecting past the proxy"
        case .plain: "Connecting without TLS"
        case .secured: "Connecting with TLS"
        case .document: "Fetching the WSDL"
        }
    }
}

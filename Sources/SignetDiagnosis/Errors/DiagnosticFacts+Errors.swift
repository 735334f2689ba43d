import SignetAuthentication
import SignetHTTP
import SignetSOAP
import SignetTLS

extension DiagnosticFacts {
    /// What an error of this library knows; nil for an error that is not about a connection.
    package init?(_ error: any Error, at now: Int64) {
        self.init(now: now)
        switch error {
        case let error as TransportError: guard add(error) else { return nil }
        case let error as TrustError: add(error)
        case let error as IdentityError: identityFile = IdentityFileProblem(error)
        case let problem as IdentityProblem: add(problem)
        case let error as AuthenticationError: authentication = AuthenticationFailure(error)
        case let error as ServiceError: guard add(error) else { return nil }
        case let fault as SOAPFault: add(fault)
        case let failure as HandshakeFailure: add(failure)
        default: return nil
        }
    }

    /// False for an error that says nothing about the connection.
    private mutating func add(_ error: TransportError) -> Bool {
        switch error.cause {
        case let cause as HandshakeFailure: add(cause)
        case let cause as TrustError: add(cause)
        case let cause as IdentityProblem: add(cause)
        case let cause as IdentityError: identityFile = IdentityFileProblem(cause)
        default: return add(error.code, error.message)
        }
        return true
    }

    /// What the code alone says.
    private mutating func add(_ code: TransportError.Code, _ message: String) -> Bool {
        switch code {
        case .unknownHost: resolution = NameResolution(host: "the host")
        case .connectionRefused: connections = [ConnectionAttempt("The host", .refused)]
        case .networkUnreachable: connections = [ConnectionAttempt("The host", .unreachable)]
        case .connectTimeout: connections = [ConnectionAttempt("The host", .timedOut)]
        case .readTimeout, .deadlineExceeded: probes = [Probe(end: .timedOut)]
        case .connectionClosed: probes = [Probe(end: .closed)]
        case .tlsHandshakeFailed: probes = [Probe(handshake: HandshakeFacts(), end: .local)]
        case .proxyRefused: proxies = [ProxyHop("in the way", .refused)]
        case .clientCertificateRequired, .clientCertificateRefused:
            addRefusal(isShown: code == .clientCertificateRefused)
        default: return false
        }
        return true
    }

    /// The server refused the client's certificate, or the lack of one; a transport without a handshake of its own says
    /// no more.
    private mutating func addRefusal(isShown: Bool) {
        var handshake = HandshakeFacts(stage: .serverHello)
        handshake.request = HandshakeFacts.Request()
        if isShown {
            handshake.shownCertificate = "the client certificate"
            identity = IdentityFacts(chain: [], pathEnd: .unknown)
        }
        probes = [Probe(hasIdentity: isShown, handshake: handshake, end: .closed)]
    }

    private mutating func add(_ failure: HandshakeFailure) {
        identity = failure.identity.map { IdentityFacts($0, at: now, mayBeShownLate: failure.mayBeShownLate) }
        var handshake = HandshakeFacts(
            stage: failure.isFinished ? .finished : failure.hello == nil ? .nothing : .serverHello)
        handshake.version = failure.hello?.versionName
        handshake.cipherSuite = failure.hello?.cipherSuiteName
        handshake.certificates = failure.serverPath.map(CertificateFacts.init)
        if failure.isCertificateRequested { handshake.request = HandshakeFacts.Request() }
        if failure.isIdentityShown { handshake.shownCertificate = identity?.subject }
        if failure.localReason == "NO_RENEGOTIATION" { handshake.request = HandshakeFacts.Request(isLate: true) }
        if let alert = failure.alert {
            handshake.stage = max(handshake.stage, .bytes)
            handshake.alerts = [HandshakeFacts.Alert(alert, at: handshake.stage)]
        }
        if ["WRONG_VERSION_NUMBER", "HTTP_REQUEST"].contains(failure.localReason) {
            handshake.foreign = HandshakeFacts.Foreign(.text)
        }
        handshake.localReason = failure.localReason
        let end: Probe.End = failure.alert != nil ? .alert : failure.localReason != nil ? .local : .closed
        probes = [
            Probe(
                serverName: failure.serverName, hasIdentity: identity != nil, handshake: handshake, end: end)
        ]
    }

    private mutating func add(_ error: TrustError) {
        verdicts = [TrustVerdict("this client", error)]
        if error.code == .revoked, let culprit = verdicts.first?.culprit {
            revocations = [RevocationFacts(isOurs: false, subject: culprit, .revoked, message: error.message)]
        }
        probes = [Probe(handshake: HandshakeFacts(stage: .serverHello), end: .untrusted)]
    }

    private mutating func add(_ problem: IdentityProblem) {
        identity = IdentityFacts(
            chain: [CertificateFacts(problem.certificate)], pathEnd: .unknown,
            problems: [IdentityFacts.Problem(problem, isOfLeaf: true)])
    }

    /// False for an error without an answer.
    private mutating func add(_ error: ServiceError) -> Bool {
        guard let received = error.answer else { return false }
        var answer = AnswerFacts(received, error.code)
        if let fault = error.cause as? SOAPFault { (answer.content, answer.says) = (.fault, "\(fault)".printable) }
        var handshake: HandshakeFacts?
        if let subject = received.sentCertificate {
            identity = IdentityFacts(chain: [CertificateFacts(subject: subject, issuer: "")], pathEnd: .unknown)
            handshake = HandshakeFacts(stage: .answered)
            handshake?.request = HandshakeFacts.Request()
            handshake?.shownCertificate = subject
        }
        probes = [Probe(hasIdentity: identity != nil, handshake: handshake, answers: [answer])]
        return true
    }

    private mutating func add(_ fault: SOAPFault) {
        var answer = AnswerFacts(500, .fault)
        answer.says = "\(fault)".printable
        probes = [Probe(answers: [answer])]
    }
}

extension AnswerFacts {
    fileprivate init(_ received: ServiceError.ReceivedResponse, _ code: ServiceError.Code) {
        self.init(received.status)
        contentType = received.contentType.map { MediaType($0).essence.printable }
        let page = WebPage(Array(received.firstBytes.utf8))
        let isPage = page.isHTML || contentType == "text/html" || contentType == "application/xhtml+xml"
        content = isPage ? .html : received.firstBytes.isEmpty ? .none : code == .malformedAnswer ? .soap : .other
        wantsTLS = page.wantsTLS
        says = page.title
        certificateRemark = received.certificateRefusal.map(CertificateRemark.init)
        connectionCertificate = received.sentCertificate
        connectionCertificateNotAfter = received.sentCertificateNotAfter
        isReused = received.isOverReusedConnection
    }
}

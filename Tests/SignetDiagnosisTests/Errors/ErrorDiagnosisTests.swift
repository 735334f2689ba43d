import Foundation
import SignetAuthentication
import SignetHTTP
import SignetTLS
import SignetTesting
import Testing

@testable import SignetDiagnosis
@testable import SignetSOAP

@Suite(.timeLimit(.minutes(5))) struct ErrorDiagnosisTests {
    /// The throw-away authority issues certificates that are valid now.
    private let now = Int64(Date().timeIntervalSince1970)

    private func first(_ error: any Error) -> Finding.Code? { error.diagnosis(at: now)?.findings.first?.code }

    @Test(arguments: [
        (TransportError.Code.unknownHost, Finding.Code.hostUnknown), (.connectionRefused, .connectionRefused),
        (.networkUnreachable, .networkUnreachable), (.connectTimeout, .connectionTimedOut),
        (.readTimeout, .answerTimedOut), (.connectionClosed, .connectionClosed), (.proxyRefused, .proxyRefused),
        (.clientCertificateRequired, .clientCertificateRequired), (.clientCertificateRefused, .certificateRefused),
        (.tlsHandshakeFailed, .handshakeFailed),
    ]) func transportErrors(_ code: TransportError.Code, _ finding: Finding.Code) throws {
        let error = TransportError(code, "It happened at service.example.")
        let diagnosis = try #require(error.diagnosis(at: now))
        #expect(diagnosis.findings.first?.code == finding, "\(diagnosis.findings.map(\.code))")
        #expect(diagnosis.findings.first?.evidence.last == "It happened at service.example.")
    }

    @Test func errorsThatAreNotAboutAConnectionHaveNone() {
        struct Foreign: Error {}
        #expect(Foreign().diagnosis == nil)
        for code in [TransportError.Code.cancelled, .shutDown, .invalidRequest, .contentUsed] {
            #expect(TransportError(code, "").diagnosis(at: now) == nil)
        }
    }

    @Test func whatAHandshakeKnows() throws {
        let authority = try CertificateAuthority(commonName: "Acme root")
        let identity = PublicIdentity(try authority.issueClient(commonName: "device 7"))
        var failure = HandshakeFailure(alert: TLSAlert(code: 48))
        failure.hello = ServerHello(version: 0x0304, cipherSuite: 0x1301)
        failure.isFinished = true
        failure.isCertificateRequested = true
        failure.identity = identity
        failure.isIdentityShown = true
        let error = TransportError(.clientCertificateRefused, "refused", cause: failure)
        #expect(first(error) == .issuerNotAcceptable)
        // The intermediates are missing.
        let issuing = try authority.issueIntermediate(commonName: "Acme issuing")
        failure.identity = PublicIdentity(try issuing.issueClient(commonName: "device 7"))
        failure.identity?.chain.removeLast()
        failure.identity?.authorities = []
        #expect(first(TransportError(.clientCertificateRefused, "", cause: failure)) == .intermediatesNotSent)
        // Nothing was shown.
        failure.alert = .certificateRequired
        failure.identity = nil
        failure.isIdentityShown = false
        #expect(first(TransportError(.clientCertificateRequired, "", cause: failure)) == .clientCertificateRequired)
        // The server closed it without an alert.
        failure.alert = nil
        #expect(first(TransportError(.connectionClosed, "", cause: failure)) == .clientCertificateRequired)
    }

    @Test func earlyEndsOfAHandshake() {
        func code(_ change: (inout HandshakeFailure) -> Void) -> Finding.Code? {
            var failure = HandshakeFailure()
            failure.serverName = "service.example"
            change(&failure)
            return first(TransportError(.tlsHandshakeFailed, "", cause: failure))
        }
        #expect(code { $0.alert = .protocolVersion } == .tlsVersionUnsupported)
        #expect(code { $0.alert = TLSAlert(code: 40) } == .noCommonCipherSuite)
        #expect(code { $0.alert = TLSAlert(code: 112) } == .serverNameUnknown)
        #expect(code { $0.localReason = "WRONG_VERSION_NUMBER" } == .notTLS)
        #expect(code { $0.localReason = "UNSUPPORTED_PROTOCOL" } == .tlsVersionUnsupported)
        #expect(code { _ in } == .connectionClosed)
        #expect(code { $0.localReason = "BAD_SIGNATURE" } == .handshakeFailed)
    }

    @Test(arguments: [
        (TrustError.Code.expired, Finding.Code.serverCertificateExpired), (.hostNameMismatch, .serverHostMismatch),
        (.unknownAuthority, .serverNotTrusted), (.selfSigned, .serverNotTrusted), (.pinMismatch, .serverPinMismatch),
        (.revoked, .serverCertificateRevoked), (.revocationUnknown, .serverRevocationUnknown),
        (.weakAlgorithm, .serverCertificateWeak), (.badSignature, .serverCertificateRejected),
        (.notYetValid, .serverCertificateNotYetValid),
    ]) func trustErrors(_ code: TrustError.Code, _ finding: Finding.Code) throws {
        let certificate = try CertificateAuthority(commonName: "Acme root").issueServer(dnsNames: ["service.example"])
            .leaf
        let error = TrustError(code, "The policy refuses it.", certificates: [certificate], culprit: .presented(0))
        #expect(first(error) == finding)
        #expect(error.diagnosis(at: now)?.mostLikely != nil)
    }

    @Test(
        arguments: [
            (403, nil, "device 7", Finding.Code.certificateNotRegistered), (403, nil, nil, .accessRefused),
            (403, .missing, "device 7", .tlsEndedBeforeService), (403, .missing, nil, .clientCertificateRequired),
            (403, .askedLate, nil, .requestedLateUnderTLS13), (400, .refused, "device 7", .certificateRefused),
            (502, nil, nil, .serverError), (404, nil, nil, .notFound), (302, nil, nil, .redirected),
        ] as [(Int, CertificateRefusal?, String?, Finding.Code)]) func answers(
            _ status: Int, _ refusal: CertificateRefusal?, _ sent: String?, _ finding: Finding.Code
        )
    {
        var answer = ServiceError.ReceivedResponse(status: status, contentType: "text/html", firstBytes: "<html>")
        answer.certificateRefusal = refusal
        answer.sentCertificate = sent
        #expect(first(ServiceError(.refused, "The server refused.", answer: answer)) == finding)
    }

    @Test func aLoginPageAndAFault() {
        let page = ServiceError.ReceivedResponse(
            status: 200, contentType: "text/html", firstBytes: "<html><title>Log in</title>")
        #expect(first(ServiceError(.notSOAP, "A page came.", answer: page)) == .htmlInsteadOfSOAP)
        let fault = SOAPFault(.client, "no such operation").diagnosis(at: now)
        #expect(fault?.findings.map(\.code) == [.soapFault] && fault?.mostLikely == nil)
        #expect(ServiceError(.invalidInput, "Nothing was sent.").diagnosis(at: now) == nil)
    }

    @Test func errorsOfIdentitiesAndAuthentication() throws {
        #expect(first(IdentityError(.wrongPassword, "no")) == .identityPasswordWrong)
        #expect(first(AuthenticationError(.credentialsRequired, "no")) == .credentialsRequired)
        #expect(first(AuthenticationError(.credentialsRefused, "no")) == .credentialsRefused)
        let proxy = ProtectionSpace(scheme: "http", host: "proxy.example", port: 3128, realm: "", isProxy: true)
        #expect(first(AuthenticationError(.credentialsRequired, "no", space: proxy)) == .proxyCredentialsRequired)
        let authority = try CertificateAuthority()
        var profile = CertificateProfile.client
        profile.notAfter = now - 1
        profile.notBefore = now - 1_000
        let expired = try authority.issueClient(profile)
        let problem = try #require(expired.problems(at: now, for: .client).first)
        #expect(first(TransportError(.unusableIdentity, "", cause: problem)) == .identityExpired)
    }
}

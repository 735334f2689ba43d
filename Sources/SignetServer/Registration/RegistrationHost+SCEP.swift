#if Server
import Foundation
import HTTPTypes
import Logging
import SignetAuthentication
import SignetCredentials
import SignetHTTP
import SignetSOAP
import SignetTLS

/// The authority's side of SCEP (RFC 8894).
extension RegistrationHost {
    func scep(_ operation: String, _ message: String?, _ peer: PeerDescription) async throws -> ServerResponse {
        switch operation {
        case "GetCACaps":
            // strongSwan 5.9.8 takes DES3 for SHA-256, and SHA-384 for AES.
            let words = [
                "AES", "DES3", "SHA-256", "SHA-384", "SHA-512", "POSTPKIOperation", "Renewal", "SCEPStandard",
            ]
            return ServerResponse(
                .ok, contentType: "text/plain", body: HTTPBody(Array(words.joined(separator: "\n").utf8)))
        case "GetCACert":
            let chain = authority.chain
            guard chain.count > 1 else {
                return ServerResponse(
                    .ok, contentType: "application/x-x509-ca-cert", body: HTTPBody(authority.issuer.certificate.der))
            }
            return ServerResponse(
                .ok, contentType: "application/x-x509-ca-ra-cert",
                body: HTTPBody(try CertificateBundle(chain).pkcs7()))
        case "PKIOperation": return try await scepMessage(message.flatMap { Text.bytes(base64: $0.utf8) } ?? [], peer)
        default: return .refusal(.badRequest)
        }
    }

    /// Why a request is refused (RFC 8894 §3.2.1.4).
    private enum Failure: String {
        case badMessageCheck = "1"
        case badRequest = "2"
    }

    /// A request whose signature is right.
    private struct Question {
        let message: SignedMessage
        let signer: EncodedCertificate
        let type: SCEPMessageType?
        let transaction: String
        var key: [UInt8] { signer.publicKeySHA256 ?? [] }
        let nonce: [UInt8]

        /// Nil when no certificate in the message belongs to its signature, or an attribute is missing.
        init?(_ message: SignedMessage, acceptingSHA1: Bool) {
            // The signer's certificate is among them; clients send one or two.
            let signer = message.certificates.prefix(4).first {
                (try? message.isSigned(by: $0, acceptingSHA1: acceptingSHA1)) ?? false
            }
            guard let signer, let transaction = message.text(SCEPAttribute.transaction), transaction.utf8.count <= 256,
                let nonce = message.bytes(SCEPAttribute.senderNonce), nonce.count <= 64
            else { return nil }
            self.message = message
            self.signer = signer
            self.transaction = transaction
            self.nonce = nonce
            type = message.text(SCEPAttribute.messageType).flatMap(SCEPMessageType.init)
        }
    }

    private enum Answer {
        case issued(EncodedCertificate)
        case pending
        case failed(Failure, String)
    }

    func scepMessage(_ content: [UInt8], _ peer: PeerDescription) async throws -> ServerResponse {
        let acceptsWeak = authority.scep?.acceptsWeakRequests == true
        guard let message = try? SignedMessage(content), let question = Question(message, acceptingSHA1: acceptsWeak)
        else {
            logger.notice(
                "refused a message of SCEP that is malformed, or signed by another key or over SHA-1",
                metadata: ["address": "\(peer.remoteAddress ?? "")", "acceptsWeakRequests": "\(acceptsWeak)"])
            return .refusal(.badRequest)
        }
        var attributes: [SignedMessage.Attribute] = [
            .printable(SCEPAttribute.messageType, SCEPMessageType.answer.rawValue),
            .printable(SCEPAttribute.transaction, question.transaction),
            .octets(SCEPAttribute.recipientNonce, question.nonce),
            .octets(SCEPAttribute.senderNonce, SCEPAttribute.newNonce()),
        ]
        var sealed: [UInt8]?
        switch try await answer(to: question, acceptsWeak, peer) {
        case .pending: attributes.append(.printable(SCEPAttribute.status, "3"))
        case .issued(let certificate):
            attributes.append(.printable(SCEPAttribute.status, "0"))
            sealed = try EnvelopedMessage.sealed(
                try CertificateBundle([certificate]).pkcs7(), for: question.signer, .aes128)
        case .failed(let failure, let text):
            attributes.append(.printable(SCEPAttribute.status, "2"))
            attributes.append(.printable(SCEPAttribute.failure, failure.rawValue))
            attributes.append(.utf8(SCEPAttribute.failureText, text))
        }
        let answer = try await SignedMessage.signed(sealed, attributes, by: authority.identity)
        return ServerResponse(.ok, contentType: "application/x-pki-message", body: HTTPBody(answer))
    }

    /// The request in a message. All that can be wrong with it is one answer: it must not show to an attacker who changes a
    /// message of another client how far its decryption went (RFC 3218 §2.3).
    private func request(in question: Question, _ acceptsWeak: Bool) -> ReceivedRequest? {
        if question.type == .poll {
            return waiting(question).flatMap { try? ReceivedRequest(der: $0.request) }
        }
        let plain = try? EnvelopedMessage.opened(
            question.message.content, with: KeyPair(of: authority.identity), allowsDES: acceptsWeak, recipients: 1)
        return plain.flatMap { try? ReceivedRequest(der: $0) }
    }

    private func waiting(_ question: Question) -> RegistrationState.Waiting? {
        authority.state.waiting(question.key, question.transaction, at: authority.now())
    }

    private static let unreadable =
        "The message holds no request for its signer that can be decrypted, and whose signature, key and names can be accepted."

    private func answer(
        to question: Question, _ acceptsWeak: Bool, _ peer: PeerDescription
    ) async throws -> Answer {
        // The answer is encrypted for this key.
        guard question.signer.hasRSAKey else {
            return .failed(.badRequest, "The key that signs a message of SCEP must be RSA.")
        }
        guard question.type == .request || question.type == .poll || question.type == .renewal else {
            return .failed(.badRequest, "This type of message is not supported.")
        }
        guard let request = request(in: question, acceptsWeak) else {
            return .failed(
                .badMessageCheck,
                question.type == .poll ? "No request with this transactionID waits." : Self.unreadable)
        }
        let isOurs = try await authority.isGood(question.signer) == true
        let isRenewal = isOurs && request.renews(question.signer)
        if question.type == .renewal, !isRenewal {
            return .failed(
                .badRequest,
                "A renewal is signed with a certificate of this authority that is valid, and asks for its names.")
        }
        // A client proves that it has the key of the request, or has a certificate of this authority.
        guard isOurs || question.signer.publicKeySHA256 == request.publicKeySHA256 else {
            return .failed(.badMessageCheck, Self.unreadable)
        }
        // A request that waits, or whose certificate was issued, was allowed before; its password may not count any more.
        let waiting = waiting(question).flatMap { $0.request == request.der ? $0 : nil }
        var isKnown = isOurs || waiting != nil
        if !isKnown { isKnown = try await authority.issued(for: request, replacing: nil) != nil }
        var user = waiting?.user
        if !isKnown, let password = request.challengePassword, let scep = authority.scep {
            user = try await scep.user(SecretBytes(password))
        }
        let asked = RegistrationRequest(
            subject: request.subject, alternativeNames: request.alternativeNames,
            publicKeySHA256: request.publicKeySHA256, client: isOurs ? question.signer : nil, user: user,
            isRenewal: isRenewal)
        var outcome = RegistrationAuthority.Outcome.refused("The challenge password is wrong or missing.")
        if isKnown || user != nil { outcome = try await authority.outcome(of: request, asked) }
        if case .waits = outcome,
            !authority.state.wait(question.key, question.transaction, request.der, of: user, at: authority.now())
        {
            outcome = .refused("Too many requests wait for a decision. Try again later.")
        }
        log(outcome, asked, "SCEP", peer.remoteAddress)
        switch outcome {
        case .waits: return .pending
        case .refused(let reason):
            authority.state.forget(question.key)
            return .failed(.badRequest, reason)
        case .issued(let certificate):
            authority.state.forget(question.key)
            return .issued(certificate)
        }
    }
}
#endif

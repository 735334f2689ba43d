import SignetAuthentication
import SignetHTTP
import SignetTLS

/// A question to a SCEP server, as far as its answer must fit it.
struct SCEPQuestion: Sendable {
    let type: SCEPMessageType
    /// What the server tells requests apart by (RFC 8894 §3.2.1.1). It depends on the key alone, so that a request that is
    /// sent again is not a new one.
    let transaction: String
    let nonce: [UInt8]

    init(_ type: SCEPMessageType, transaction: String) {
        self.type = type
        self.transaction = transaction
        nonce = SCEPAttribute.newNonce()
    }

    var attributes: [SignedMessage.Attribute] {
        [
            .printable(SCEPAttribute.messageType, type.rawValue),
            .printable(SCEPAttribute.transaction, transaction),
            .octets(SCEPAttribute.senderNonce, nonce),
        ]
    }
}

/// The answer of a SCEP server (CertRep, RFC 8894 §3.3.2).
enum SCEPAnswer: Sendable, Equatable {
    /// The certificates, encrypted for the key that signed the request.
    case issued([UInt8])
    case pending

    /// - Throws: ``EnrollmentError`` with `refused`, `malformedAnswer` or `unverifiedAnswer`.
    init(
        _ bytes: [UInt8], to question: SCEPQuestion, from origin: Origin, signers: [EncodedCertificate],
        acceptingSHA1: Bool
    ) throws(EnrollmentError) {
        let message: SignedMessage
        do { message = try SignedMessage(bytes) } catch {
            throw EnrollmentError(
                .malformedAnswer, "The answer of \(origin) cannot be read: \(error).", cause: error)
        }
        try Self.check(message, origin, signers, acceptingSHA1)
        guard message.text(SCEPAttribute.messageType) == SCEPMessageType.answer.rawValue,
            message.text(SCEPAttribute.transaction) == question.transaction,
            message.bytes(SCEPAttribute.recipientNonce) == question.nonce
        else {
            throw EnrollmentError(
                .unverifiedAnswer,
                "The answer of \(origin) is signed by the authority, but does not answer this request: its type, its transactionID or its recipientNonce is another one (RFC 8894 §3.2.1). An attacker may have sent an old answer again."
            )
        }
        switch message.text(SCEPAttribute.status) {
        case "0": self = .issued(message.content)
        case "3": self = .pending
        case "2":
            let reason =
                message.text(SCEPAttribute.failure).flatMap { Self.reasons[$0] } ?? "It gives no reason that is known."
            let says = message.text(SCEPAttribute.failureText).map { " It says: “\($0.printable)”." } ?? ""
            throw EnrollmentError(.refused, "The authority \(origin) refuses the request. \(reason)\(says)")
        case let status:
            throw EnrollmentError(
                .malformedAnswer,
                "The answer of \(origin) has \(status.map { "the unknown status “\($0.printable)”" } ?? "no status").")
        }
    }

    private static func check(
        _ message: SignedMessage, _ origin: Origin, _ signers: [EncodedCertificate], _ acceptingSHA1: Bool
    ) throws(EnrollmentError) {
        var obstacle: CMSProblem?
        for signer in signers {
            do {
                if try message.isSigned(by: signer, acceptingSHA1: acceptingSHA1) { return }
            } catch CMSProblem.weak(let what) {
                throw EnrollmentError(
                    .unsupported,
                    "The answer of \(origin) is signed by the authority and has \(what), which no longer protects. Update the server; if that cannot be, set acceptsWeakAnswers (signet: --accept-weak-answers)."
                )
            } catch { obstacle = obstacle ?? error }
        }
        if let obstacle {
            throw EnrollmentError(
                .unsupported, "The signature of the answer of \(origin) cannot be checked: \(obstacle).",
                cause: obstacle)
        }
        throw EnrollmentError(
            .unverifiedAnswer,
            "The answer of \(origin) is not signed by the authority. An attacker may have sent it. If another certificate of a registration authority signs, add its SHA-256 to the fingerprints."
        )
    }

    /// RFC 8894 §3.2.1.4.
    private static let reasons = [
        "0": "It does not support an algorithm of the request (badAlg).",
        "1": "It could not verify or decrypt the request (badMessageCheck). Is the challenge password right?",
        "2": "It does not allow the request (badRequest): look at the challenge password, the subject and its log.",
        "3": "The time of the request is too far from its own (badTime): compare the clocks.",
        "4": "It knows no certificate or request with this name (badCertId).",
    ]
}

/// Why one source did not say whether a certificate is revoked.
public struct RevocationProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code, as below.
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The certificate names no OCSP server and no revocation list that can be fetched over HTTP.
        public static let noSource = Code("noSource")
        /// The server did not answer in time.
        public static let timeout = Code("timeout")
        /// The server could not be reached, or answered with an HTTP error.
        public static let unreachable = Code("unreachable")
        /// The answer or list is larger than the limit.
        public static let tooLarge = Code("tooLarge")
        /// The answer or list cannot be read.
        public static let malformed = Code("malformed")
        /// The OCSP server is busy: `tryLater` (RFC 6960 §2.3).
        public static let tryLater = Code("tryLater")
        /// The OCSP server does not answer for this certificate or this client: `unauthorized` (RFC 6960 §2.3).
        public static let unauthorized = Code("unauthorized")
        /// The OCSP server failed: `internalError` (RFC 6960 §2.3).
        public static let serverError = Code("serverError")
        /// The OCSP server did not accept the request: `malformedRequest` or `sigRequired` (RFC 6960 §2.3).
        public static let requestRefused = Code("requestRefused")
        /// The OCSP server does not know the certificate: `unknown` (RFC 6960 §2.2).
        public static let unknownCertificate = Code("unknownCertificate")
        /// The answer or list is about other certificates.
        public static let notCovered = Code("notCovered")
        /// The signer of the answer or list may not speak for the issuer of the certificate.
        public static let untrustedSigner = Code("untrustedSigner")
        /// The signature was not made by the key of the signer.
        public static let badSignature = Code("badSignature")
        /// The signature or key is too weak or of an unknown kind.
        public static let weakAlgorithm = Code("weakAlgorithm")
        /// The answer or list is of a time in the future, or the local clock is slow.
        public static let notYetValid = Code("notYetValid")
        /// The answer or list should have been replaced by a newer one.
        public static let outdated = Code("outdated")
        /// The answer belongs to another request.
        public static let nonceMismatch = Code("nonceMismatch")
        /// The list is of a kind that is not used here: only changes, for several authorities, or with an unknown
        /// critical extension.
        public static let unsupported = Code("unsupported")
        /// This certificate was not looked up: another one of the path is revoked, or there was no connection.
        public static let notReached = Code("notReached")
    }

    /// The kind of problem, for a program to act on.
    public let code: Code
    /// What is wrong, and what to do next.
    public let message: String
    /// The address that was asked; nil when no address was.
    public let url: String?

    init(_ code: Code, _ message: String, at url: String? = nil) {
        self.code = code
        self.message = message
        self.url = url
    }

    /// The same problem at the address where it was found.
    func at(_ url: String) -> RevocationProblem { RevocationProblem(code, message, at: url) }

    /// The address and the message.
    public var description: String { url.map { "\($0): \(message)" } ?? message }
}

extension RevocationProblem {
    /// Reads a part of an answer or a list. An error of the decoder becomes a problem of code `malformed`.
    ///
    /// - Parameter what: the answer or the list, as the beginning of a sentence.
    static func reading<Value>(_ what: String, _ body: () throws -> Value) throws(RevocationProblem) -> Value {
        do {
            return try body()
        } catch let problem as RevocationProblem {
            throw problem
        } catch {
            // The decoder's own errors name lines of its source, which do not help a user.
            let reason = (error as? EncodingError)?.description ?? "it is cut off or not DER"
            throw RevocationProblem(
                .malformed,
                "\(what) cannot be read: \(reason). The authority must repair it, unless something between, such as a login page, answered."
            )
        }
    }

    /// Checks a signature of the owner of `signer`.
    ///
    /// - Parameter what: the answer or the list, as the beginning of a sentence.
    static func checkSignature(
        _ what: String, by signer: CertificateContent, _ check: (CertificateContent) throws(AlgorithmProblem) -> Bool
    ) throws(RevocationProblem) {
        let isGood: Bool
        do throws(AlgorithmProblem) {
            isGood = try check(signer)
        } catch {
            throw RevocationProblem(.weakAlgorithm, "\(what) has \(error). The authority must sign it in another way.")
        }
        if !isGood {
            throw RevocationProblem(
                .badSignature,
                "\(what) was not signed by the key of “\(signer.subject.text)”. It is forged or damaged, or the authority has a new key."
            )
        }
    }
}

import Foundation
import HTTPTypes
import SignetAuthentication
public import SignetCredentials
public import SignetHTTP
public import SignetTLS

/// The Simple Certificate Enrolment Protocol (SCEP, RFC 8894), by which routers, printers and managed devices get their
/// certificates.
///
/// Its messages are signed and encrypted themselves, so that they may go over plain HTTP. What proves the authority is the
/// SHA-256 of its certificate, which its operator tells you. It knows the client by a ``challengePassword``, and a renewal
/// by the identity in use, which signs the request. Where the server does not offer that, or the key of that identity is
/// not RSA in memory, a renewal has the password like the first request.
///
/// ```swift
/// var enroller = try SCEPEnroller(
///     at: try Endpoint("http://ca.example/scep"), fingerprints: [fingerprint], over: transport)
/// enroller.challengePassword = SecretBytes(password)
/// ```
///
/// Keys are RSA and in memory: the answer is encrypted for them. Requests use SHA-256, and AES or, where the server has no AES,
/// triple DES.
public struct SCEPEnroller: Enroller {
    /// The address of the service.
    public let endpoint: Endpoint
    /// SHA-256 of the certificate of the authority that issues, 32 bytes; that of a root above it does not help.
    ///
    /// A registration authority that answers for it is recognised by its extended key usage, that of CMC (RFC 6402 §2.10) or
    /// the Certificate Request Agent of Windows, which other agents may have, too. When registration authorities are named
    /// here, no other one is accepted.
    public let fingerprints: Set<[UInt8]>
    /// The authorities of the server's own certificate; nil for those of the system, and for plain HTTP.
    public let trust: TrustPolicy?
    /// The password that the authority knows the caller by, often for one request only; nil for no password.
    public var challengePassword: SecretBytes?
    /// The name of the authority, where a server has several; nil for no name.
    public var authorityName: String?
    /// Whether answers may be signed over SHA-1 and encrypted with DES, as some old servers do. Requests are not.
    public var acceptsWeakAnswers = false
    /// How long to wait before the authority is asked again about a request that it has not decided; at least one second.
    public var interval = Duration.seconds(60)
    /// How long the parts of each exchange may take.
    public var deadlines = Deadlines()
    private let transport: IdentityTransport

    /// - Parameters:
    ///   - endpoint: see ``endpoint``; an address without a path gets `/cgi-bin/pkiclient.exe` (RFC 8894 §4.1).
    ///   - fingerprints: see ``fingerprints``.
    ///   - trust: see ``trust``.
    ///   - transport: makes the connections.
    /// - Throws: ``EnrollmentError`` with `unsupported` for an address with a query, or with `trust` for plain HTTP; with
    ///   `wrongFingerprint` for a fingerprint that is not 32 bytes.
    public init(
        at endpoint: Endpoint, fingerprints: Set<[UInt8]>, trust: TrustPolicy? = nil,
        over transport: @escaping IdentityTransport
    ) throws(EnrollmentError) {
        guard !endpoint.path.contains("?") else {
            throw EnrollmentError(
                .unsupported, "\(endpoint) is no address of a SCEP server: leave out the “?” and what follows it.")
        }
        guard trust == nil || endpoint.origin.scheme == .https else {
            throw EnrollmentError(
                .unsupported, "\(endpoint) is reached without TLS, where authorities of the server have no effect.")
        }
        guard !fingerprints.isEmpty, fingerprints.allSatisfy({ $0.count == 32 }) else {
            throw EnrollmentError(
                .wrongFingerprint,
                "A fingerprint is the SHA-256 of a certificate, 32 bytes, and at least one is needed. Ask the operator of the authority for it."
            )
        }
        self.endpoint =
            endpoint.path == "/" ? Endpoint(origin: endpoint.origin, path: "/cgi-bin/pkiclient.exe") : endpoint
        self.fingerprints = fingerprints
        self.trust = trust
        self.transport = transport
    }

    public func demands(_ identity: Identity?) async throws -> EnrollmentDemands {
        var demands = EnrollmentDemands()
        demands.key = .rsa(bits: 2048)
        demands.challengePassword = challengePassword
        return demands
    }

    public func enroll(_ request: EnrollmentRequest) async throws -> EnrollmentAnswer {
        guard request.key.decrypts else {
            throw EnrollmentError(
                .unsupported,
                "The answer of a SCEP server is encrypted for the key, so that it must be RSA and in memory; this one is \(request.key.kind)."
            )
        }
        let isSecure = endpoint.origin.scheme == .https
        if let identity = request.identity, !request.isRenewal, !isSecure {
            throw EnrollmentError(
                .unsupported,
                "\(endpoint) is reached without TLS, so that “\(identity.leaf.subject)” cannot be shown. Leave firstIdentity and retiring out, or take an address with https://."
            )
        }
        let shown = isSecure ? request.identity : nil
        return try await withConnections(
            to: endpoint.origin, showing: shown, trusting: trust ?? .system, over: transport
        ) { connection in
            let now = Int64(Date().timeIntervalSince1970)
            let capabilities = try await capabilities(over: connection)
            let cipher = try capabilities.cipher(endpoint.origin)
            let authorities = try await authorities(over: connection, now: now)
            // Only an identity in memory can read an answer that is encrypted for it.
            let renewed =
                request.isRenewal && capabilities.renews
                ? request.identity.flatMap { KeyPair(of: $0).decrypts ? $0 : nil } : nil
            let signer: Identity
            if let renewed {
                signer = renewed
            } else {
                signer = try await request.content.selfSignedIdentity(
                    request.key, notBefore: now - 86_400, notAfter: now + 7 * 86_400)
            }
            let isPoll = request.reference != nil && request.reference == reference(request)
            let question = SCEPQuestion(
                isPoll ? .poll : renewed == nil ? .request : .renewal, transaction: Self.transaction(request))
            let message = try await message(
                question,
                isPoll ? try request.content.issuerAndSubject(issuer: authorities.issuer) : request.content.der,
                cipher, for: authorities.recipient, by: signer)
            let bytes = try await send(message, post: capabilities.takesPost, over: connection)
            let answer = try SCEPAnswer(
                bytes, to: question, from: endpoint.origin, signers: authorities.signers,
                acceptingSHA1: acceptsWeakAnswers)
            switch answer {
            case .pending: return .pending(after: interval, reference: reference(request))
            case .issued(let sealed):
                let certificates = try certificates(in: sealed, for: KeyPair(of: signer))
                return .issued(certificates + authorities.others)
            }
        }
    }

    private static func transaction(_ request: EnrollmentRequest) -> String {
        Text.hexadecimal(request.key.publicKeySHA256)
    }

    /// Another authority knows nothing of this request.
    private func reference(_ request: EnrollmentRequest) -> String {
        "\(Self.transaction(request)) \((authorityName ?? "").percentEncoded.prefix(80)) \(endpoint.url.prefix(250))"
    }

    // MARK: Content

    private func authorities(over connection: any ClientTransport, now: Int64) async throws -> SCEPAuthorities {
        let bytes = try checked(try await get("GetCACert", over: connection), "GetCACert")
        var certificates = [EncodedCertificate(der: bytes)]
        if certificates.first?.publicKeySHA256 == nil {
            do { certificates = try CertificateBundle(pkcs7: bytes).certificates } catch {
                throw EnrollmentError(
                    .malformedAnswer,
                    "The server \(endpoint.origin) answered GetCACert with no certificates: \(error.message) Is this the address of a SCEP server?",
                    cause: error)
            }
        }
        return try SCEPAuthorities(certificates, fingerprints: fingerprints, at: endpoint.origin, now: now)
    }

    private func message(
        _ question: SCEPQuestion, _ content: [UInt8], _ cipher: EnvelopedMessage.Cipher,
        for recipient: EncodedCertificate, by signer: Identity
    ) async throws -> [UInt8] {
        do {
            let sealed = try EnvelopedMessage.sealed(content, for: recipient, cipher)
            return try await SignedMessage.signed(sealed, question.attributes, by: signer)
        } catch let problem as CMSProblem {
            throw EnrollmentError(
                .unsupported, "No request can be made for “\(recipient.subject)”: \(problem).", cause: problem)
        }
    }

    private func certificates(in sealed: [UInt8], for key: KeyPair) throws -> [EncodedCertificate] {
        let unreadable = "The authority \(endpoint.origin) issued certificates that cannot be read: "
        let plain: [UInt8]
        do { plain = try EnvelopedMessage.opened(sealed, with: key, allowsDES: acceptsWeakAnswers) } catch {
            if case .weak(let what) = error {
                throw EnrollmentError(
                    .unsupported,
                    "The answer of \(endpoint.origin) has \(what). Update the server; if that cannot be, set acceptsWeakAnswers (signet: --accept-weak-answers)."
                )
            }
            throw EnrollmentError(.malformedAnswer, unreadable + "\(error).", cause: error)
        }
        do { return try CertificateBundle(pkcs7: plain).certificates } catch {
            throw EnrollmentError(.malformedAnswer, unreadable + error.message, cause: error)
        }
    }

    // MARK: Exchanges

    /// The certificates of an authority have a few kilobytes.
    private static let maximumBytes = 256 << 10

    private func capabilities(over connection: any ClientTransport) async throws -> SCEPCapabilities {
        let response = try await get("GetCACaps", over: connection)
        // Older servers do not know the question (RFC 8894 §3.5.1).
        let isUnknown = [400, 404, 405, 500, 501].contains(response.status.code)
        let content = isUnknown ? [] : try checked(response, "GetCACaps")
        return SCEPCapabilities(content, answer: "\(response.status) and \(Self.mediaType(of: response))")
    }

    private func get(_ operation: String, over connection: any ClientTransport) async throws -> ClientResponse {
        let query = authorityName.map { "&message=\($0.percentEncoded)" } ?? ""
        return try await send(.get, operation, query, over: connection)
    }

    private static func mediaType(of response: ClientResponse) -> String {
        response.fields[.contentType].map { MediaType($0).essence.printable } ?? "no media type"
    }

    private func send(_ message: [UInt8], post: Bool, over connection: any ClientTransport) async throws -> [UInt8] {
        let operation = "PKIOperation"
        let response =
            post
            ? try await send(.post, operation, "", message, over: connection)
            : try await send(
                .get, operation, "&message=\(Text.base64(message).percentEncoded)", over: connection)
        let bytes = try checked(response, operation)
        guard bytes.first == 0x30 else {
            throw EnrollmentError(
                .malformedAnswer,
                "The answer to \(operation) is no message of SCEP; it has \(Self.mediaType(of: response)). Is this the address of a SCEP server?"
            )
        }
        return bytes
    }

    private func send(
        _ method: HTTPRequest.Method, _ operation: String, _ query: String, _ content: [UInt8] = [],
        over connection: any ClientTransport
    ) async throws -> ClientResponse {
        var request = ClientRequest(
            endpoint, method: method, fields: content.isEmpty ? [:] : [.contentType: "application/x-pki-message"],
            body: HTTPBody(content), deadlines: deadlines, maximumResponseBytes: Self.maximumBytes)
        request.path = "\(endpoint.path)?operation=\(operation)\(query)"
        return try await connection.send(request)
    }

    private func checked(_ response: ClientResponse, _ operation: String) throws(EnrollmentError) -> [UInt8] {
        guard response.status == .ok else {
            throw EnrollmentError(
                .refused,
                "The server \(endpoint.origin) answered \(response.status.code) to \(operation). Check the address; its log says more."
            )
        }
        return response.body
    }
}

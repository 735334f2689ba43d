import HTTPTypes
import SignetAuthentication
public import SignetHTTP
public import SignetTLS

/// Enrollment over Secure Transport (EST, RFC 7030 and RFC 8951).
///
/// The authority is reached over HTTPS. It knows the client by the identity that the client shows, by HTTP credentials
/// that the transport has, or by both.
public struct ESTEnroller: Enroller {
    /// The address of the service, such as `https://ca.example/.well-known/est`, or with a label of the authority:
    /// `https://ca.example/.well-known/est/devices`.
    public let endpoint: Endpoint
    /// The authorities of the EST server's own certificate.
    public var trust: TrustPolicy
    /// How long the parts of each exchange may take.
    public var deadlines = Deadlines()
    private let transport: IdentityTransport

    /// The certificates of a chain have a few kilobytes.
    private static let maximumBytes = 256 << 10

    /// - Parameters:
    ///   - endpoint: see ``endpoint``; an address without a path gets `/.well-known/est`.
    ///   - trust: see ``trust``; ``ESTBootstrap`` finds it by a fingerprint.
    ///   - transport: makes the connections, with the HTTP credentials for the authority if it demands some.
    /// - Throws: ``EnrollmentError`` with `unsupported` for an address without TLS.
    public init(
        at endpoint: Endpoint, trust: TrustPolicy, over transport: @escaping IdentityTransport
    ) throws(EnrollmentError) {
        guard endpoint.origin.scheme == .https, !endpoint.path.contains("?") else {
            throw EnrollmentError(
                .unsupported,
                "\(endpoint) is no address of an EST server: it begins with https (RFC 7030 §3.3) and has no query.")
        }
        self.endpoint = endpoint.path == "/" ? Endpoint(origin: endpoint.origin, path: "/.well-known/est") : endpoint
        self.trust = trust
        self.transport = transport
    }

    // MARK: Operations

    /// The certificates of the authority (§4.1). They are trusted only as far as ``trust`` vouches for the server.
    ///
    /// - Parameter identity: what the client shows, where the server demands a certificate on each connection.
    public func authorities(showing identity: Identity? = nil) async throws -> CertificateBundle {
        let response = try await send(.get, "cacerts", as: identity)
        return CertificateBundle(try certificates(in: response, "cacerts"))
    }

    public func demands(_ identity: Identity?) async throws -> EnrollmentDemands {
        let response = try await send(.get, "csrattrs", as: identity, accepting: [204, 404, 501])
        guard response.status == .ok, !response.body.isEmpty else { return EnrollmentDemands() }
        return try CSRAttributes(try Self.decoded(response, "csrattrs")).demands
    }

    public func enroll(_ request: EnrollmentRequest) async throws -> EnrollmentAnswer {
        let operation = request.isRenewal && request.identity != nil ? "simplereenroll" : "simpleenroll"
        let response = try await send(
            .post, operation, as: request.identity, content: ("application/pkcs10", request.content.der),
            accepting: [202])
        if response.status == .accepted { return .pending(after: Self.pause(response)) }
        // The answer has the certificate alone (§4.2.3); what leads from there to the authority is elsewhere (§4.1.3).
        return .issued(
            try certificates(in: response, operation) + (try await authorities(showing: request.identity).certificates))
    }

    /// Asks the authority to make the key, too (§4.4): for devices without a good source of random numbers. The key then
    /// travels over the connection, and the authority knows it: prefer ``Enrollment``.
    ///
    /// - Parameters:
    ///   - subject: the subject that is asked for.
    ///   - identity: what the client shows; nil for nothing.
    ///   - purposes: what the certificate is for.
    /// - Returns: the identity, which has not been checked: give it to ``IdentityReplacement/replace(with:)``.
    /// - Throws: ``EnrollmentError`` with `pending` when the authority decides later, and as ``enroll(_:)``.
    ///   This call cannot be taken up again.
    public func identityWithKeyOfAuthority(
        subject: SubjectName, showing identity: Identity?, purposes: [CertificateSigningRequest.Purpose] = [.client]
    ) async throws -> Identity {
        // The request must be signed; the authority ignores the key that signs it (§4.4.1).
        let request = try await CertificateSigningRequest(
            subject: subject, purposes: purposes, key: try .generate(.p256))
        let response = try await send(
            .post, "serverkeygen", as: identity, content: ("application/pkcs10", request.der), accepting: [202])
        guard response.status == .ok else {
            throw EnrollmentError(
                .pending,
                "The authority \(endpoint.origin) makes the key later, which is not supported. Make it yourself with Enrollment, whose key waits."
            )
        }
        return try GeneratedKey(response, endpoint.origin).identity()
    }

    // MARK: Exchanges

    private func send(
        _ method: HTTPRequest.Method, _ operation: String, as identity: Identity?,
        content: (type: String, bytes: [UInt8])? = nil, accepting others: Set<Int> = []
    ) async throws -> ClientResponse {
        let path = endpoint.path.hasSuffix("/") ? endpoint.path + operation : "\(endpoint.path)/\(operation)"
        var fields: HTTPFields = [:]
        if let content { fields[.contentType] = content.type }
        // RFC 8951 §3.1: base64, and no field that says so.
        var request = ClientRequest(
            Endpoint(origin: endpoint.origin, path: path), method: method, fields: fields,
            body: HTTPBody(Array((content.map { Text.base64($0.bytes) } ?? "").utf8)), deadlines: deadlines,
            maximumResponseBytes: Self.maximumBytes)
        request.path = path
        let response = try await withConnections(
            to: endpoint.origin, showing: identity, trusting: trust, over: transport
        ) { [request] in try await $0.send(request) }
        let status = response.status.code
        if status == 200 || others.contains(status) { return response }
        let says = Self.text(of: response)
        let isUs = [401, 403].contains(status)
        throw EnrollmentError(
            .refused,
            "The authority \(endpoint.origin) answered \(status) to \(operation)\(says.isEmpty ? "" : ": “\(says)”"). "
                + (isUs
                    ? "Give the identity or the credentials that it knows the client by."
                    : status == 404
                        ? "Check the address, and whether the authority has a label in its path."
                        : "Its log says more."))
    }

    /// The reason that a server gives in plain text (§4.2.3), cut off and without control characters.
    private static func text(of response: ClientResponse) -> String {
        guard let type = response.fields[.contentType], MediaType(type).essence == "text/plain" else { return "" }
        return String(decoding: response.body.prefix(200), as: UTF8.self).printable
    }

    private static func pause(_ response: ClientResponse) -> Duration {
        let text = response.fields[.retryAfter] ?? ""
        if let seconds = UInt32(text) { return .seconds(Int64(seconds)) }
        guard let date = CookieDate.seconds(text), let sent = response.fields[.date].flatMap(CookieDate.seconds)
        else { return .seconds(60) }
        let (pause, overflow) = date.subtractingReportingOverflow(sent)
        return .seconds(overflow ? 60 : max(0, pause))
    }

    // MARK: Content

    private func certificates(in response: ClientResponse, _ operation: String) throws -> [EncodedCertificate] {
        if response.body.starts(with: Array("-----".utf8)), let bundle = try? CertificateBundle(pem: response.body) {
            return bundle.certificates
        }
        let bytes = try Self.decoded(response, operation)
        do { return try CertificateBundle(pkcs7: bytes).certificates } catch {
            throw EnrollmentError(
                .malformedAnswer,
                "The authority \(endpoint.origin) answered \(operation) with no certificates: \(error.message)",
                cause: error)
        }
    }

    /// Some servers send DER in place of base64.
    static func decoded(_ response: ClientResponse, _ operation: String) throws(EnrollmentError) -> [UInt8] {
        guard let bytes = decoded(response.body) else {
            let type = response.fields[.contentType].map { MediaType($0).essence.printable } ?? "no media type"
            throw EnrollmentError(
                .malformedAnswer,
                "The answer to \(operation) is not base64 (RFC 8951 §3.1); it has \(type). Is this the address of an EST server?"
            )
        }
        return bytes
    }

    static func decoded(_ body: [UInt8]) -> [UInt8]? {
        if body.first == 0x30 { return body }
        return body.isEmpty ? nil : Text.bytes(base64: body)
    }
}

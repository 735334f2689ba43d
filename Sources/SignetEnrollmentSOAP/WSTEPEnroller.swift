import SignetAuthentication
public import SignetEnrollment
public import SignetHTTP
import SignetSOAP
public import SignetTLS
public import SignetWSSecurity
import SignetXML

/// Certificates of a Windows authority, by its Certificate Enrollment Web Service (MS-WSTEP, a profile of WS-Trust 1.3).
///
/// The authority knows the client by the identity that the client shows, by Negotiate or another scheme of HTTP that
/// the transport has credentials for, or by ``usernameToken``. Which of them, its address says: `…_CES_Certificate`,
/// `…_CES_Kerberos` or `…_CES_UsernamePassword`.
///
/// ```swift
/// let address = try Endpoint("https://ca.example/Bank-CA_CES_Certificate/service.svc/CES")
/// var enroller = try WSTEPEnroller(at: address, trust: trust, over: transport)
/// enroller.demands.extensions = [try .template("BankDevice")]
/// ```
///
/// A renewal is an ordinary request over a connection that shows the identity in use. Services that take renewals only,
/// signed with the former key, are not supported.
public struct WSTEPEnroller: Enroller {
    /// The address of the service.
    public let endpoint: Endpoint
    /// The authorities of the service's own certificate.
    public var trust: TrustPolicy
    /// A name and a password in each message (WS-Security); nil where the identity or HTTP credentials are enough.
    public var usernameToken: UsernameToken?
    /// What requests must have: the template of the certificate above all, which a standalone authority does without.
    /// Templates usually demand RSA, so that a key is RSA with 2048 bits unless something else is said.
    public var demands = EnrollmentDemands()
    /// The service that is asked, before each request, what the template with this name demands; nil to use ``demands``.
    /// When both are set, enrollments end with `EnrollmentError` and `unsupported`.
    public var policy: (service: EnrollmentPolicyService, name: String)?
    /// How long to wait before the authority is asked again about a request that it has not decided.
    public var interval = Duration.seconds(60)
    /// How long the parts of each exchange may take.
    public var deadlines = Deadlines()
    private let transport: IdentityTransport

    /// - Parameters:
    ///   - endpoint: see ``endpoint``.
    ///   - trust: see ``trust``.
    ///   - transport: makes the connections, with the HTTP credentials for the service if it demands some.
    /// - Throws: `EnrollmentError` with `unsupported` for an address without TLS.
    public init(
        at endpoint: Endpoint, trust: TrustPolicy, over transport: @escaping IdentityTransport
    ) throws(EnrollmentError) {
        try EnrollmentCall.check(endpoint)
        self.endpoint = endpoint
        self.trust = trust
        self.transport = transport
        demands.usualKey = WSTEP.usualKey
    }

    public func demands(_ identity: Identity?) async throws -> EnrollmentDemands {
        guard let policy else { return demands }
        var usual = EnrollmentDemands()
        usual.usualKey = demands.usualKey
        guard demands == usual else {
            throw EnrollmentError(
                .unsupported,
                "What requests for \(endpoint) must have is said twice, by demands and by policy of the WSTEPEnroller: set one of them."
            )
        }
        return try await policy.service.policies(showing: identity).demands(for: policy.name)
    }

    public func enroll(_ request: EnrollmentRequest) async throws -> EnrollmentAnswer {
        let number = request.reference.flatMap(number(in:))
        let call = EnrollmentCall(
            endpoint: endpoint, trust: trust, transport: transport, usernameToken: usernameToken,
            deadlines: deadlines, identity: request.identity)
        let answers = try await call(WSTEP.operation, WSTEP.request(request.content, number: number))
        switch try WSTEPAnswer(answers, from: endpoint.origin, asking: number, for: request.key) {
        case .issued(let certificates): return .issued(certificates)
        case .pending(let number): return .pending(after: interval, reference: reference(number))
        }
    }

    /// Another authority has another request with the same number.
    private func reference(_ number: String) -> String { number + " " + endpoint.url.prefix(Self.maximumAddress) }

    private func number(in reference: String) -> String? {
        let parts = reference.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[1] == endpoint.url.prefix(Self.maximumAddress) else { return nil }
        return String(parts[0])
    }

    private static let maximumAddress = 256
}

/// The messages of MS-WSTEP.
enum WSTEP {
    static let namespace = "http://schemas.microsoft.com/windows/pki/2009/01/enrollment"
    private static let security = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-"
    static let requestID = XMLName(XMLNamespace(namespace), "RequestID")
    static let disposition = XMLName(XMLNamespace(namespace), "DispositionMessage")
    static let usualKey = KeyPair.Kind.rsa(bits: 2048)

    static let operation = ServiceOperation<SecurityTokenRequest, SecurityTokenResponses>(
        name: "RequestSecurityToken2", soapAction: namespace + "/RST/wstep", version: .soap12,
        input: TrustName.request, output: TrustName.responses,
        faults: [.declared(XMLName(XMLNamespace(namespace), "CertificateEnrollmentWSDetail"), WSTEPDetail.self)])

    /// MS-WSTEP §3.1.4.1.3.3.
    static func request(_ content: CertificateSigningRequest, number: String?) throws -> SecurityTokenRequest {
        let tokenType = security + "x509-token-profile-1.0#X509v3"
        guard let number else {
            let token = BinarySecurityToken(
                base64: Text.base64(content.der), valueType: namespace + "#PKCS10",
                encodingType: security + "wssecurity-secext-1.0.xsd#base64binary")
            return SecurityTokenRequest(
                language: "en-US", tokenType: tokenType, requestType: TrustName.issue, binaryToken: token)
        }
        return SecurityTokenRequest(
            language: "en-US", tokenType: tokenType, requestType: namespace + "/QueryTokenStatus",
            extensions: [try XMLFragment(requestID, text: number)])
    }
}

/// The detail of a fault (MS-WSTEP §3.1.4.1.3.7).
struct WSTEPDetail: XMLStructure {
    var errorCode: Int32?

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([WSTEP.namespace], elements: "ErrorCode?")
        fields.field(&x.errorCode)
    }

    /// What the authority's error means, and what to do about it.
    var advice: String {
        guard let errorCode else { return "" }
        let digits = String(UInt32(bitPattern: errorCode), radix: 16)
        return " The error is 0x\(digits)." + (Self.meanings[digits].map { " \($0)" } ?? "")
    }

    /// MS-ERREF §2.1.
    private static let meanings = [
        "80094001": "The subject of the request is invalid or too long.",
        "80094002": "The authority knows no request with this number.",
        "80094003": "The state of the request does not allow this.",
        "80094004": "The authority knows no request with this number.",
        "80094011": "The account may not enroll at this authority.",
        "80094012":
            "The account may not enroll for this template: the administrator allows it in the template's permissions.",
        "80094014": "A certificate manager denied the request.",
        "80094800": "The authority does not issue by this template: name one that it publishes.",
        "80094801":
            "The request names no template: add the extension template(_:) to the demands (signet: --template).",
        "80094811":
            "The key is too short for the template, which may also be one of an elliptic curve: ask for RSA (signet: --key-type rsa:2048), or let the policy service say what the template demands (signet: --policies).",
    ]
}

/// What an answer of MS-WSTEP says.
enum WSTEPAnswer: Equatable {
    case issued([EncodedCertificate])
    /// The authority decides later; the number of the request.
    case pending(String)

    init(_ answers: SecurityTokenResponses, from origin: Origin, asking number: String?, for key: KeyPair) throws {
        // One request was sent.
        guard let response = answers.responses.first else {
            throw Self.malformed(origin, "no RequestSecurityTokenResponse")
        }
        // Beside the token there is a CMC response, also while the authority decides (MS-WSTEP §3.1.4.1.3.2): among its
        // certificates may be no more than those of the authority that signed it.
        let others = response.binaryToken.flatMap { try? Self.certificates($0.text, origin) } ?? []
        if let token = response.token?.binaryToken, !token.text.isEmpty {
            self = .issued(try Self.certificates(token.text, origin) + others)
            return
        }
        if others.contains(where: key.belongs(to:)) {
            self = .issued(others)
            return
        }
        func part(_ name: XMLName) -> String {
            response.extensions.first { $0.isElement(name) && !$0.isNil }?.text.trimmedXMLSpace ?? ""
        }
        let answered = part(WSTEP.requestID)
        guard let waiting = answered.isEmpty ? number : answered else {
            let says = part(WSTEP.disposition).printable
            throw EnrollmentError(
                .refused,
                "The authority \(origin) issued no certificate, and gave the request no number\(says.isEmpty ? "" : ": “\(says)”"). Its log says more."
            )
        }
        guard (1...20).contains(waiting.utf8.count), waiting.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw Self.malformed(origin, "the number “\(waiting.printable)” of a request")
        }
        self = .pending(waiting)
    }

    private static func certificates(_ text: String, _ origin: Origin) throws -> [EncodedCertificate] {
        // Some services write the reference to a carriage return twice, so that it is text.
        let base64 = text.replacing("&#xD;", with: "").filter { !$0.isWhitespace }
        guard let bytes = Text.bytes(base64: base64.utf8), !bytes.isEmpty else {
            throw malformed(origin, "a BinarySecurityToken that is not base64")
        }
        if let certificates = try? CertificateBundle(pkcs7: bytes).certificates { return certificates }
        let certificate = EncodedCertificate(der: bytes)
        guard certificate.publicKeySHA256 != nil else {
            throw malformed(origin, "a BinarySecurityToken that is neither a certificate nor PKCS#7 with one")
        }
        return [certificate]
    }

    private static func malformed(_ origin: Origin, _ what: String) -> EnrollmentError {
        EnrollmentError(.malformedAnswer, "The authority \(origin) answered with \(what).")
    }
}

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
/// enroller.demands = try .template("BankDevice")
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
    /// What requests must have: the template of the certificate above all. An authority without a policy of its own
    /// needs none.
    public var demands = EnrollmentDemands()
    /// Certificates that lead from the issued one to an authority, where the service does not send them.
    public var intermediates = CertificateBundle([])
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
    }

    public func demands(_ identity: Identity?) async throws -> EnrollmentDemands { demands }

    public func enroll(_ request: EnrollmentRequest) async throws -> EnrollmentAnswer {
        let answer = try await EnrollmentCall(
            endpoint, trust, transport, usernameToken, deadlines, request.identity
        )(WSTEP.operation, WSTEP.request(request.content, reference: request.reference))
        return try WSTEPAnswer(answer, from: endpoint.origin, asking: request.reference).judged(
            interval, intermediates)
    }
}

/// The messages of MS-WSTEP.
enum WSTEP {
    static let namespace = "http://schemas.microsoft.com/windows/pki/2009/01/enrollment"
    private static let security = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-"
    static let requestID = XMLName(XMLNamespace(namespace), "RequestID")
    static let disposition = XMLName(XMLNamespace(namespace), "DispositionMessage")

    static let operation = ServiceOperation<SecurityTokenRequest, SecurityTokenResponses>(
        name: "RequestSecurityToken2", soapAction: namespace + "/RST/wstep", version: .soap12,
        input: TrustName.request, output: TrustName.responses,
        faults: [.declared(XMLName(XMLNamespace(namespace), "CertificateEnrollmentWSDetail"), WSTEPDetail.self)])

    /// MS-WSTEP §3.1.4.1.2.
    static func request(_ content: CertificateSigningRequest, reference: String?) throws -> SecurityTokenRequest {
        let tokenType = security + "x509-token-profile-1.0#X509v3"
        guard let reference else {
            let token = BinarySecurityToken(
                base64: Text.base64(content.der), valueType: namespace + "#PKCS10",
                encodingType: security + "wssecurity-secext-1.0.xsd#base64binary")
            return SecurityTokenRequest(
                language: "en-US", tokenType: tokenType, requestType: TrustName.issue, binaryToken: token)
        }
        return SecurityTokenRequest(
            language: "en-US", tokenType: tokenType, requestType: namespace + "/QueryTokenStatus",
            extensions: [try XMLFragment(requestID, text: reference)])
    }
}

/// The detail of a fault (MS-WSTEP §3.1.4.1.3.1).
struct WSTEPDetail: XMLStructure {
    var binaryResponse: String?
    var errorCode: Int32?
    var isInvalidRequest: Bool?
    var requestID: String?

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            [WSTEP.namespace], elements: "BinaryResponse? ErrorCode? InvalidRequest? RequestID?")
        fields.field(&x.binaryResponse)
        fields.field(&x.errorCode)
        fields.field(&x.isInvalidRequest)
        fields.field(&x.requestID)
    }

    /// What the authority's error means, and what to do about it.
    var advice: String {
        guard let errorCode else { return "" }
        let digits = String(UInt32(bitPattern: errorCode), radix: 16)
        return " (error 0x\(digits))." + (Self.meanings[digits].map { " \($0)" } ?? "")
    }

    /// MS-ERREF §2.1.
    private static let meanings = [
        "80094800": "The authority does not issue by this template: name one that it publishes.",
        "80094012":
            "The account may not enroll for this template: the administrator allows it in the template's permissions.",
        "80094011": "The account may not enroll at this authority.",
        "80094001": "The subject of the request is not allowed.",
        "80094811": "The key is too short for the template.",
        "80094801": "The request names no template: set one (demands, --template).",
        "80094014": "The authority knows no request with this number.",
    ]
}

/// What an answer of MS-WSTEP says.
struct WSTEPAnswer {
    private var certificates: [EncodedCertificate] = []
    private var requestID: String?
    private var disposition = ""
    private let origin: Origin
    private let reference: String?

    init(_ answer: SecurityTokenResponses, from origin: Origin, asking reference: String?) throws {
        self.origin = origin
        self.reference = reference
        // One request was sent.
        guard let response = answer.responses.first else {
            throw Self.malformed(origin, "no RequestSecurityTokenResponse")
        }
        for part in response.extensions where !part.isNil {
            if part.isElement(WSTEP.requestID) { requestID = part.text.trimmedXMLSpace }
            if part.isElement(WSTEP.disposition) { disposition = String(part.text.prefix(200)).printable }
        }
        // The token itself first; beside it, the chain in PKCS#7 (MS-WSTEP §3.1.4.1.3.4).
        for token in [response.token?.binaryToken, response.binaryToken] {
            guard let text = token?.text, !text.isEmpty else { continue }
            certificates += try Self.certificates(text, origin)
        }
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

    func judged(_ interval: Duration, _ intermediates: CertificateBundle) throws -> EnrollmentAnswer {
        guard certificates.isEmpty else { return .issued(certificates + intermediates.certificates) }
        guard let number = requestID ?? reference, !number.isEmpty else {
            throw EnrollmentError(
                .refused,
                "The authority \(origin) issued no certificate and named no request\(disposition.isEmpty ? "" : ": “\(disposition)”"). Its log says more."
            )
        }
        return .pending(after: interval, reference: number)
    }
}

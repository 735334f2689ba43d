import SignetAuthentication
import SignetEnrollment
import SignetHTTP
import SignetSOAP
import SignetTLS
import SignetWSSecurity

/// One call to an enrollment service of Windows: SOAP 1.2 with WS-Addressing, over a connection of its own.
struct EnrollmentCall {
    private let endpoint: Endpoint
    private let trust: TrustPolicy
    private let transport: IdentityTransport
    private let usernameToken: UsernameToken?
    private let deadlines: Deadlines
    private let identity: Identity?

    /// Policies have some hundred kilobytes.
    private static let maximumBytes = 4 << 20

    init(
        _ endpoint: Endpoint, _ trust: TrustPolicy, _ transport: @escaping IdentityTransport,
        _ usernameToken: UsernameToken?, _ deadlines: Deadlines, _ identity: Identity?
    ) {
        self.endpoint = endpoint
        self.trust = trust
        self.transport = transport
        self.usernameToken = usernameToken
        self.deadlines = deadlines
        self.identity = identity
    }

    static func check(_ endpoint: Endpoint) throws(EnrollmentError) {
        guard endpoint.origin.scheme == .https else {
            throw EnrollmentError(
                .unsupported, "The address of an enrollment service begins with https://; \(endpoint) does not.")
        }
    }

    func callAsFunction<Input, Output>(
        _ operation: ServiceOperation<Input, Output>, _ input: Input
    ) async throws -> Output {
        let connection = try transport(identity, trust)
        if identity != nil, connection.proofs(at: endpoint.origin)?.hasIdentity == false {
            throw EnrollmentError(
                .unsupported,
                "The transport shows no identity to \(endpoint.origin). Make one for this origin, with the identity that it is given."
            )
        }
        var settings = CallSettings()
        settings.deadlines = deadlines
        settings.maximumResponseBytes = Self.maximumBytes
        settings.headerProviders = [AddressingHeader()]
        if let usernameToken {
            // Windows demands a Timestamp beside the token.
            settings.headerProviders.append(SecurityHeader(usernameToken, lifetime: .seconds(300)))
        }
        let caller = ServiceCaller(endpoint: endpoint, transport: connection, settings: settings)
        let result: Result<Output, any Error>
        do { result = .success(try await caller.call(operation, input)) } catch { result = .failure(error) }
        // A transport that cannot close its connections has got the answer all the same.
        try? await connection.shutdown()
        do { return try result.get() } catch let fault as DeclaredFault<WSTEPDetail> {
            throw refused(fault.fault, fault.detail.advice, fault)
        } catch let fault as SOAPFault {
            throw refused(fault, "", fault)
        } catch let error as ServiceError {
            let code: EnrollmentError.Code? =
                switch error.code {
                case .refused: .refused
                case .notSOAP, .emptyAnswer, .malformedAnswer, .versionMismatch: .malformedAnswer
                default: nil
                }
            guard let code else { throw error }
            throw EnrollmentError(code, error.message, cause: error)
        }
    }

    private func refused(_ fault: SOAPFault, _ advice: String, _ cause: any Error) -> EnrollmentError {
        let reason = fault.reason.printable
        let codes = ([fault.code] + fault.subcodes.prefix(3)).map { "\($0)".printable }.joined(separator: ", ")
        return EnrollmentError(
            .refused,
            "The authority \(endpoint.origin) refused the request with the fault \(codes): “\(reason)”.\(advice)",
            cause: cause)
    }
}

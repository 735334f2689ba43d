import SignetAuthentication
import SignetEnrollment
import SignetHTTP
import SignetSOAP
import SignetTLS
import SignetWSSecurity

/// One call to an enrollment service of Windows: SOAP 1.2 with WS-Addressing, over a connection of its own.
struct EnrollmentCall {
    let endpoint: Endpoint
    let trust: TrustPolicy
    let transport: IdentityTransport
    let usernameToken: UsernameToken?
    let deadlines: Deadlines
    let identity: Identity?

    /// Policies have some hundred kilobytes.
    private static let maximumBytes = 4 << 20

    static func check(_ endpoint: Endpoint) throws(EnrollmentError) {
        guard endpoint.origin.scheme == .https else {
            throw EnrollmentError(
                .unsupported, "The address of an enrollment service begins with https://; \(endpoint) does not.")
        }
    }

    func callAsFunction<Input, Output>(
        _ operation: ServiceOperation<Input, Output>, _ input: Input
    ) async throws -> Output {
        var settings = CallSettings()
        settings.deadlines = deadlines
        settings.maximumResponseBytes = Self.maximumBytes
        settings.headerProviders = [AddressingHeader()]
        if let usernameToken {
            // Windows demands a Timestamp beside the token.
            settings.headerProviders.append(SecurityHeader(usernameToken, lifetime: .seconds(300)))
        }
        do {
            return try await withConnections(
                to: endpoint.origin, showing: identity, trusting: trust, over: transport
            ) { [settings] connection in
                try await ServiceCaller(endpoint: endpoint, transport: connection, settings: settings)
                    .call(operation, input)
            }
        } catch let fault as DeclaredFault<WSTEPDetail> {
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

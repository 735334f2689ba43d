import SignetAuthentication
import SignetSOAP
import SignetXML

/// Asks a security token service for a token.
struct TokenQuery: Sendable {
    let request: TokenRequest
    let now: @Sendable () -> Duration
    private let service: ServiceCaller
    private let allowsPlaintext: Bool

    /// The size of an answer, in bytes.
    private static let maximumBytes = 4 << 20

    init(
        _ service: ServiceCaller, _ request: TokenRequest, allowsPlaintext: Bool,
        now: @escaping @Sendable () -> Duration
    ) {
        var service = service
        if !service.headerProviders.contains(where: { $0 is AddressingHeader }) {
            // A signature of another provider covers its header blocks.
            service.headerProviders.insert(AddressingHeader(), at: 0)
        }
        // Sends nothing by itself, and understands the Timestamp of an answer.
        if !service.headerProviders.contains(where: { $0 is SecurityHeader }) {
            service.headerProviders.append(SecurityHeader())
        }
        service.maximumResponseBytes = min(service.maximumResponseBytes, Self.maximumBytes)
        (self.service, self.request, self.allowsPlaintext) = (service, request, allowsPlaintext)
        self.now = now
    }

    func send() async throws -> IssuedToken {
        let place = "The token service \(service.endpoint)"
        guard service.endpoint.origin.scheme == .https || allowsPlaintext else {
            throw WSSecurityError(
                .plaintextRefused,
                "\(place) was not asked, because an attacker on the network path could take the token: use https, or set allowsPlaintext of the IssuedTokens (signet: --wss-allow-plaintext)."
            )
        }
        let version = request.version
        let operation = ServiceOperation<XMLAny, XMLAny>(
            name: "RequestSecurityToken", soapAction: version.requestAction, version: .soap12,
            input: version.name("RequestSecurityToken"), output: nil)
        let answer: XMLAny
        do { answer = try await service.call(operation, try request.content(now: now())) } catch let fault
            as SOAPFault
        {
            throw refused(fault, place)
        } catch let refusal as AuthenticationError {
            // A fault can come with HTTP 401.
            throw (refusal.cause as? SOAPFault).map { refused($0, place) } ?? refusal
        } catch let error as ServiceError where error.answer != nil {
            throw WSSecurityError(.noToken, "\(place) issued no token for \(target): \(error.message)", cause: error)
        }
        guard let content = answer.children.first else {
            throw WSSecurityError(.noToken, "\(place) answered without a token.")
        }
        let token = try IssuedToken(TokenAnswer(content, preferring: request.type, from: place), request.key)
        guard token.isValid(at: now().wholeSeconds, leeway: 0) else {
            throw WSSecurityError(
                .unusableToken,
                "\(place) issued \(token), which has expired already: compare the clocks of both machines.")
        }
        return token
    }

    private func refused(_ fault: SOAPFault, _ place: String) -> any Error {
        let codes = ([fault.code] + fault.subcodes.prefix(3)).map { "\($0)".printable }.joined(separator: ", ")
        return WSSecurityError(
            .noToken, "\(place) issued no token for \(target): \(codes): “\(fault.reason.printable)”.", cause: fault)
    }

    private var target: String { request.service.map { "“\($0.printable)”" } ?? "its service" }

    /// Whether the token service does not accept the client: another request would be another failed login. Credentials for HTTP
    /// are not judged here: HTTP authentication remembers which were refused, and its source may have others.
    func refusal(_ error: any Error) -> IssuedValueRefusal? {
        let cause = (error as? WSSecurityError)?.cause
        if let error = cause as? ServiceError, error.answer?.status == 403 { return .forAWhile }
        guard let fault = cause as? SOAPFault else { return nil }
        let failed = ([fault.code] + fault.subcodes).contains { code in
            code == .failedAuthentication || code.localName == "FailedAuthentication" && Self.isTrust(code.namespaceURI)
        }
        return failed ? .forGood : fault.refusesToken ? .forAWhile : nil
    }

    private static func isTrust(_ namespaceURI: String) -> Bool {
        WSTrustVersion.all.contains { $0.namespace.uri == namespaceURI }
    }
}

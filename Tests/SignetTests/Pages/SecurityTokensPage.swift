import Signet
import SignetSOAP
import SignetTLS
import SignetWSSecurity

// The code of SecurityTokens.md. It is compiled, and DocumentationTests compares it with the page.

private enum Records {
    enum Ports {
        static let recordsPort = ServicePort(
            name: "RecordsPort", address: nil, version: .soap12, requires: [.issuedToken(.init(keyType: .publicKey))])
    }
}

private func tokenForEachCall(tokenService: ServiceConfiguration, service: inout ServiceConfiguration) {
    let tokens = IssuedTokens(
        from: ServiceCaller(tokenService), TokenRequest(for: "https://records.example/documents"))
    var security = SecurityHeader(lifetime: .seconds(300))
    security.issuedTokens = tokens
    service.headerProviders = [security]
}

private func aRequest(tokenService: ServiceConfiguration, identity: Identity) -> IssuedTokens {
    var request = TokenRequest(for: "https://records.example/documents", type: .saml11, key: .holder(identity))
    request.version = .v2005
    request.lifetime = .seconds(3600)
    request.claims = [.init("http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress")]
    let tokens = IssuedTokens(from: ServiceCaller(tokenService), request)
    return tokens
}

private func demanded(
    tokenService: ServiceConfiguration, service: ServiceConfiguration, identity: Identity,
    security: inout SecurityHeader
) throws {
    for case .issuedToken(let demand) in Records.Ports.recordsPort.requirements {
        let request = try TokenRequest(demand, for: service.endpoint.url, holder: identity)
        security.issuedTokens = IssuedTokens(from: ServiceCaller(tokenService), request)
    }
}

private func aToken(bytes: [UInt8], identity: Identity, security: inout SecurityHeader) throws {
    let token = try IssuedToken(importing: bytes, holder: identity)
    security.issuedTokens = IssuedTokens(token)
}

private func overHTTP(service: inout ServiceConfiguration, tokens: IssuedTokens) {
    service.authentication.credentials = .tokens(tokens)
}

private func accepted(dispatcher: ServiceDispatcher, issuer: EncodedCertificate) -> [ServiceDispatcher] {
    var policy = SAMLPolicy(
        issuers: ["https://login.example/adfs/services/trust": [issuer]],
        audiences: ["https://records.example/documents"])
    policy.recipients = ["https://records.example/documents"]
    let bearers = dispatcher.verified(by: SAMLVerifier(policy))
    let holders = dispatcher.verified(by: SignedMessageVerifier(SignaturePolicy(holdersOf: policy)))
    return [bearers, holders]
}

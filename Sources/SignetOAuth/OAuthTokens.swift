import Foundation
import HTTPTypes
public import SignetAuthentication
public import SignetHTTP
import SignetTLS

/// Gets bearer tokens with a client's own credentials (RFC 6749 §4.4), and gets new ones before they expire or when a
/// service refuses one. However many calls need a token, only one request is sent at a time. When the server refuses
/// the client, no further request is sent.
public final class OAuthTokens: TokenSource {
    /// The token endpoint and the request.
    public struct Configuration: Sendable {
        /// The token endpoint (RFC 6749 §3.2); over TLS, unless ``allowsPlaintext``.
        public var endpoint: Endpoint
        /// The client that requests the token, and how it proves its identity to the authorization server.
        public var client: OAuthClient
        /// The requested scopes of the token (§3.3); when empty, the server decides.
        public var scopes: [String] = []
        /// Further parameters, such as `resource` (RFC 8707) or `audience`.
        public var parameters: [(name: String, value: String)] = []
        /// How long before its expiry a token is no longer used.
        public var leeway = Duration.seconds(30)
        /// How long one request to the token endpoint may take. Calls that need a token wait for it.
        public var deadlines = Deadlines()
        /// Allows plain HTTP, for tests on one machine.
        public var allowsPlaintext = false

        /// A configuration without scopes and further parameters: the server decides what the token may be used for.
        public init(endpoint: Endpoint, client: OAuthClient) {
            self.endpoint = endpoint
            self.client = client
        }
    }

    private let issued: IssuedValue<AccessToken>

    /// - Parameters:
    ///   - configuration: the token endpoint and the request.
    ///   - transport: for the token endpoint: with its trust policy, and with the client's identity when that is its
    ///     proof.
    public convenience init(_ configuration: Configuration, transport: any ClientTransport) {
        self.init(configuration, transport: transport, now: { Int64(Date().timeIntervalSince1970) })
    }

    package init(
        _ configuration: Configuration, transport: any ClientTransport, now: @escaping @Sendable () -> Int64
    ) {
        let request = Request(configuration: configuration, transport: transport, now: now)
        issued = IssuedValue { token in
            guard let expires = token.expires else { return true }
            return expires - configuration.leeway.components.seconds > now()
        } refusal: { error in
            (error as? AuthenticationError)?.code == .credentialsRefused ? .forGood : nil
        } request: {
            try await request.send()
        }
    }

    public func token(for question: CredentialQuestion) async throws -> AccessToken {
        let refused = question.refusedToken
        return try await issued.value { $0.isValue(refused) }
    }
}

/// A request of a token.
private struct Request: Sendable {
    let configuration: OAuthTokens.Configuration
    let transport: any ClientTransport
    let now: @Sendable () -> Int64

    func send() async throws -> AccessToken {
        let endpoint = configuration.endpoint
        guard endpoint.origin.scheme == .https || configuration.allowsPlaintext else {
            throw AuthenticationError(
                .insecureChannel, "The token endpoint \(endpoint.origin) lacks https: others could read the tokens.")
        }
        var request = ClientRequest(endpoint, deadlines: configuration.deadlines, maximumResponseBytes: 1 << 20)
        request.fields[.contentType] = "application/x-www-form-urlencoded"
        request.fields[.accept] = "application/json"
        var form: [(name: String, value: String)] = [("grant_type", "client_credentials")]
        if !configuration.scopes.isEmpty { form.append(("scope", configuration.scopes.joined(separator: " "))) }
        form += configuration.parameters
        let client = configuration.client
        var boundTo: [UInt8]?
        switch client.proof {
        case .secret(let secret, inContent: false):
            // In the form of RFC 6749 appendix B, encoded in such a way that every parser understands it.
            let pair = Data("\(client.id.percentEncoded):\(secret.percentEncoded)".utf8)
            request.fields[.authorization] = "Basic \(pair.base64EncodedString())"
        case .secret(let secret, inContent: true):
            form += [("client_id", client.id), ("client_secret", secret)]
        case .assertion(let identity, let keyID, let audience):
            let assertion = ClientAssertion(client: client.id, audience: audience ?? endpoint.url, keyID: keyID)
            form += [
                ("client_id", client.id),
                ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                ("client_assertion", try await assertion.signed(by: identity, at: Int(now()))),
            ]
        case .certificate(let identity):
            form.append(("client_id", client.id))
            boundTo = identity.leaf.sha256
        }
        let content = form.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
        request.body = .init(Array(content.utf8))
        do {
            return try token(in: try await transport.send(request), boundTo: boundTo)
        } catch let error as AuthenticationError where error.space != nil {
            // A 401, for which the transport throws an error of its own.
            throw AuthenticationError(
                .credentialsRefused,
                "The authorization server \(endpoint.origin) does not accept \(client.description) (RFC 6749 §5.2).",
                cause: error)
        }
    }

    /// RFC 6749 §5.1, §5.2.
    private struct TokenResponse: Decodable {
        let access_token: String?
        let token_type: String?
        let expires_in: Seconds?
        let error: String?
        let error_description: String?

        /// A number, which some servers send as a string.
        struct Seconds: Decodable {
            let value: Int64
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if let number = try? container.decode(Double.self) {
                    value = Int64(exactly: number.rounded()) ?? 0
                } else {
                    value = Int64(try container.decode(String.self)) ?? 0
                }
            }
        }
    }

    private func token(in answer: ClientResponse, boundTo: [UInt8]?) throws(AuthenticationError) -> AccessToken {
        let place = configuration.endpoint.origin
        let said = try? JSONDecoder().decode(TokenResponse.self, from: Data(answer.body))
        guard answer.status.code == 200, let said, let value = said.access_token else {
            let reason = said?.error.map { error in
                "“\(error.printable)”\(said?.error_description.map { " (\($0.printable))" } ?? "")"
            }
            throw .init(
                ["invalid_client", "unauthorized_client"].contains(said?.error)
                    ? .credentialsRefused : .sourceFailed,
                "The authorization server \(place) gives no token to \(configuration.client.description): status \(answer.status.code)\(reason.map { ", \($0)" } ?? "")."
            )
        }
        guard said.token_type?.lowercased() == "bearer" else {
            throw .init(
                .sourceFailed,
                "The authorization server \(place) gives a token of the type “\(said.token_type?.printable ?? "")”, and not of the type Bearer (RFC 6750)."
            )
        }
        let lifetime = said.expires_in.map { min(max(0, $0.value), 1 << 40) }
        return AccessToken(value, expires: lifetime.map { now() + $0 }, certificate: boundTo)
    }
}

import HTTPTypes

/// Whether a call follows the redirects of a service (RFC 9110 §15.4).
///
/// A call follows a redirect only when the request can be repeated unchanged: any request after 307 and 308; after 301,
/// 302 and 303 only `GET` and `HEAD`, since the message of others would be lost. It never follows from `https` to
/// `http`, nor from this machine to `http` on another. It does not follow to an address with user information
/// (`https://user:password@host/`), since it is unknown whose login that is.
public enum RedirectPolicy: Sendable, Hashable {
    /// The caller gets the redirect as it is. For SOAP, this becomes an error that names the new address.
    case refuse
    /// Only within the origin, at most this many times.
    case sameOrigin(maximum: Int)
    /// Also to other origins, at most this many times. They get the message, and only those fields that describe it: no
    /// credentials, no cookies, no fields that a program has added; and no identity, which a transport shows to its own
    /// origin only.
    case anyOrigin(maximum: Int)

    private var maximum: Int {
        switch self {
        case .refuse: 0
        case .sameOrigin(let maximum), .anyOrigin(let maximum): maximum
        }
    }

    /// Fields that describe the message, and not its sender.
    private static let harmless: Set<HTTPField.Name> = [
        .accept, .acceptLanguage, .contentType, .userAgent,
    ]

    /// The request to which an answer redirects; nil when the call does not follow it.
    ///
    /// - Parameter hops: how many redirects were followed before.
    package func next(after request: ClientRequest, _ response: ClientResponse, hops: Int) -> ClientRequest? {
        guard hops < maximum, isFollowed(response.status.code, request.method),
            let location = response.fields[.location],
            let endpoint = try? request.endpoint.with(path: request.path).resolving(location)
        else { return nil }
        let (old, new) = (request.endpoint.origin, endpoint.origin)
        guard new.scheme == .https || old.scheme == .http else { return nil }
        var next = request
        // The new address may repeat secret values of the request target, and no description shows `path`, while it
        // shows `endpoint`.
        next.endpoint = endpoint.with(path: "/")
        next.path = endpoint.path
        if new != old {
            guard case .anyOrigin = self else { return nil }
            next.fields = HTTPFields(
                request.fields.filter { Self.harmless.contains($0.name) || $0.name.canonicalName == "soapaction" })
        }
        return next
    }

    private func isFollowed(_ status: Int, _ method: HTTPRequest.Method) -> Bool {
        switch status {
        case 307, 308: true
        case 301, 302, 303: method == .get || method == .head
        default: false
        }
    }
}

/// Follows redirects over another transport, which does not follow any itself.
public struct RedirectingTransport: ClientTransport {
    private let transport: any ClientTransport
    private let policy: RedirectPolicy

    /// - Parameters:
    ///   - transport: sends each request. It is shut down together with this one.
    ///   - policy: which redirects are followed. An answer with any other redirect is returned as it is.
    public init(_ transport: any ClientTransport, _ policy: RedirectPolicy) {
        self.transport = transport
        self.policy = policy
    }

    /// ``Deadlines/total`` applies to all requests together, the other deadlines to each request.
    public func send(_ request: ClientRequest) async throws -> ClientResponse {
        let start = ContinuousClock.now
        let origin = request.endpoint.origin
        var request = request
        let total = request.deadlines.total
        var hops = 0
        while true {
            var sent = request
            sent.contentReceiver = request.contentReceiver.map {
                FinalReceiver(receiver: $0, redirects: self, request: request, hops: hops)
            }
            var response = try await transport.send(sent)
            // The caller would take the cookies for those of the origin that it called.
            if request.endpoint.origin != origin { response.fields[.setCookie] = nil }
            guard let next = next(after: request, response, hops: hops) else { return response }
            hops += 1
            request = next
            let left = total - (ContinuousClock.now - start)
            guard left > .zero else {
                throw TransportError(
                    .deadlineExceeded, "The call took longer than the \(total) it may, while following redirects.",
                    mayHaveBeenProcessed: true)
            }
            request.deadlines.total = left
        }
    }

    /// Messages may hold data that may be sent over plain HTTP only because it stays on this machine.
    fileprivate func next(after request: ClientRequest, _ response: ClientResponse, hops: Int) -> ClientRequest? {
        guard let next = policy.next(after: request, response, hops: hops) else { return nil }
        let origin = next.endpoint.origin
        let leaves = transport.isLocal(request.endpoint.origin) && !transport.isLocal(origin)
        return leaves && origin.scheme == .http ? nil : next
    }

    public func isLocal(_ origin: Origin) -> Bool { transport.isLocal(origin) }

    public func proofs(at origin: Origin) -> ClientProofs? { transport.proofs(at: origin) }

    public var connectionCounts: ConnectionCounts? { transport.connectionCounts }

    public func warmUp(_ endpoint: Endpoint, connections count: Int, deadlines: Deadlines) async throws {
        try await transport.warmUp(endpoint, connections: count, deadlines: deadlines)
    }

    public func renewConnections() { transport.renewConnections() }
    public func suspendConnections() { transport.suspendConnections() }
    public func resumeConnections() { transport.resumeConnections() }

    public func shutdown() async throws { try await transport.shutdown() }
}

/// A receiver that ignores the answers whose redirects are followed.
private struct FinalReceiver: ContentReceiver {
    let receiver: any ContentReceiver
    let redirects: RedirectingTransport
    let request: ClientRequest
    let hops: Int

    func mayTake(contentType: String?) -> Bool { receiver.mayTake(contentType: contentType) }

    func takes(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool {
        redirects.next(after: request, ClientResponse(status: status, fields: fields), hops: hops) == nil
            && receiver.takes(status, fields)
    }

    func receive(_ bytes: [UInt8]) async throws { try await receiver.receive(bytes) }
}

extension Endpoint {
    /// A reference with “…” in place of a user's name and password.
    package static func withoutUserInformation(_ reference: String) -> String {
        guard let scheme = reference.firstIndex(of: "/"), reference[scheme...].hasPrefix("//") else { return reference }
        let start = reference.index(scheme, offsetBy: 2)
        let authority = reference[start...].prefix { !"/?#".contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return reference }
        return "\(reference[..<start])…\(reference[at...])"
    }

    package func with(path: String) -> Endpoint { Endpoint(origin: origin, path: path) }

    /// Resolves a reference such as that of a `Location` field (RFC 3986 §5.2). A fragment is left out, since it is
    /// never sent.
    package func resolving(_ reference: String) throws(EndpointError) -> Endpoint {
        let text = String(reference.prefix { $0 != "#" })
        if text.isEmpty { return self }
        if text.hasPrefix("//") { return try Endpoint("\(origin.scheme.rawValue):\(text)") }
        let start = text.prefix { $0 != "/" && $0 != "?" }
        if start.contains(":") { return try Endpoint(text) }
        let ownPath = path.prefix { $0 != "?" }
        let folder = ownPath.lastIndex(of: "/").map { ownPath[...$0] } ?? "/"
        let whole = text.hasPrefix("/") ? text : text.hasPrefix("?") ? "\(ownPath)\(text)" : "\(folder)\(text)"
        return try Endpoint("\(origin)\(Self.withoutDots(whole))")
    }

    /// RFC 3986 §5.2.4.
    private static func withoutDots(_ text: String) -> String {
        let path = text.prefix { $0 != "?" }
        guard path.contains("/.") else { return text }
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        for (number, segment) in segments.enumerated() {
            let isLast = number == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                if kept.count > 1 { kept.removeLast() }
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return kept.joined(separator: "/") + text[path.endIndex...]
    }
}

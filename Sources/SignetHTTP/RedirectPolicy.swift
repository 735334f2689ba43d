import HTTPTypes

/// Whether a call goes on where a service sends it (RFC 9110 §15.4).
///
/// Only what can be repeated as it is goes on: any request after 307 and 308; after 301, 302 and 303 only one that asks for something
/// (`GET`, `HEAD`), since a message would be lost. From `https` nothing ever goes on to `http`, nor from this machine to `http`
/// elsewhere. An address with user information (`https://user:password@host/`) is not followed: nothing says whose it is.
public enum RedirectPolicy: Sendable, Hashable {
    /// The answer is given back as it came: for SOAP, an error that names the new address.
    case refuse
    /// Only within the origin, so many times.
    case sameOrigin(maximum: Int)
    /// Also to other origins, so many times. They get the message, and of the fields only those that say what it is: no credentials,
    /// no cookies, nothing that a program has added; and no identity, which a transport gives to its own origin alone.
    case anyOrigin(maximum: Int)

    private var maximum: Int {
        switch self {
        case .refuse: 0
        case .sameOrigin(let maximum), .anyOrigin(let maximum): maximum
        }
    }

    /// Fields that say what a message is, and nothing about who sends it.
    private static let harmless: Set<HTTPField.Name> = [
        .accept, .acceptLanguage, .contentType, .userAgent,
    ]

    /// The request that an answer leads to; nil when the answer is the end.
    ///
    /// - Parameter hops: how many were followed before.
    package func next(after request: ClientRequest, _ response: ClientResponse, hops: Int) -> ClientRequest? {
        guard hops < maximum, isFollowed(response.status.code, request.method),
            let location = response.fields[.location],
            let endpoint = try? request.endpoint.with(path: request.path).resolving(location)
        else { return nil }
        let (old, new) = (request.endpoint.origin, endpoint.origin)
        guard new.scheme == .https || old.scheme == .http else { return nil }
        var next = request
        // What was asked for may stand in the new address too, and a path alone is in no description.
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

/// Follows redirects over another transport, which follows none itself.
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

    /// The deadlines hold for each request; ``Deadlines/total`` for all of them together.
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
            // Whoever asked takes them for cookies of the origin that was called first.
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

    /// Messages may hold what is sent over plain HTTP only because it does not leave this machine.
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

/// Leaves out the answers that are followed.
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
    /// A reference with “…” in the place of a user's name and password.
    package static func withoutUserInformation(_ reference: String) -> String {
        guard let scheme = reference.firstIndex(of: "/"), reference[scheme...].hasPrefix("//") else { return reference }
        let start = reference.index(scheme, offsetBy: 2)
        let authority = reference[start...].prefix { !"/?#".contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return reference }
        return "\(reference[..<start])…\(reference[at...])"
    }

    package func with(path: String) -> Endpoint { Endpoint(origin: origin, path: path) }

    /// Resolves a reference such as that of a `Location` field (RFC 3986 §5.2). A fragment, which is never sent, is left out.
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

import HTTPTypes
import NIOCore
import NIOHTTP1
import SignetAuthentication
import SignetHTTP

/// A request in NIO's types. It is checked once for all its legs.
struct OutgoingRequest: Sendable {
    var head: HTTPRequestHead
    /// The content in memory; empty with ``stream``.
    let body: ByteBuffer
    private(set) var stream: HTTPBody.Stream?
    private let limit: Int
    private let streamedLimit: Int64
    let readDeadline: TimeAmount
    /// RFC 9110 §9.2.1.
    let isSafe: Bool
    /// The request target in the form for an origin.
    let path: String
    /// Whether a success turns the connection into a tunnel.
    var opensTunnel = false
    /// Whether only the transport, and not the caller, chose the codings that the answer may have.
    private(set) var transportChoseCoding = false

    /// RFC 9110 §9.2.1.
    private static let safeMethods: [HTTPRequest.Method] = [.get, .head, .options, .trace]
    /// Methods whose requests state a length even without content (RFC 9110 §8.6).
    private static let methodsWithContent: [HTTPRequest.Method] = [.post, .put, .patch]

    /// - Parameters:
    ///   - acceptsCompression: whether the transport decompresses the answer for the caller.
    ///   - authority: that of the request's origin, if the caller already has it.
    /// - Throws: ``TransportError`` with the code `invalidRequest`.
    init(
        _ request: ClientRequest, acceptsCompression: Bool, authority: String? = nil
    ) throws(TransportError) {
        let path = request.path
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .invalid("its path holds a character that must be percent-encoded")
        }
        // An array of fields becomes headers without a second check of each field.
        var headers: [(String, String)] = []
        headers.reserveCapacity(request.fields.count + 3)
        headers.append(("host", authority ?? request.endpoint.origin.authority))
        for field in request.fields {
            try field.checkSendable()
            headers.append((field.name.rawName, field.value))
        }
        let method = request.method
        guard method != .connect, method != .trace else { throw .invalid("the transport does not send \(method)") }
        switch request.body.content {
        case .bytes(let bytes):
            if !bytes.isEmpty || Self.methodsWithContent.contains(method) {
                headers.append(("content-length", String(bytes.count)))
            }
            body = ByteBuffer(bytes: bytes)
        case .stream(let content):
            guard ![.get, .head].contains(method) else {
                throw .invalid("\(method) has no content (RFC 9110 §9.3.1)")
            }
            guard content.length.map({ $0 >= 0 }) ?? true else { throw .invalid("its length is below zero") }
            if let length = content.length {
                headers.append(("content-length", String(length)))
            } else {
                headers.append(("transfer-encoding", "chunked"))
            }
            if !content.isReplayable { headers.append(("expect", "100-continue")) }
            stream = content
            body = ByteBuffer()
        }
        // Servers differ in what they call deflate, so the transport reads it but does not ask for it.
        if acceptsCompression, request.fields.value(of: .acceptEncoding) == nil {
            headers.append(("accept-encoding", method == .head ? "identity" : "gzip"))
            transportChoseCoding = true
        }
        self.path = path
        head = HTTPRequestHead(
            version: .http1_1, method: method == .post ? .POST : HTTPMethod(rawValue: method.rawValue), uri: path,
            headers: HTTPHeaders(headers))
        limit = request.maximumResponseBytes
        streamedLimit = request.maximumStreamedBytes
        readDeadline = TimeAmount(limited: request.deadlines.read)
        isSafe = Self.safeMethods.contains(method)
    }

    /// Asks a proxy for a tunnel to `origin` (RFC 9110 §9.3.6).
    init(tunnelTo origin: Origin, deadlines: Deadlines) {
        let target = origin.hostAndPort
        path = ""
        let headers = HTTPHeaders([("host", target), ("accept-encoding", "identity")])
        head = HTTPRequestHead(version: .http1_1, method: .CONNECT, uri: target, headers: headers)
        body = ByteBuffer()
        limit = 64 << 10
        streamedLimit = 0
        readDeadline = TimeAmount(limited: deadlines.read)
        isSafe = false
        opensTunnel = true
    }

    /// - Parameter isJudged: whether the caller decides about the content when the head of the answer has arrived.
    func terms(isJudged: Bool) -> ExchangeState.Terms {
        .init(limit: limit, streamedLimit: streamedLimit, opensTunnel: opensTunnel, isJudged: isJudged)
    }

    /// Whether the caller's own credentials use a scheme that authenticates the whole connection.
    var callerBindsConnection: Bool {
        head.headers["authorization"].contains { value in
            let name = value.prefix { $0 != " " && $0 != "\t" }
            return AuthenticationScheme(registered: String(name))?.bindsToConnection ?? false
        }
    }

    /// Whether the client first asks the server if it wants the content (RFC 9110 §10.1.1).
    var expectsContinue: Bool { head.headers.contains(name: "expect") }

    /// Makes the client ask, although the content could be sent again.
    mutating func expectContinue() { head.headers.replaceOrAdd(name: "expect", value: "100-continue") }

    /// Makes the client send the content without asking.
    mutating func dropExpectation() { head.headers.remove(name: "expect") }

    /// The same without its content, for a leg that the peer cannot accept yet: the first message of a handshake.
    var withoutContent: Self {
        var copy = self
        copy.stream = nil
        copy.head.headers.remove(name: "expect")
        copy.head.headers.remove(name: "transfer-encoding")
        copy.head.headers.replaceOrAdd(name: "content-length", value: "0")
        return copy
    }

    /// Changes the target to the form for a proxy (RFC 9112 §3.2.2).
    mutating func makeAbsolute(for origin: Origin) { head.uri = "\(origin)\(head.uri)" }
}

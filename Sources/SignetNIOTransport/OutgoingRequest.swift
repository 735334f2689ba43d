import HTTPTypes
import NIOCore
import NIOHTTP1
import SignetAuthentication
import SignetHTTP

/// A request in the form that NIO writes, checked once for all its legs.
struct OutgoingRequest: Sendable {
    var head: HTTPRequestHead
    /// What is in memory; empty with ``stream``.
    let body: ByteBuffer
    private(set) var stream: HTTPBody.Stream?
    private let limit: Int
    private let streamedLimit: Int64
    let readDeadline: TimeAmount
    let idleDeadline: TimeAmount
    /// RFC 9110 §9.2.1.
    let isSafe: Bool
    /// The request target as an origin gets it.
    let path: String
    /// Whether a success turns the connection into a tunnel.
    var opensTunnel = false
    /// Whether the transport alone said which codings of the answer it takes.
    private(set) var isCodingOurs = false

    /// RFC 9110 §9.2.1.
    private static let safeMethods: [HTTPRequest.Method] = [.get, .head, .options, .trace]
    /// Methods whose requests have a length even where they have no content (RFC 9110 §8.6).
    private static let methodsWithContent: [HTTPRequest.Method] = [.post, .put, .patch]

    /// - Parameters:
    ///   - acceptsCompression: whether what comes compressed is made what it was, without the caller.
    ///   - authority: of the request's origin, where it is at hand.
    /// - Throws: ``TransportError`` with the code `invalidRequest`.
    init(
        _ request: ClientRequest, acceptsCompression: Bool, authority: String? = nil
    ) throws(TransportError) {
        let path = request.path
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .invalid("its path holds a character that must be percent-encoded")
        }
        // An array of fields becomes headers without another look at each.
        var headers: [(String, String)] = []
        headers.reserveCapacity(request.fields.count + 3)
        headers.append(("host", authority ?? request.endpoint.origin.authority))
        for field in request.fields {
            try field.checkSendable()
            headers.append((field.name.rawName, field.value))
        }
        let method = request.method
        guard method != .connect, method != .trace else { throw .invalid("the method \(method) is not sent here") }
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
        // What is called deflate is not the same everywhere, so that it is understood but not asked for.
        if acceptsCompression, request.fields.value(of: .acceptEncoding) == nil {
            headers.append(("accept-encoding", method == .head ? "identity" : "gzip"))
            isCodingOurs = true
        }
        self.path = path
        head = HTTPRequestHead(
            version: .http1_1, method: method == .post ? .POST : HTTPMethod(rawValue: method.rawValue), uri: path,
            headers: HTTPHeaders(headers))
        limit = request.maximumResponseBytes
        streamedLimit = request.maximumStreamedBytes
        readDeadline = TimeAmount(limited: request.deadlines.read)
        idleDeadline = TimeAmount(limited: request.deadlines.idle)
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
        idleDeadline = TimeAmount(limited: deadlines.idle)
        isSafe = false
        opensTunnel = true
    }

    /// - Parameter isJudged: whether the head of the answer decides what becomes of its content.
    func terms(isJudged: Bool) -> ExchangeState.Terms {
        .init(limit: limit, streamedLimit: streamedLimit, opensTunnel: opensTunnel, isJudged: isJudged)
    }

    /// Whether it has credentials of the caller's in a scheme after which a server may take the connection for theirs.
    var isBoundByCaller: Bool {
        head.headers["authorization"].contains { value in
            let name = value.prefix { $0 != " " && $0 != "\t" }
            return AuthenticationScheme(registered: String(name))?.bindsToConnection ?? false
        }
    }

    /// Whether the server is asked first if it wants the content (RFC 9110 §10.1.1).
    var expectsContinue: Bool { head.headers.contains(name: "expect") }

    /// Has it asked, although the content could be sent again.
    mutating func askFirst() { head.headers.replaceOrAdd(name: "expect", value: "100-continue") }

    /// Without asking it.
    mutating func dropExpectation() { head.headers.remove(name: "expect") }

    /// The same without its content, for a leg that cannot be let in: the first words of a handshake.
    var withoutContent: Self {
        var copy = self
        copy.stream = nil
        copy.head.headers.remove(name: "expect")
        copy.head.headers.remove(name: "transfer-encoding")
        copy.head.headers.replaceOrAdd(name: "content-length", value: "0")
        return copy
    }

    /// In the form that a proxy wants (RFC 9112 §3.2.2).
    mutating func makeAbsolute(for origin: Origin) { head.uri = "\(origin)\(head.uri)" }
}

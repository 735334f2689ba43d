import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Signet
import Synchronization

/// Calls services over AsyncHTTPClient, for a program that has its settings, proxies and metrics there.
///
/// Trust, client certificates and proxies are those of its configuration; HTTP authentication is the caller's. The content of
/// requests is collected in memory, up to 256 MiB. ``/SignetHTTP/Deadlines/connect`` is part of
/// ``/SignetHTTP/Deadlines/read``. `renewConnections()` does nothing: make another transport when the identity or the network has
/// changed.
final class AsyncHTTPClientTransport: ClientTransport {
    private let client: HTTPClient
    private let isOver = Mutex(false)

    /// - Parameter configuration: the settings of the client. Whatever they say, it follows no redirects, and reports at once
    ///   that no connection is possible.
    init(_ configuration: HTTPClient.Configuration = .init()) {
        var configuration = configuration
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(configuration: configuration)
    }

    func send(_ request: ClientRequest) async throws -> ClientResponse {
        if isOver.withLock({ $0 }) { throw Self.shutDown() }
        let silence = Silence()
        do {
            return try await withDeadlines(request.deadlines, silence: silence) { [self] in
                try await exchange(request, silence)
            }
        } catch let error as TransportError {
            throw error
        } catch {
            if isOver.withLock({ $0 }) { throw Self.shutDown(mayHaveBeenProcessed: true) }
            throw Self.described(error, request.endpoint.origin)
        }
    }

    private func exchange(_ request: ClientRequest, _ silence: Silence) async throws -> ClientResponse {
        let start = ContinuousClock.now
        var native = HTTPClientRequest(url: "\(request.endpoint.origin)\(request.path)")
        native.method = .init(rawValue: request.method.rawValue)
        for field in request.fields { native.headers.add(name: field.name.rawName, value: field.value) }
        silence.end()
        let content = try await request.body.collected(limit: 256 << 20)
        silence.begin()
        if !content.isEmpty { native.body = .bytes(ByteBuffer(bytes: content)) }
        let seconds = min(request.deadlines.total, .seconds(86_400)).components.seconds
        let answer = try await client.execute(native, timeout: .seconds(seconds + 1))
        silence.begin()

        var response = ClientResponse(status: .init(code: Int(answer.status.code)))
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { response.fields.append(HTTPField(name: name, value: value)) }
        }
        let receiver = request.contentReceiver.flatMap {
            $0.takes(response.status, response.fields) ? $0 : nil
        }
        let limit = receiver == nil ? Int64(request.maximumResponseBytes) : request.maximumStreamedBytes
        if request.method != .head, let length = answer.headers.first(name: "Content-Length").flatMap(Int64.init) {
            try Self.check(length, limit)
        }
        var count: Int64 = 0
        for try await part in answer.body {
            count += Int64(part.readableBytes)
            try Self.check(count, limit)
            if let receiver {
                silence.end()
                try await Self.pass(Array(part.readableBytesView), to: receiver)
            } else {
                response.body += part.readableBytesView
            }
            silence.begin()
        }
        response.report.legs = [.init(status: response.status.code)]
        response.report.connection.httpVersion = answer.version.major == 1 ? "1.1" : "\(answer.version.major)"
        response.report.duration = ContinuousClock.now - start
        return response
    }

    private static func pass(_ bytes: [UInt8], to receiver: any ContentReceiver) async throws {
        do { try await receiver.receive(bytes) } catch {
            throw TransportError(
                .contentRefused, "The content of the answer was not taken completely: \(error)",
                mayHaveBeenProcessed: true, cause: error)
        }
    }

    private static func check(_ count: Int64, _ limit: Int64) throws {
        guard count > limit else { return }
        throw TransportError(
            .responseTooLarge, "The answer is larger than the \(limit) bytes that the call allows.",
            mayHaveBeenProcessed: true)
    }

    func shutdown() async throws {
        let wasOver = isOver.withLock { isOver in
            defer { isOver = true }
            return isOver
        }
        if !wasOver { try await client.shutdown() }
    }

    private static func shutDown(mayHaveBeenProcessed: Bool = false) -> TransportError {
        TransportError(.shutDown, "The transport was shut down.", mayHaveBeenProcessed: mayHaveBeenProcessed)
    }

    /// The error of AsyncHTTPClient as that of a transport. What may have come after the request was sent says so.
    private static func described(_ error: any Error, _ origin: Origin) -> TransportError {
        let (code, message, mayHaveBeenProcessed): (TransportError.Code, String, Bool) =
            switch error {
            case let error as NIOConnectionError where error.connectionErrors.isEmpty:
                (.unknownHost, "The host \(origin.host) has no address.", false)
            case is NIOConnectionError: (.connectionRefused, "\(origin) accepts no connection.", false)
            case let error as IOError where error.errnoCode == ECONNREFUSED:
                (.connectionRefused, "\(origin) refuses connections.", false)
            case let error as IOError where [ENETUNREACH, EHOSTUNREACH].contains(error.errnoCode):
                (.networkUnreachable, "There is no route to \(origin).", false)
            case ChannelError.connectTimeout: (.connectTimeout, "\(origin) accepts no connection in time.", false)
            case NIOSSLError.handshakeFailed, is NIOSSLExtraError:
                (.tlsHandshakeFailed, "TLS with \(origin) failed: \(error)", false)
            // After the handshake, the server may have the request already.
            case is NIOSSLError, is BoringSSLError: (.connectionClosed, "TLS with \(origin) failed: \(error)", true)
            case HTTPParserError.headerOverflow: (.responseTooLarge, "\(origin) sends too many fields.", true)
            case HTTPParserError.invalidEOFState:
                (.connectionClosed, "\(origin) closed the connection before the answer was complete.", true)
            case is HTTPParserError: (.malformedResponse, "\(origin) breaks the rules of HTTP.", true)
            case is CancellationError: (.cancelled, "The call was cancelled.", true)
            case let error as HTTPClientError: described(error, origin)
            default: (.connectionClosed, "The connection to \(origin) ended before the answer was complete.", true)
            }
        return TransportError(code, message, mayHaveBeenProcessed: mayHaveBeenProcessed, cause: error)
    }

    private static func described(_ error: HTTPClientError, _ origin: Origin) -> (TransportError.Code, String, Bool) {
        switch error {
        case .connectTimeout, .getConnectionFromPoolTimeout:
            (.connectTimeout, "\(origin) accepts no connection in time.", false)
        case .tlsHandshakeTimeout: (.tlsHandshakeFailed, "TLS with \(origin) took too long.", false)
        case .readTimeout: (.readTimeout, "\(origin) sent nothing for too long.", true)
        case .deadlineExceeded: (.deadlineExceeded, "The call took too long.", true)
        case .cancelled: (.cancelled, "The call was cancelled.", true)
        case .invalidURL, .traceRequestWithBody: (.invalidRequest, "The request cannot be sent to \(origin).", false)
        default: (.connectionClosed, "The connection to \(origin) ended before the answer was complete.", true)
        }
    }
}

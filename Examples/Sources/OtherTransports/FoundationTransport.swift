import Foundation
import Signet
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Calls services over a `URLSession` of the program's own, with the system's trust and proxies.
///
/// It shows no client certificate, and HTTP authentication is the caller's. Content is collected in memory in both directions: up
/// to 256 MiB of a request, and an answer within its limit, which some systems let it check late. The deadline
/// ``/SignetHTTP/Deadlines/connect`` is part of ``/SignetHTTP/Deadlines/read``.
///
/// The library `SignetURLSession` does more on Apple's systems: the client's certificate, pinned servers, HTTP authentication.
final class FoundationTransport: ClientTransport {
    private let exchanges = FoundationExchanges()
    /// Nil after the end.
    private let session: Mutex<URLSession?>

    init() { session = Mutex(Self.session(exchanges)) }

    private static func session(_ exchanges: FoundationExchanges) -> URLSession {
        let settings = URLSessionConfiguration.ephemeral
        settings.httpCookieStorage = nil
        settings.httpShouldSetCookies = false
        settings.urlCache = nil
        settings.urlCredentialStorage = nil
        settings.requestCachePolicy = .reloadIgnoringLocalCacheData
        return URLSession(configuration: settings, delegate: exchanges, delegateQueue: nil)
    }

    func send(_ request: ClientRequest) async throws -> ClientResponse {
        do {
            return try await withDeadlines(request.deadlines) { [self] in try await answer(to: request) }
        } catch let error as TransportError {
            throw error
        } catch {
            if session.withLock({ $0 == nil }) { throw Self.shutDown(mayHaveBeenProcessed: true) }
            throw Self.described(error, request.endpoint.origin)
        }
    }

    private func answer(to request: ClientRequest) async throws -> ClientResponse {
        let start = ContinuousClock.now
        guard let url = URL(string: "\(request.endpoint.origin)\(request.path)") else {
            throw TransportError(.invalidRequest, "The path of the request cannot be part of a URL.")
        }
        var native = URLRequest(url: url)
        native.httpMethod = request.method.rawValue
        native.timeoutInterval = request.deadlines.read / .seconds(1)
        for field in request.fields { native.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        let content = try await request.body.collected(limit: 256 << 20)
        if request.method != .get, request.method != .head { native.httpBody = Data(content) }
        // A session that has ended makes no tasks: asking it for one would end the process.
        let begun = session.withLock { session in
            // The end of the session is told to the exchanges that are known by then.
            (session?.dataTask(with: native)).map { ($0, exchanges.expect($0, for: request)) }
        }
        guard let (task, exchange) = begun else { throw Self.shutDown() }
        var response = try await exchange.run(task)
        response.report.legs = [.init(status: response.status.code)]
        response.report.duration = ContinuousClock.now - start
        return response
    }

    func renewConnections() {
        session.withLock { session in
            guard session != nil else { return }
            session?.finishTasksAndInvalidate()
            session = Self.session(exchanges)
        }
    }

    func shutdown() async throws {
        session.withLock { session in
            session?.invalidateAndCancel()
            session = nil
        }
    }

    private static func shutDown(mayHaveBeenProcessed: Bool = false) -> TransportError {
        TransportError(.shutDown, "The transport was shut down.", mayHaveBeenProcessed: mayHaveBeenProcessed)
    }

    /// The error of the system as that of a transport. What may have come after the request was sent says so.
    private static func described(_ error: any Error, _ origin: Origin) -> TransportError {
        let (code, message, mayHaveBeenProcessed): (TransportError.Code, String, Bool) =
            switch (error as? URLError)?.code {
            case .cannotFindHost, .dnsLookupFailed: (.unknownHost, "The host \(origin.host) has no address.", false)
            case .cannotConnectToHost: (.connectionRefused, "\(origin) accepts no connection.", false)
            case .notConnectedToInternet: (.networkUnreachable, "There is no network.", false)
            case .timedOut: (.readTimeout, "\(origin) sent nothing for too long.", true)
            case .cancelled: (.cancelled, "The call was cancelled.", true)
            case .badServerResponse, .cannotParseResponse:
                (.malformedResponse, "\(origin) does not speak HTTP, or breaks its rules.", true)
            case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
                .serverCertificateHasBadDate, .serverCertificateNotYetValid:
                (.tlsHandshakeFailed, "TLS with \(origin) failed.", false)
            case .clientCertificateRequired:
                (
                    .clientCertificateRequired,
                    "\(origin) demands a client certificate, which this transport cannot show.", false
                )
            default: (.connectionClosed, "The connection to \(origin) ended before the answer was complete.", true)
            }
        return TransportError(code, message, mayHaveBeenProcessed: mayHaveBeenProcessed, cause: error)
    }
}

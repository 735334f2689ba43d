import Foundation
import HTTPTypes
import SignetAuthentication
import SignetConnection
import SignetHTTP
import SignetTLS
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One task of a session: the data that has arrived, and the path that was trusted.
final class SessionExchange: Sendable {
    private struct State {
        var continuation: CheckedContinuation<ClientResponse, any Error>?
        /// The result, if it came before the caller waited for it.
        var early: Result<ClientResponse, any Error>?
        var isStarted = false
        /// Why the task is cancelled; the system itself would only report the cancellation.
        var reason: (any Error)?
        var status = 0
        var fields = HTTPFields()
        var body: [UInt8] = []
        var path: CertificationPath?
        var shown: EncodedCertificate?
        /// The credentials given, by protection space.
        var given: [ProtectionSpace: Credentials] = [:]
    }

    let configuration: ConnectionConfiguration
    let rules: SessionChallenge.Rules
    private let host: String
    private let limit: Int
    private let refusals: RefusedCredentials
    private let state = Mutex(State())

    init(
        _ configuration: ConnectionConfiguration, _ rules: SessionChallenge.Rules, host: String, limit: Int,
        refusals: RefusedCredentials
    ) {
        self.refusals = refusals
        self.configuration = configuration
        self.rules = rules
        self.host = host
        self.limit = limit
    }

    /// - Returns: whether to start the task; false when it has ended before.
    func begin(_ continuation: CheckedContinuation<ClientResponse, any Error>) -> Bool {
        let early = state.withLock { state in
            if state.early == nil {
                state.continuation = continuation
                state.isStarted = state.reason == nil
            }
            return state.early
        }
        if let early { continuation.resume(with: early) }
        return early == nil
    }

    var isServerTrusted: Bool { state.withLock { $0.path != nil } }

    func trustServer(_ path: CertificationPath) { state.withLock { $0.path = path } }

    func shows(_ certificate: EncodedCertificate) { state.withLock { $0.shown = certificate } }

    /// Records the credentials that the system is about to send.
    ///
    /// - Throws: ``AuthenticationError`` with `credentialsRefused` when the peer has refused them before, in any task.
    func give(_ credentials: Credentials, in space: ProtectionSpace) throws {
        guard refusals.mayGive(credentials, in: space) else {
            throw AuthenticationError(
                .credentialsRefused,
                "\(space) refused these credentials before. They will not be sent to it again; correct them.",
                space: space)
        }
        state.withLock { $0.given[space] = credentials }
    }

    /// Records that the peer asks again.
    func refused(in space: ProtectionSpace) {
        guard let given = state.withLock({ $0.given.removeValue(forKey: space) }) else { return }
        refusals.refuse(given, in: space)
    }

    /// Records why the task is about to be cancelled; the first reason counts.
    func fail(_ error: any Error) {
        state.withLock { if $0.reason == nil { $0.reason = error } }
    }

    /// The same for an error that depends on whether anything was sent.
    func fail(_ error: (_ mayHaveBeenProcessed: Bool) -> TransportError) {
        state.withLock { if $0.reason == nil { $0.reason = error($0.isStarted) } }
    }

    // MARK: Answers

    /// - Returns: whether the announced length is within the limit.
    func received(_ response: URLResponse) -> Bool {
        guard let response = response as? HTTPURLResponse else { return false }
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else {
                continue
            }
            fields.append(HTTPField(name: name, value: value))
        }
        state.withLock { state in
            state.status = response.statusCode
            state.fields = fields
            state.body = []
        }
        return isWithinLimit(response.expectedContentLength)
    }

    func received(_ data: Data) -> Bool {
        let count = state.withLock { state in
            let count = Int64(state.body.count) + Int64(data.count)
            if count <= Int64(limit) { state.body.append(contentsOf: data) }
            return count
        }
        return isWithinLimit(count)
    }

    private func isWithinLimit(_ count: Int64) -> Bool {
        guard count > Int64(limit) else { return true }
        fail(
            TransportError(
                .responseTooLarge, "The answer is larger than the \(limit) bytes that the call allows.",
                mayHaveBeenProcessed: true))
        return false
    }

    // MARK: End

    func end(with error: (any Error)?) {
        let (continuation, result) = state.withLock { state in
            let continuation = state.continuation
            state.continuation = nil
            let result: Result<ClientResponse, any Error>
            if let reason = state.reason {
                result = .failure(reason)
            } else if let error {
                result = .failure(
                    Self.describe(error, host: host, isServerTrusted: state.path != nil, hasShown: state.shown != nil))
            } else if !(100...999).contains(state.status) {
                result = .failure(
                    TransportError(
                        .malformedResponse, "\(host) answered \(state.status), which is not an HTTP status.",
                        mayHaveBeenProcessed: true))
            } else {
                var response = ClientResponse(
                    status: .init(code: state.status), fields: state.fields, body: state.body)
                if let path = state.path {
                    var tls = ExchangeReport.TLS()
                    tls.certificationPath = path.certificates.map(\.subject)
                    tls.notAfter = path.leaf?.notAfter
                    tls.pinMismatches = path.pinMismatches.map(\.message)
                    tls.clientCertificate = state.shown?.subject
                    tls.clientCertificateNotAfter = state.shown?.notAfter
                    tls.clientCertificateRequested = state.shown != nil
                    response.report.connection.tls = tls
                }
                result = .success(response)
            }
            if continuation == nil, state.early == nil { state.early = result }
            return (continuation, result)
        }
        continuation?.resume(with: result)
    }

    /// An error of the system as an error of a transport.
    static func describe(_ error: any Error, host: String, isServerTrusted: Bool, hasShown: Bool) -> any Error {
        if error is TransportError { return error }
        guard let failure = error as? URLError else {
            return TransportError(
                .connectionClosed, "\(host): \(error)", mayHaveBeenProcessed: true, cause: error)
        }
        let (code, message, isSent): (TransportError.Code, String, Bool) =
            switch failure.code {
            case .cannotFindHost, .dnsLookupFailed: (.unknownHost, "The host \(host) has no address.", false)
            case .cannotConnectToHost: (.connectionRefused, "\(host) refuses connections on this port.", false)
            case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
                (.networkUnreachable, "There is no network connection to \(host).", false)
            case .timedOut: (.readTimeout, "\(host) sent nothing for too long.", true)
            case .cancelled: (.cancelled, "The call was cancelled.", true)
            case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
                (.malformedResponse, "\(host) does not speak HTTP, or breaks its rules.", true)
            case .dataLengthExceedsMaximum: (.responseTooLarge, "The answer of \(host) is too large.", true)
            case .clientCertificateRequired:
                hasShown
                    ? (.clientCertificateRefused, "\(host) refused the client certificate.", false)
                    : (
                        .clientCertificateRequired, "\(host) demands a client certificate; give an identity for it.",
                        false
                    )
            case .clientCertificateRejected:
                (.clientCertificateRefused, "\(host) refused the client certificate.", false)
            case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
                (.tlsHandshakeFailed, "TLS with \(host) failed.", isServerTrusted)
            case .badURL, .unsupportedURL: (.invalidRequest, "The address cannot be called.", false)
            default: (.connectionClosed, "\(host) closed the connection before the answer was complete.", true)
            }
        return TransportError(code, message, mayHaveBeenProcessed: isSent, cause: failure)
    }
}

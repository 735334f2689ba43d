import Foundation
import SignetAuthentication
import SignetConnection
import SignetCredentials
import SignetHTTP
import SignetTLS
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
#if canImport(Security)
import CoreFoundation
import Security
#endif

/// Passes the callbacks of a session to the exchange that they belong to.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private struct State {
        var exchanges: [Int: SessionExchange] = [:]
        var isOver = false
    }

    private let state = Mutex(State())

    /// Seconds since 1970, for judging certificates.
    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// Makes the task of an exchange. A session that has been invalidated makes none: calling it would end the process.
    func begin(_ exchange: SessionExchange, make: () -> URLSessionTask) -> URLSessionTask? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            let task = make()
            state.exchanges[task.taskIdentifier] = exchange
            return task
        }
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Starts no further tasks; running ones continue.
    func retire() { state.withLock { $0.isOver = true } }

    func shutDown() {
        let exchanges = state.withLock { state in
            state.isOver = true
            return state.exchanges.values.map { $0 }
        }
        for exchange in exchanges { exchange.fail { .shutDown(mayHaveBeenProcessed: $0) } }
    }

    private func exchange(of task: URLSessionTask) -> SessionExchange? {
        state.withLock { $0.exchanges[task.taskIdentifier] }
    }

    // MARK: Answers

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(exchange(of: dataTask)?.received(response) == true ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if exchange(of: dataTask)?.received(data) != true { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        state.withLock { $0.exchanges.removeValue(forKey: task.taskIdentifier) }?.end(with: error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    // MARK: Challenges

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let exchange = exchange(of: task) else { return completionHandler(.cancelAuthenticationChallenge, nil) }
        let question = SessionChallenge(challenge)
        let configuration = exchange.configuration
        if question.refusals > 0 { exchange.refused(in: question.space) }
        switch question.answer(by: exchange.rules, isServerTrusted: exchange.isServerTrusted, at: Self.now) {
        case .trust(let path):
            exchange.trustServer(path)
            #if canImport(Security)
            if let trust = challenge.protectionSpace.serverTrust {
                return completionHandler(.useCredential, URLCredential(trust: trust))
            }
            #endif
            completionHandler(.cancelAuthenticationChallenge, nil)
        case .showIdentity:
            Task {
                do {
                    guard let identity = try await configuration.identity?.current() else {
                        return completionHandler(.rejectProtectionSpace, nil)
                    }
                    let credential = try SessionIdentity(
                        identity, tolerating: configuration.toleratedIdentityProblems, at: Self.now
                    ).credential(of: identity)
                    exchange.shows(identity.leaf)
                    completionHandler(.useCredential, credential)
                } catch {
                    exchange.fail(error)
                    completionHandler(.cancelAuthenticationChallenge, nil)
                }
            }
        case .give(let asked):
            let source =
                asked.space.isProxy
                ? configuration.proxy.authentication.credentials : configuration.authentication.credentials
            Task {
                do {
                    guard let found = try await source.answer(asked)?.account else {
                        throw AuthenticationError(
                            .credentialsRequired, "There is no account for \(asked.space).", space: asked.space)
                    }
                    try exchange.give(.account(found), in: asked.space)
                    completionHandler(
                        .useCredential,
                        URLCredential(
                            user: found.domain.isEmpty ? found.user : "\(found.domain)\\\(found.user)",
                            password: found.password, persistence: .none))
                } catch {
                    exchange.fail(error)
                    completionHandler(.cancelAuthenticationChallenge, nil)
                }
            }
        case .decline: completionHandler(.rejectProtectionSpace, nil)
        case .refuse(let error):
            exchange.fail(error)
            completionHandler(.cancelAuthenticationChallenge, nil)
        }
    }
}

extension SessionChallenge {
    /// The method names are those of `Foundation`.
    init(_ challenge: URLAuthenticationChallenge) {
        let space = challenge.protectionSpace
        let question: Question =
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodDefault: .credentials(scheme: "Basic")
            case NSURLAuthenticationMethodHTTPDigest: .credentials(scheme: "Digest")
            case "NSURLAuthenticationMethodNTLM": .credentials(scheme: "NTLM")
            case "NSURLAuthenticationMethodNegotiate": .credentials(scheme: "Negotiate")
            case "NSURLAuthenticationMethodClientCertificate": .clientCertificate
            case "NSURLAuthenticationMethodServerTrust": .serverTrust(space.presentedCertificates)
            case let other: .unknown(other)
            }
        self.init(question, host: space.host, port: space.port)
        isProxy = space.isProxy()
        // For a proxy, this property describes the traffic through the proxy; credentials for the proxy itself can be
        // read on the way to it.
        isSecure = !space.isProxy() && space.receivesCredentialSecurely
        realm = space.realm ?? ""
        refusals = challenge.previousFailureCount
    }
}

extension URLProtectionSpace {
    fileprivate var presentedCertificates: [EncodedCertificate] {
        #if canImport(Security)
        let chain = serverTrust.flatMap { SecTrustCopyCertificateChain($0) as? [SecCertificate] } ?? []
        return chain.map { certificate in
            let data = SecCertificateCopyData(certificate)
            guard let start = CFDataGetBytePtr(data) else { return EncodedCertificate(der: []) }
            return EncodedCertificate(
                der: Array(UnsafeBufferPointer(start: start, count: CFDataGetLength(data))))
        }
        #else
        return []
        #endif
    }
}

extension SessionIdentity {
    /// The identity in the form that `URLSession` takes.
    fileprivate func credential(of identity: Identity) throws -> URLCredential {
        #if canImport(Security)
        let others = identity.chain.dropFirst().compactMap { certificate in
            CFDataCreate(nil, certificate.der, certificate.der.count).flatMap {
                SecCertificateCreateWithData(nil, $0)
            }
        }
        return URLCredential(identity: try native(of: identity), certificates: others, persistence: .none)
        #else
        throw TransportError(.unusableIdentity, "URLSession can show no certificate on this system.")
        #endif
    }

    #if canImport(Security)
    private func native(of identity: Identity) throws -> SecIdentity {
        switch self {
        case .ofKeychain(let calls):
            guard let found = (calls as? SecurityKey)?.identity else {
                throw Self.notTaken(identity, errSecSuccess)
            }
            return found
        case .file(let file, let password):
            let options: [String: Any] = [
                kSecImportExportPassphrase as String: password, kSecImportToMemoryOnly as String: true,
            ]
            var items: CFArray?
            let status = CFDataCreate(nil, file, file.count).map {
                SecPKCS12Import($0, options as CFDictionary, &items)
            }
            let first = (items as? [[String: Any]])?.first
            guard let found = first?[kSecImportItemIdentity as String],
                CFGetTypeID(found as CFTypeRef) == SecIdentityGetTypeID()
            else { throw Self.notTaken(identity, status ?? errSecSuccess) }
            // The type was checked; Swift has no conditional cast to it.
            return unsafeDowncast(found as AnyObject, to: SecIdentity.self)
        }
    }

    private static func notTaken(_ identity: Identity, _ status: Int32) -> TransportError {
        TransportError(
            .unusableIdentity,
            "The system does not take the identity “\(identity.leaf.subject)” (status \(status)).")
    }
    #endif
}

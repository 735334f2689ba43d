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

/// Hands what a session says to the exchange that it belongs to.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private struct State {
        var exchanges: [Int: SessionExchange] = [:]
        var isOver = false
    }

    private let state = Mutex(State())

    /// Seconds since 1970, to judge certificates by.
    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// Makes the task of an exchange. A session that is over makes none: asking it ends the process.
    func begin(_ exchange: SessionExchange, make: () -> URLSessionTask) -> URLSessionTask? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            let task = make()
            state.exchanges[task.taskIdentifier] = exchange
            return task
        }
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// Takes no further task; those that run go on.
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

    // MARK: What comes

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

    // MARK: What is asked

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let exchange = exchange(of: task) else { return completionHandler(.cancelAuthenticationChallenge, nil) }
        let question = SessionChallenge(challenge)
        let configuration = exchange.configuration
        if question.refusals > 0 { exchange.refused(in: question.space) }
        switch question.answer(by: exchange.rules, believed: exchange.isBelieved, at: Self.now) {
        case .believe(let path):
            exchange.believed(path)
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
                    let credential = try identity.sessionCredential(
                        tolerating: configuration.toleratedIdentityProblems, at: Self.now)
                    exchange.shows(identity.leaf.subject)
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
    /// The names of methods are those of `Foundation`.
    init(_ challenge: URLAuthenticationChallenge) {
        let space = challenge.protectionSpace
        let question: Question =
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodDefault: .credentials(scheme: "Basic")
            case NSURLAuthenticationMethodHTTPDigest: .credentials(scheme: "Digest")
            case "NSURLAuthenticationMethodNTLM": .credentials(scheme: "NTLM")
            case "NSURLAuthenticationMethodNegotiate": .credentials(scheme: "Negotiate")
            case "NSURLAuthenticationMethodClientCertificate": .whoWeAre
            case "NSURLAuthenticationMethodServerTrust": .believe(space.presentedCertificates)
            case let other: .unknown(other)
            }
        self.init(question, host: space.host, port: space.port)
        isProxy = space.isProxy()
        // Of a proxy it is said of what goes through it; on the way to it anybody may read.
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

extension Identity {
    /// The identity in the form that `URLSession` takes: it is given a PKCS#12 file, which stays in memory.
    fileprivate func sessionCredential(
        tolerating tolerated: Set<IdentityProblem.Code>, at now: Int64
    ) throws -> URLCredential {
        do { try requireUsable(at: now, as: .client, tolerating: tolerated) } catch {
            throw TransportError(
                .unusableIdentity, "\(error.message) The certificate was not shown.", cause: error)
        }
        #if canImport(Security)
        let password = UUID().uuidString
        let file = try pkcs12(password: password, label: nil, iterations: 1)
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
        else {
            throw TransportError(
                .unusableIdentity,
                "The system does not take the identity “\(leaf.subject)” (status \(status ?? 0)).")
        }
        let others = chain.dropFirst().compactMap { certificate in
            CFDataCreate(nil, certificate.der, certificate.der.count).flatMap {
                SecCertificateCreateWithData(nil, $0)
            }
        }
        // Its type was looked at; the language has no conditional cast to it.
        let identity = unsafeDowncast(found as AnyObject, to: SecIdentity.self)
        return URLCredential(identity: identity, certificates: others, persistence: .none)
        #else
        throw TransportError(.unusableIdentity, "URLSession can show no certificate on this system.")
        #endif
    }
}

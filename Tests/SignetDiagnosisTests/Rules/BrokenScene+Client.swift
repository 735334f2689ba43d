import SignetTLS

@testable import SignetDiagnosis

extension BrokenScene {
    /// A client that a server of ours cannot serve. Nothing is known of our own connections.
    static let client: [BrokenScene] = [
        scene("plain HTTP", .clientWithoutTLS, { $0.end = .notTLS }, not: { $0.end = .closed }),
        scene(
            "TLS 1.1 only", .clientVersionUnsupported,
            { client in
                client.end = .incompatible
                client.offer?.versions = ["TLS 1.1", "TLS 1.0"]
            }, not: { $0.end = .incompatible }),
        scene(
            "no suite in common", .clientAlgorithmsUnsupported, { $0.end = .incompatible },
            not: { client in
                client.end = .incompatible
                client.offer?.versions = ["TLS 1.0"]
            }),
        scene(
            "no certificate", .clientShowsNoCertificate, { $0.end = .withoutCertificate },
            not: { $0.refuse(.unknownAuthority) }),
        scene("expired", .clientCertificateExpired, { $0.refuse(.expired) }, not: { $0.refuse(.notYetValid) }),
        scene("too early", .clientCertificateNotYetValid, { $0.refuse(.notYetValid) }, not: { $0.refuse(.expired) }),
        scene(
            "a server's certificate", .clientCertificateNotForClients, { $0.refuse(.wrongUsage) },
            not: { $0.refuse(.badSignature) }),
        scene(
            "only its own certificate", .clientChainIncomplete,
            { client in
                client.certificates = [Scene.leaf]
                client.refuse(.unknownAuthority)
            },
            not: { client in
                client.certificates = [Scene.certificate("CN=x", "CN=Stranger root, O=Stranger")]
                client.refuse(.unknownAuthority)
            }),
        scene(
            "another authority", .clientAuthorityUnknown,
            { client in
                client.certificates = [Scene.certificate("CN=x", "CN=Stranger root, O=Stranger")]
                client.refuse(.unknownAuthority)
            },
            not: { client in
                client.certificates = [Scene.leaf]
                client.refuse(.unknownAuthority)
            }),
        scene(
            "a forged signature", .clientCertificateRejected, { $0.refuse(.badSignature) },
            not: { $0.refuse(.selfSigned) }),
        scene("unknown_ca", .clientDistrustsServer, { $0.send(48) }, not: { $0.send(80) }),
        scene("internal_error", .clientSentAlert, { $0.send(80) }, not: { $0.send(46) }),
        scene(
            "closed without a word", .clientClosed, { $0.end = .closed }, not: { $0.end = .closedWithoutRequest }),
        scene("closed without a byte", .clientClosed, { $0.end = .onlyOpened }, not: { $0.end = .answered }),
        scene(
            "closed after the handshake", .clientSentNoRequest, { $0.end = .closedWithoutRequest },
            not: { $0.end = .closed }),
        scene("silent", .clientFailed, { $0.end = .timedOut }, not: { $0.end = .answered }),
        scene("no HTTP", .clientFailed, { $0.end = .failed }, not: { $0.end = .closed }),
    ]

    private static func scene(
        _ name: String, _ code: Finding.Code, _ change: @escaping (inout ClientConnectionFacts) -> Void,
        not nearMiss: @escaping (inout ClientConnectionFacts) -> Void
    ) -> BrokenScene {
        func facts(_ change: @escaping (inout ClientConnectionFacts) -> Void) -> Change {
            return { facts in
                var client = ClientConnectionFacts(peer: "192.0.2.7:50000", isAsked: true, end: .answered)
                client.offer = .init(
                    versions: ["TLS 1.3", "TLS 1.2"], cipherSuites: ["TLS_AES_128_GCM_SHA256"],
                    serverName: "service.example", signatureSchemes: Scene.ecdsa)
                client.version = "TLS 1.3"
                change(&client)
                facts = DiagnosticFacts(now: Scene.now)
                facts.client = client
            }
        }
        return BrokenScene(name, code, facts(change), not: [facts(nearMiss), facts { _ in }])
    }
}

extension ClientConnectionFacts {
    fileprivate mutating func refuse(_ code: TrustError.Code) {
        end = .refused
        verdict = TrustVerdict(
            "this server", code: code.description, rule: "the rule", message: "It has the problem \(code).",
            anchors: ["CN=Acme root, O=Acme"])
    }

    fileprivate mutating func send(_ alert: Int) {
        end = .alert
        self.alert = .init(TLSAlert(code: alert), isFromServer: false, at: .serverHello)
    }
}

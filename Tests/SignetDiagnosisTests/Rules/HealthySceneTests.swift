import SignetTLS
import Testing

@testable import SignetDiagnosis

/// Set-ups that work.
@Suite(.timeLimit(.minutes(5))) struct HealthySceneTests {
    private static let scenes: [(name: String, facts: DiagnosticFacts)] = [
        ("TLS 1.3 with a certificate", Scene.facts()),
        (
            "TLS 1.2 with a certificate",
            Scene.facts { $0.change(.usual) { $0.handshake = Scene.handshake("TLS 1.2", request: Scene.request) } }
        ),
        ("the server names no authority", Scene.facts { $0.list([]) }),
        ("the server names the intermediate", Scene.facts { $0.list(["cn=acme issuing 1, o=acme"]) }),
        (
            "an RSA key",
            Scene.facts { facts in
                facts.identity?.signatureSchemes = Scene.rsa
                facts.identity?.chain[0].key = "RSA 2048"
            }
        ),
        (
            "a certificate of the root itself, which the server has",
            Scene.facts { facts in
                facts.identity?.chain = [Scene.certificate("CN=device 7", "CN=Acme root, O=Acme")]
                facts.identity?.pathEnd = .missing
            }
        ),
        (
            "a self-signed certificate that is registered",
            Scene.facts { facts in
                facts.identity?.chain = [Scene.certificate("CN=device 7", "CN=device 7")]
                facts.list([])
            }
        ),
        (
            "a certificate that is optional",
            Scene.facts { facts in
                facts.change(.tls12WithoutIdentity) { probe in
                    probe.end = .completed
                    probe.handshake?.stage = .answered
                    probe.handshake?.alerts = []
                    probe.answers = [Scene.answer()]
                }
            }
        ),
        (
            "a certificate asked for late, and shown",
            Scene.facts { facts in
                facts.askLate()
                facts.identity?.mayBeShownLate = true
                facts.change(.usual) { probe in
                    probe.handshake?.version = "TLS 1.2"
                    probe.handshake?.request = .init(isLate: true)
                    probe.handshake?.shownCertificate = Scene.leaf.subject
                }
            }
        ),
        (
            "no certificate, and none asked for",
            Scene.facts { facts in
                facts.askNever()
                facts.identity = nil
                facts.change(.usual) { $0.hasIdentity = false }
            }
        ),
        ("an identity that is not needed", Scene.facts { $0.askNever() }),
        (
            "through a proxy",
            Scene.facts { facts in
                facts.proxies = [ProxyHop("proxy.example:3128", .open)]
                facts.add(.direct) { _ in }
            }
        ),
        (
            "IPv4 and IPv6",
            Scene.facts { $0.connections.append(.init("[2001:db8::7]:443", .connected, milliseconds: 9)) }
        ),
        ("one of two addresses is down", Scene.facts { $0.connections.append(.init("192.0.2.8:443", .timedOut)) }),
        ("a fault", Scene.facts { $0.answer(500, .fault) { $0.says = "Client: no such operation" } }),
        ("a HEAD that the service does not take", Scene.facts { $0.answer(405) { $0.method = "HEAD" } }),
        (
            "a page that says that the service takes POST only",
            Scene.facts { $0.answer(405, .html) { $0.method = "GET" } }
        ),
        (
            "a page that says that the service takes XML only",
            Scene.facts { $0.answer(415, .html) { $0.method = "GET" } }
        ),
        ("a page about the service", Scene.facts { $0.answer(200, .html) { $0.method = "GET" } }),
        (
            "plain HTTP on the own machine",
            Scene.facts { facts in
                facts.target = .init(isSecure: false, host: "127.0.0.1", port: 8080)
                facts.identity = nil
                facts.verdicts = []
                facts.probes = [Probe(answers: [Scene.answer()])]
            }
        ),
        (
            "several ports, and the right one",
            Scene.facts { facts in
                facts.ports = [
                    .init(
                        "Device", url: "https://service.example/", isTarget: true,
                        acceptsIdentity: true),
                    .init("Person", url: "https://person.example/", acceptsIdentity: false),
                ]
                facts.revocations = [
                    .init(isOurs: true, subject: Scene.leaf.subject, .good),
                    .init(isOurs: false, subject: "CN=service.example", .notPublished),
                ]
            }
        ),
        (
            "clocks that differ by two minutes",
            Scene.facts { $0.change(.usual) { $0.answers[0].date = Scene.now + 120 } }
        ),
        (
            "an older attempt is refused, the usual one is not",
            Scene.facts { facts in
                facts.add(.tls12) { probe in
                    probe.answers = []
                    probe.end = .alert
                    probe.handshake?.alerts = [.init(TLSAlert(code: 42), at: .serverHello)]
                }
            }
        ),
        (
            "a server that a person trusts by an exception",
            Scene.facts { $0.verdicts[0].code = TrustError.Code.unknownAuthority.description }
        ),
        ("behind a load balancer", Scene.facts { $0.change(.usual) { $0.answers[0].intermediaries = ["via"] } }),
    ]

    @Test func noFindingIsAboveANotice() {
        #expect(Self.scenes.count >= 18)
        for (name, facts) in Self.scenes {
            let findings = Diagnosis(facts).findings
            #expect(findings.allSatisfy { $0.severity == .notice }, "\(name): \(findings.map(\.code))")
            #expect(Diagnosis(facts).mostLikely == nil)
        }
    }
}

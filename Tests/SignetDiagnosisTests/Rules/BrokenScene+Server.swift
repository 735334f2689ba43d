import SignetAuthentication
import SignetTLS

@testable import SignetDiagnosis

extension BrokenScene {
    private static let privateLeaf = Scene.certificate(
        "CN=service.example", "CN=Globex issuing, O=Globex", hosts: ["service.example"])

    // MARK: The server's certificates

    static let server: [BrokenScene] = [
        .init(
            "the server's authority is unknown", .serverNotTrusted,
            { $0.distrust(.unknownAuthority, [Scene.certificate("CN=service.example", "CN=Initech root, O=Initech")]) },
            not: [
                { $0.distrust(.hostNameMismatch) },
                { $0.distrust(.unknownAuthority, [privateLeaf], anchors: ["CN=Globex root, O=Globex"]) },
            ]),
        .init(
            "the server's certificate is self-signed", .serverNotTrusted,
            { $0.distrust(.selfSigned, [Scene.certificate("CN=service.example", "CN=service.example")]) }),
        .init(
            "the server sends no intermediate", .serverChainIncomplete,
            { $0.distrust(.unknownAuthority, [privateLeaf], anchors: ["CN=Globex root, O=Globex"]) },
            not: [
                { $0.distrust(.unknownAuthority, [privateLeaf], anchors: ["CN=Initech root, O=Initech"]) },
                { facts in
                    facts.distrust(.unknownAuthority, [privateLeaf], anchors: ["CN=Globex root, O=Globex"])
                    facts.verdicts[0].isKnownWhenCompleted = false
                },
            ]),
        .init(
            "the server sends no intermediate, which was fetched", .serverChainIncomplete,
            { facts in
                facts.distrust(.unknownAuthority, [privateLeaf])
                facts.verdicts[0].isKnownWhenCompleted = true
                facts.issuerLookups = [
                    IssuerLookup(
                        "CN=Globex issuing, O=Globex", at: "http://globex.example/issuing.crt",
                        certificate: Scene.certificate("CN=Globex issuing, O=Globex", "CN=Globex root, O=Globex"))
                ]
            }),
        .init(
            "the server sends its root and no intermediate", .serverChainIncomplete,
            { facts in
                facts.distrust(
                    .unknownAuthority,
                    [privateLeaf, Scene.certificate("CN=Globex root, O=Globex", "CN=Globex root, O=Globex")])
                facts.verdicts[0].isKnownWhenCompleted = true
            }),
        .init(
            "the server sends no intermediate of a public authority", .serverChainIncomplete,
            { facts in
                facts.distrust(.unknownAuthority, [Scene.certificate("CN=service.example", "CN=R11, O=Let's Encrypt")])
            }),
        .init(
            "a product that inspects TLS", .tlsIntercepted,
            {
                $0.distrust(
                    .unknownAuthority,
                    [Scene.certificate("CN=service.example", "CN=Zscaler Intermediate, O=Zscaler Inc.")])
            },
            not: [{ $0.distrust(.unknownAuthority) }]),
        .init(
            "another certificate through the proxy", .tlsIntercepted,
            { facts in
                facts.proxies = [ProxyHop("proxy.example:3128", .open)]
                facts.distrust(.unknownAuthority, [Scene.certificate("CN=service.example", "CN=Office, O=Acme")])
                facts.add(.direct) { $0.hasIdentity = false }
            },
            not: [
                { facts in
                    facts.proxies = [ProxyHop("proxy.example:3128", .open)]
                    facts.distrust(.hostNameMismatch)
                    facts.add(.direct) { $0.hasIdentity = false }
                }
            ]),
        .init(
            "another host", .serverHostMismatch, { $0.distrust(.hostNameMismatch) }, not: [{ $0.distrust(.expired) }]),
        .init(
            "the server's certificate has expired", .serverCertificateExpired, { $0.distrust(.expired) },
            not: [{ $0.distrust(.notYetValid) }]),
        .init(
            "the server's certificate is not yet valid", .serverCertificateNotYetValid, { $0.distrust(.notYetValid) },
            not: [{ $0.distrust(.expired) }]),
        .init(
            "the server's certificate is revoked", .serverCertificateRevoked, { $0.distrust(.revoked) },
            not: [{ $0.distrust(.revocationUnknown) }, { $0.refuse(44) }]),
        .init(
            "the server's revocation list is unreachable", .serverRevocationUnknown,
            { facts in
                facts.distrust(.revocationUnknown)
                facts.revocations = [
                    .init(isOurs: false, subject: "CN=service.example", .undetermined, message: "No answer.")
                ]
            }, not: [{ $0.revocations = [.init(isOurs: false, subject: "CN=service.example", .undetermined)] }]),
        .init(
            "the server's certificate is weak", .serverCertificateWeak, { $0.distrust(.weakAlgorithm) },
            not: [{ $0.distrust(.badSignature) }]),
        .init("no pin", .serverPinMismatch, { $0.distrust(.pinMismatch) }, not: [{ $0.distrust(.unknownAuthority) }]),
        .init(
            "a broken rule", .serverCertificateRejected, { $0.distrust(.nameConstraint) },
            not: [{ $0.distrust(.unknownAuthority) }]),
    ]

    // MARK: The network and TLS

    private static func disconnect(_ facts: inout DiagnosticFacts, _ outcomes: [ConnectionAttempt.Outcome]) {
        facts.probes = []
        facts.connections = outcomes.map { ConnectionAttempt("192.0.2.7:443", $0) }
    }

    /// There is no connection to the proxy.
    ///
    /// - Parameter outcomes: empty when its name has no address.
    private static func disconnectProxy(_ facts: inout DiagnosticFacts, _ outcomes: [ConnectionAttempt.Outcome]) {
        facts.probes = []
        facts.proxies = [.init("proxy.example:3128", .unreachable)]
        facts.connections = outcomes.map { ConnectionAttempt("192.0.2.9:3128", $0) }
        facts.resolution =
            outcomes.isEmpty
            ? NameResolution(host: "proxy.example", problem: "NXDOMAIN")
            : NameResolution(host: "proxy.example", addresses: ["192.0.2.9"])
    }

    private static func failAtProxy(_ facts: inout DiagnosticFacts, _ code: AuthenticationError.Code) {
        let space = ProtectionSpace(scheme: "http", host: "proxy.example", port: 3128, realm: "", isProxy: true)
        facts.probes = []
        facts.proxies = [.init("proxy.example:3128", .credentialsRequired, status: 407, challenges: [.init("Basic")])]
        facts.authentication = .init(AuthenticationError(code, "The problem is \(code).", space: space))
    }

    private static func foreign(_ facts: inout DiagnosticFacts, _ kind: ForeignBytes.Kind, _ text: String) {
        facts.end(.local, at: .bytes)
        facts.change(.usual) { $0.handshake?.foreign = .init(kind, text) }
        facts.probes.removeAll { $0.kind == .tls12WithoutIdentity }
    }

    /// The server refuses the ClientHello.
    private static func refuseHello(_ facts: inout DiagnosticFacts, _ alert: Int) {
        facts.end(.alert, at: .bytes)
        facts.change(.usual) { $0.handshake?.alerts = [.init(TLSAlert(code: alert), at: .bytes)] }
        facts.probes.removeAll { $0.kind == .tls12WithoutIdentity }
    }

    static let network: [BrokenScene] = [
        .init(
            "no address", .hostUnknown,
            { facts in
                facts.resolution = NameResolution(host: "service.example", problem: "NXDOMAIN")
                facts.connections = []
                facts.probes = []
            }, not: [{ disconnect(&$0, [.refused]) }, { disconnectProxy(&$0, []) }]),
        .init(
            "refused", .connectionRefused, { disconnect(&$0, [.timedOut, .refused]) },
            not: [
                { disconnect(&$0, [.timedOut]) }, { $0.connections.append(.init("192.0.2.8:443", .refused)) },
                { disconnectProxy(&$0, [.refused]) },
            ]),
        .init(
            "no route", .networkUnreachable, { disconnect(&$0, [.unreachable]) },
            not: [{ disconnect(&$0, [.refused]) }, { disconnectProxy(&$0, [.unreachable]) }]),
        .init(
            "silence", .connectionTimedOut, { disconnect(&$0, [.timedOut]) },
            not: [{ disconnect(&$0, [.refused]) }, { disconnectProxy(&$0, [.timedOut]) }]),
        .init(
            "IPv6", .ipv6Broken, { $0.connections.append(.init("[2001:db8::7]:443", .timedOut)) },
            not: [
                { $0.connections.append(.init("[2001:db8::7]:443", .connected)) },
                { $0.connections = [.init("[2001:db8::7]:443", .timedOut)] },
            ]),
        .init(
            "the proxy is gone", .proxyUnreachable, { disconnectProxy(&$0, [.refused]) },
            not: [{ $0.proxies = [.init("proxy.example:3128", .open)] }]),
        .init("the proxy has no address", .proxyUnreachable, { disconnectProxy(&$0, []) }),
        .init(
            "the proxy refuses", .proxyRefused,
            { facts in
                facts.probes = []
                facts.proxies = [.init("proxy.example:3128", .refused, status: 403)]
            }, not: [{ $0.proxies = [.init("proxy.example:3128", .credentialsRequired, status: 407)] }]),
        .init(
            "TLS with the proxy fails", .proxyTLSFailed,
            { facts in
                facts.probes = []
                facts.proxies = [.init("proxy.example:3128", .tlsFailed, problem: "The proxy is not trusted.")]
            }, not: [{ $0.proxies = [.init("proxy.example:3128", .refused, status: 403)] }]),
        .init(
            "the proxy demands credentials", .proxyCredentialsRequired,
            { facts in
                facts.probes = []
                facts.proxies = [
                    .init("proxy.example:3128", .credentialsRequired, status: 407, challenges: [.init("Basic")])
                ]
            }, not: [{ $0.proxies = [.init("proxy.example:3128", .refused, status: 403)] }]),
        .init(
            "the proxy refuses the credentials", .proxyCredentialsRefused, { failAtProxy(&$0, .credentialsRefused) },
            not: [{ failAtProxy(&$0, .credentialsRequired) }, { failAtProxy(&$0, .insecureChannel) }]),
        .init(
            "the proxy demands credentials in plain text", .proxyCredentialsRequired,
            { failAtProxy(&$0, .insecureChannel) }, not: [{ failAtProxy(&$0, .credentialsRefused) }]),
        .init(
            "HTTP on the port of TLS", .httpOnTLSPort, { foreign(&$0, .httpAnswer, "HTTP/1.1 400 Bad Request") },
            not: [{ foreign(&$0, .text, "SSH-2.0-OpenSSH_9.2") }]),
        .init(
            "TLS on the port of HTTP", .tlsOnHTTPPort,
            { facts in
                facts.target = .init(isSecure: false, host: "service.example", port: 443)
                facts.identity = nil
                facts.verdicts = []
                facts.probes = [Probe(answers: [Scene.answer(400, .html)])]
                facts.probes[0].answers[0].wantsTLS = true
            },
            not: [
                { facts in
                    facts.target = .init(isSecure: false, host: "service.example", port: 80)
                    facts.probes = [Probe(answers: [Scene.answer()])]
                }
            ]),
        .init(
            "TLS on the port of HTTP, and no answer", .tlsOnHTTPPort,
            { facts in
                facts.target = .init(isSecure: false, host: "service.example", port: 443)
                facts.identity = nil
                facts.verdicts = []
                facts.probes = [
                    Probe(end: .closed),
                    Probe(.secured, handshake: Scene.handshake(stage: .serverHello, request: nil), end: .untrusted),
                ]
            },
            not: [
                { facts in
                    facts.target = .init(isSecure: false, host: "service.example", port: 80)
                    facts.probes = [Probe(end: .closed), Probe(.secured, handshake: HandshakeFacts(), end: .closed)]
                }
            ]),
        .init(
            "SSH on the port", .notTLS, { foreign(&$0, .text, "SSH-2.0-OpenSSH_9.2") },
            not: [{ foreign(&$0, .httpAnswer, "HTTP/1.1 200 OK") }]),
        .init(
            "the ClientHello is dropped", .clientHelloDropped,
            { facts in
                facts.end(.timedOut, at: .nothing)
                facts.add(.smallHello) { _ in }
            },
            not: [
                { $0.end(.timedOut, at: .nothing) },
                { facts in
                    facts.end(.timedOut, at: .finished)
                    facts.add(.smallHello) { _ in }
                },
            ]),
        .init(
            "only TLS 1.0", .tlsVersionUnsupported, { refuseHello(&$0, 70) }, not: [{ refuseHello(&$0, 40) }]),
        .init(
            "only TLS 1.3, and an identity that may be shown late", .tlsVersionUnsupported,
            { facts in
                facts.identity?.mayBeShownLate = true
                refuseHello(&facts, 40)
                facts.add(.tls13) { _ in }
            },
            not: [
                { facts in
                    facts.identity?.mayBeShownLate = true
                    refuseHello(&facts, 40)
                    facts.add(.tls13) { $0.handshake = HandshakeFacts(stage: .bytes) }
                },
                { facts in
                    refuseHello(&facts, 40)
                    facts.add(.tls13) { _ in }
                },
            ]),
        .init(
            "no cipher suite", .noCommonCipherSuite, { refuseHello(&$0, 40) },
            not: [{ $0.refuse(40, at: .serverHello) }, { refuseHello(&$0, 70) }]),
        .init(
            "only insecure cipher suites", .noCommonCipherSuite,
            { facts in
                refuseHello(&facts, 71)
                facts.add(.insecureCipherSuites) { $0.handshake?.cipherSuite = "TLS_RSA_WITH_AES_256_CBC_SHA" }
            }),
        .init(
            "an unknown name", .serverNameUnknown,
            { facts in
                refuseHello(&facts, 112)
                facts.change(.usual) { $0.serverName = "service.example" }
            },
            not: [{ refuseHello(&$0, 40) }]),
        .init(
            "no name, and an alert", .serverNameRequired,
            { facts in
                refuseHello(&facts, 112)
                facts.target = .init(host: "192.0.2.7")
                facts.change(.usual) { $0.serverName = nil }
            }),
        .init(
            "no name, and another certificate", .serverNameRequired,
            { facts in
                facts.target = .init(host: "192.0.2.7")
                facts.distrust(
                    .hostNameMismatch,
                    [Scene.certificate("CN=default.example", "CN=Big root", hosts: ["default.example"])])
                facts.change(.usual) { $0.serverName = nil }
                facts.add(.withServerName) { _ in }
            },
            not: [
                { facts in
                    facts.target = .init(host: "192.0.2.7")
                    facts.distrust(.hostNameMismatch)
                    facts.change(.usual) { $0.serverName = nil }
                    facts.add(.withServerName) { $0.handshake?.request = nil }
                }
            ]),
        .init(
            "an alert of no use", .handshakeFailed,
            { facts in
                facts.end(.alert, at: .serverHello)
                facts.change(.usual) { probe in
                    probe.handshake?.alerts = [.init(TLSAlert(code: 80), at: .serverHello)]
                }
            }, not: [{ $0.refuse(48) }]),
        .init(
            "closed at once", .connectionClosed, { $0.end(.closed, at: .nothing) },
            not: [{ $0.end(.closed) }, { $0.refuse(48) }]),
        .init(
            "an answer that is no HTTP", .callFailed,
            {
                $0.end(.failed)
                $0.probes[0].problem = "The answer is no HTTP."
            }, not: [{ $0.end(.closed) }, { $0.end(.failed) }]),
        .init("no answer", .answerTimedOut, { $0.end(.timedOut) }, not: [{ $0.end(.closed) }]),
    ]

    // MARK: Answers

    private static func skew(_ facts: inout DiagnosticFacts, _ seconds: Int64) {
        for index in facts.probes.indices {
            for answer in facts.probes[index].answers.indices {
                facts.probes[index].answers[answer].date = Scene.now + seconds
            }
        }
    }

    static let answers: [BrokenScene] =
        [
            .init(
                "a clock, and the server's certificate", .clockWrong,
                { facts in
                    facts.distrust(.notYetValid)
                    facts.add(.plain) { _ in }
                    skew(&facts, 7_200)
                }, not: [{ $0.distrust(.notYetValid) }]),
            .init(
                "a clock, and a fault", .clockWrong,
                { facts in
                    facts.answer(500, .fault)
                    skew(&facts, 7_200)
                }, not: [{ $0.answer(500, .fault) }]),
            .init(
                "the server's clock takes ours for expired", .clockWrong, { $0.refuse(45) }, not: [{ $0.refuse(46) }]),
            .init("a clock alone", .clockWrong, { skew(&$0, -7_200) }, not: [{ skew(&$0, 120) }]),
            .init(
                "an unknown scheme", .authenticationSchemeUnsupported,
                { facts in
                    facts.askNever()
                    facts.answer(401) { $0.challenges = [.init("Hawk")] }
                }, not: [{ $0.answer(401) { $0.challenges = [.init("Hawk"), .init("Basic")] } }]),
            .init(
                "refused credentials", .credentialsRefused,
                { facts in
                    facts.authentication = .init(AuthenticationError(.credentialsRefused, "The server refused them."))
                    facts.answer(401) { $0.challenges = [.init("Basic")] }
                }, not: [{ $0.answer(401) { $0.challenges = [.init("Basic")] } }]),
            .init(
                "a failed handshake of authentication", .authenticationFailed,
                { $0.authentication = .init(AuthenticationError(.peerNotProved, "The server did not prove itself.")) },
                not: [{ $0.authentication = .init(AuthenticationError(.credentialsRefused, "Refused.")) }]),
            .init(
                "a redirect to another host", .redirectLosesIdentity,
                { $0.answer(302, .html) { $0.redirectOrigin = "https://login.example" } },
                not: [
                    { $0.answer(302, .html) },
                    { facts in
                        facts.identity = nil
                        facts.answer(302) { $0.redirectOrigin = "https://login.example" }
                    },
                ]),
            .init("a redirect", .redirected, { $0.answer(301) }, not: [{ $0.answer(404) }]),
            .init(
                "the WSDL without the identity", .documentWithoutIdentity,
                { facts in
                    facts.add(.document) { probe in
                        probe.hasIdentity = false
                        probe.answers = [Scene.answer(403)]
                    }
                },
                not: [
                    { $0.add(.document) { $0.hasIdentity = false } },
                    { $0.add(.document) { $0.answers = [Scene.answer(403)] } },
                    { facts in
                        facts.add(.document) { probe in
                            (probe.hasIdentity, probe.answers, probe.end) = (false, [], .untrusted)
                        }
                    },
                    { facts in
                        facts.add(.document) { probe in
                            (probe.hasIdentity, probe.answers, probe.end) = (false, [], .timedOut)
                        }
                    },
                    { facts in
                        facts.add(.document) { probe in
                            (probe.hasIdentity, probe.answers) = (false, [Scene.answer(404)])
                        }
                    },
                ]),
            .init(
                "the WSDL behind a login", .documentWithoutIdentity,
                { facts in
                    facts.add(.document) { probe in
                        probe.hasIdentity = false
                        probe.answers = [Scene.answer(302) { $0.redirectOrigin = "https://login.example" }]
                    }
                }, not: [{ $0.add(.document) { $0.hasIdentity = false } }]),
            .init(
                "no WSDL at the address", .documentUnavailable,
                { facts in
                    facts.add(.document) { probe in
                        (probe.hasIdentity, probe.answers) = (false, [Scene.answer(404)])
                    }
                },
                not: [
                    { $0.add(.document) { $0.hasIdentity = false } },
                    // The date of another server, and what its pages say, are not about this one.
                    { facts in
                        facts.add(.document) { probe in
                            probe.answers = [
                                Scene.answer(200, .html) { answer in
                                    (answer.date, answer.receivedAt) = (Scene.now - 90_000, Scene.now)
                                    answer.certificateRemark = .askedLate
                                }
                            ]
                        }
                    },
                ]),
            .init(
                "the WSDL without the identity, by an alert", .documentWithoutIdentity,
                { facts in
                    facts.add(.document) { probe in
                        probe.hasIdentity = false
                        probe.answers = []
                        probe.end = .alert
                        probe.handshake?.shownCertificate = nil
                        probe.handshake?.alerts = [.init(TLSAlert(code: 116), at: .finished)]
                    }
                }),
            .init(
                "a login page", .htmlInsteadOfSOAP,
                { facts in
                    facts.answer(200, .html) { answer in
                        answer.says = "sign in"
                        answer.isLogin = true
                    }
                }, not: [{ $0.answer(200, .soap) }, { $0.answer(403, .html) }]),
            .init("nothing at the path", .notFound, { $0.answer(404, .html) }, not: [{ $0.answer(404, .fault) }]),
            .init(
                "refused without a reason", .accessRefused,
                { facts in
                    facts.identity = nil
                    facts.askNever()
                    facts.answer(403)
                }, not: [{ $0.answer(404) }]),
            .init(
                "another status", .requestRefused, { $0.answer(426) }, not: [{ $0.answer(404) }, { $0.answer(405) }]),
            .init("the server failed", .serverError, { $0.answer(502, .html) }, not: [{ $0.answer(500, .fault) }]),
        ]
        + ["Basic", "Digest", "Bearer", "Negotiate", "NTLM", "OAuth"].map { scheme in
            .init(
                "401 with \(scheme)", .credentialsRequired,
                { facts in
                    facts.askNever()
                    facts.answer(401) { $0.challenges = [.init(scheme, realm: "office")] }
                }, not: [{ $0.answer(401) { $0.challenges = [.init("Hawk")] } }])
        }

    // MARK: Warnings

    private static func issued(_ facts: inout DiagnosticFacts, by issuer: String, for uses: [String]) {
        facts.identity?.chain = [Scene.certificate("CN=client.example", issuer, extendedKeyUsage: uses)]
        facts.list([])
    }

    static let warnings: [BrokenScene] = [
        .init(
            "a list that does not name our issuer", .issuerListIncomplete, { $0.list(["CN=Newer root, O=Globex"]) },
            not: [
                { $0.list([]) },
                { facts in
                    facts.list(["CN=Newer root, O=Globex"])
                    facts.refuse(48)
                },
            ]),
        .init(
            "DigiCert until March 2027", .publicAuthorityStops,
            { issued(&$0, by: "CN=DigiCert Global G2 TLS, O=DigiCert Inc", for: ["serverAuth", "clientAuth"]) },
            not: [
                { issued(&$0, by: "CN=DigiCert Global G2 TLS, O=DigiCert Inc", for: ["clientAuth"]) },
                { issued(&$0, by: "CN=Acme issuing, O=Acme", for: ["serverAuth", "clientAuth"]) },
            ]),
        .init(
            "ZeroSSL has stopped", .publicAuthorityStops,
            { issued(&$0, by: "CN=ZeroSSL ECC, O=ZeroSSL", for: ["serverAuth", "clientAuth"]) }),
        .init(
            "our certificate expires soon", .identityExpiresSoon, { $0.problem(.expiresSoon, isError: false) },
            not: [{ $0.problem(.chainIncomplete, isError: false) }]),
        .init(
            "the server's certificate expires soon", .serverCertificateExpiresSoon,
            { $0.change(.usual) { $0.handshake?.certificates[0].notAfter = Scene.now + 5 * Scene.day } },
            not: [
                // A certificate of six days with two left.
                { facts in
                    facts.change(.usual) { probe in
                        probe.handshake?.certificates[0].notBefore = Scene.now - 4 * Scene.day
                        probe.handshake?.certificates[0].notAfter = Scene.now + 2 * Scene.day
                    }
                }
            ]),
        .init("no request, and an answer", .certificateNotNeeded, { $0.askNever() }, not: [{ $0.identity = nil }]),
        .init(
            "TLS 1.2", .noTLS13, { $0.change(.usual) { $0.handshake?.version = "TLS 1.2" } },
            not: [{ $0.change(.usual) { $0.handshake = nil } }]),
        .init("a fault", .soapFault, { $0.answer(500, .fault) }, not: [{ $0.answer(500, .html) }]),
    ]
}

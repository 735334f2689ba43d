import SignetAuthentication
import SignetTLS
import Testing

@testable import SignetDiagnosis

/// A set-up that does not work, the finding that must come first, and set-ups close to it in which that finding must not
/// appear.
struct BrokenScene: CustomTestStringConvertible, Sendable {
    typealias Change = (inout DiagnosticFacts) -> Void

    let name: String
    let code: Finding.Code
    let facts: DiagnosticFacts
    let nearMisses: [DiagnosticFacts]
    var testDescription: String { "\(code): \(name)" }

    init(_ name: String, _ code: Finding.Code, _ change: Change, not nearMisses: [Change] = []) {
        self.name = name
        self.code = code
        facts = Scene.facts(change)
        self.nearMisses = [Scene.facts()] + nearMisses.map { Scene.facts($0) }
    }

    static let all = identity + chains + requests + server + network + answers + warnings + later + client

    /// The client sends its own certificate only.
    private static func sendLeafOnly(_ facts: inout DiagnosticFacts) {
        facts.identity?.chain = [Scene.leaf]
        facts.identity?.pathEnd = .missing
    }

    /// A root issued the client's certificate, and its own is not there.
    private static func sendFromRoot(_ facts: inout DiagnosticFacts) {
        facts.identity?.chain = [Scene.certificate("CN=device 7", "CN=Initech Root CA, O=Initech")]
        facts.identity?.pathEnd = .missing
    }

    private static func fail(_ facts: inout DiagnosticFacts, _ code: IdentityError.Code) {
        facts.identity = nil
        facts.probes = []
        facts.identityFile = IdentityFileProblem(IdentityError(code, "The file has the problem \(code)."))
    }

    /// What is judged for a later time than that of the connections, which work.
    static let later: [BrokenScene] = [
        .init(
            "our intermediate will have expired", .identityExpired,
            { facts in
                facts.connectedAt = Scene.now - Scene.day
                facts.problem(.expired, isError: false, isOfLeaf: false)
            }, not: [{ $0.problem(.expired, isError: false, isOfLeaf: false) }]),
        .init(
            "asked before our certificate is valid", .identityNotYetValid,
            { facts in
                facts.connectedAt = Scene.now - 200 * Scene.day
                facts.refuse(45)
            },
            not: [
                { $0.connectedAt = Scene.now - 200 * Scene.day },
                { facts in
                    facts.connectedAt = Scene.now - Scene.day
                    facts.refuse(45)
                },
            ]),
        .init(
            "the server's certificate will have expired", .serverCertificateExpired,
            { facts in
                facts.connectedAt = Scene.now - Scene.day
                facts.verdicts[0].code = TrustError.Code.expired.description
                facts.verdicts[0].message = "It has expired then."
            }, not: [{ $0.verdicts[0].code = TrustError.Code.expired.description }]),
    ]

    // MARK: The identity

    static let identity: [BrokenScene] = [
        .init(
            "the password of PKCS#12", .identityPasswordWrong, { fail(&$0, .wrongPassword) },
            not: [{ fail(&$0, .noPrivateKey) }]),
        .init(
            "the ciphers of PKCS#12", .identityCipherUnsupported, { fail(&$0, .unsupportedAlgorithm) },
            not: [{ fail(&$0, .wrongPassword) }]),
        .init(
            "no key in the file", .identityKeyMissing, { fail(&$0, .noPrivateKey) },
            not: [{ fail(&$0, .noMatchingCertificate) }]),
        .init(
            "a key alone", .identityCertificateMissing, { fail(&$0, .noCertificate) },
            not: [{ fail(&$0, .noMatchingCertificate) }, { fail(&$0, .noPrivateKey) }]),
        .init(
            "the key of another certificate", .identityKeyMismatch, { fail(&$0, .noMatchingCertificate) },
            not: [{ fail(&$0, .noPrivateKey) }]),
        .init("a damaged file", .identityUnreadable, { fail(&$0, .damaged) }, not: [{ fail(&$0, .wrongPassword) }]),
        .init(
            "expired", .identityExpired,
            { facts in
                facts.problem(.expired)
                facts.refuse(45)
            }, not: [{ $0.problem(.expiresSoon, isError: false) }, { $0.refuse(48) }]),
        .init(
            "an intermediate has expired", .identityExpired,
            { facts in
                facts.problem(.expired, isError: false, isOfLeaf: false)
                facts.refuse(45)
            }, not: [{ $0.problem(.expired, isError: false, isOfLeaf: false) }]),
        .init(
            "not yet valid", .identityNotYetValid, { $0.problem(.notYetValid) },
            not: [{ $0.problem(.notYetValid, isError: false, isOfLeaf: false) }]),
        .init(
            "no clientAuth", .identityNotForClients,
            { facts in
                facts.problem(.wrongExtendedKeyUsage)
                facts.refuse(43)
            }, not: [{ $0.problem(.wrongExtendedKeyUsage, isError: false, isOfLeaf: false) }]),
        .init(
            "the usage of an intermediate", .intermediateNotForClients,
            { facts in
                facts.problem(.wrongExtendedKeyUsage, isError: false, isOfLeaf: false)
                facts.refuse(43)
            }, not: [{ $0.problem(.wrongExtendedKeyUsage, isError: false, isOfLeaf: false) }, { $0.refuse(43) }]),
        .init(
            "RSA of 1024 bits", .identityWeak,
            { facts in
                facts.problem(.weakKey, isError: false)
                facts.refuse(42)
            }, not: [{ $0.problem(.weakKey, isError: false) }, { $0.refuse(42) }]),
        .init(
            "SHA-1", .identityWeak,
            { facts in
                facts.problem(.weakSignature, isError: false)
                facts.end(.closed)
            }, not: [{ $0.end(.closed) }]),
        .init("revoked, by the alert", .identityRevoked, { $0.refuse(44) }, not: [{ $0.refuse(46) }]),
        .init(
            "revoked, by the list", .identityRevoked,
            { facts in
                facts.revocations = [
                    .init(isOurs: true, subject: Scene.leaf.subject, .revoked, message: "It was revoked.")
                ]
                facts.refuse(48)
            },
            not: [
                { $0.revocations = [.init(isOurs: true, subject: Scene.leaf.subject, .good)] },
                { $0.revocations = [.init(isOurs: false, subject: "CN=service.example", .revoked)] },
            ]),
        .init(
            "the revocation list is unreachable", .identityRevocationUnreachable,
            { facts in
                facts.revocations = [
                    .init(isOurs: true, subject: Scene.leaf.subject, .undetermined, message: "No answer.")
                ]
                facts.refuse(48)
            },
            not: [
                { $0.revocations = [.init(isOurs: true, subject: Scene.leaf.subject, .undetermined)] },
                { facts in
                    facts.revocations = [.init(isOurs: true, subject: Scene.leaf.subject, .noSource)]
                    facts.refuse(48)
                },
                { facts in
                    facts.revocations = [.init(isOurs: true, subject: Scene.leaf.subject, .undetermined)]
                    facts.refuse(48)
                    facts.list(["CN=Other, O=Other"])
                },
            ]),
    ]

    // MARK: The path from the identity to the server's authorities

    static let chains: [BrokenScene] = [
        .init(
            "intermediates not sent", .intermediatesNotSent,
            { facts in
                sendLeafOnly(&facts)
                facts.refuse(48)
            },
            not: [
                sendLeafOnly,
                { $0.refuse(48) },
                { facts in
                    sendLeafOnly(&facts)
                    facts.refuse(48)
                    facts.list(["CN=Globex root, O=Globex"])
                },
                { facts in
                    sendLeafOnly(&facts)
                    facts.refuse(44)
                },
                // The kind of the certificate does not suit the server; its issuer does not matter.
                { facts in
                    sendLeafOnly(&facts)
                    facts.refuse(43)
                },
                // The issuer is a root: there is nothing between.
                { facts in
                    sendFromRoot(&facts)
                    facts.refuse(48)
                    facts.list([])
                },
                { facts in
                    facts.identity?.chain = [Scene.certificate("CN=device 7", "CN=Big CA, O=Big")]
                    facts.identity?.pathEnd = .missing
                    facts.change(.usual) {
                        $0.handshake?.certificates = [
                            Scene.certificate("CN=service.example", "CN=Big CA, O=Big"),
                            Scene.certificate("CN=Big CA, O=Big", "CN=Big CA, O=Big"),
                        ]
                    }
                    facts.refuse(48)
                    facts.list([])
                },
            ]),
        .init(
            "intermediates not sent, to a server without a list", .intermediatesNotSent,
            { facts in
                sendLeafOnly(&facts)
                facts.refuse(48)
                facts.list([])
            },
            not: [
                { facts in
                    facts.refuse(48)
                    facts.list([])
                }
            ]),
        .init(
            "an intermediate that the server's own path shows", .intermediatesNotSent,
            { facts in
                facts.identity?.chain = [Scene.certificate("CN=device 7", "CN=Big intermediate, O=Big")]
                facts.identity?.pathEnd = .missing
                facts.list(["CN=Globex root, O=Globex"])
                facts.end(.closed)
            }),
        .init(
            "our issuer is not in the list", .issuerNotAcceptable,
            { facts in
                facts.list(["CN=Globex root, O=Globex"])
                facts.refuse(48)
            }, not: [{ $0.list(["CN=Globex root, O=Globex"]) }, { $0.refuse(42) }]),
        .init(
            "our issuer is not in the list, and only our certificate is sent", .issuerNotAcceptable,
            { facts in
                sendLeafOnly(&facts)
                facts.list(["CN=Globex root, O=Globex"])
                facts.refuse(48)
            }, not: [sendLeafOnly]),
        .init(
            "unknown authority without a list", .issuerNotAcceptable,
            { facts in
                facts.list([])
                facts.refuse(48)
            },
            not: [
                { facts in
                    facts.list([])
                    facts.refuse(46)
                }
            ]),
        .init(
            "a root that issued our certificate, without a list", .issuerNotAcceptable,
            { facts in
                sendFromRoot(&facts)
                facts.refuse(48)
                facts.list([])
            },
            not: [
                sendFromRoot,
                { facts in
                    sendFromRoot(&facts)
                    facts.refuse(43)
                    facts.list([])
                },
            ]),
        .init(
            "a certificate for tests at a production server", .wrongEnvironment,
            { facts in
                facts.identity?.chain = [Scene.certificate("CN=device 7", "CN=Acme test root, O=Acme")]
                facts.refuse(48)
            },
            not: [
                { $0.identity?.chain = [Scene.certificate("CN=device 7", "CN=Acme test root, O=Acme")] },
                { facts in
                    facts.identity?.chain = [Scene.certificate("CN=device 7", "CN=Acme test root, O=Acme")]
                    facts.list(["CN=Acme test root, O=Acme"])
                    facts.answer(403)
                },
                { facts in
                    facts.identity?.chain = [Scene.certificate("CN=device 7", "CN=Initech test root, O=Initech")]
                    facts.target = .init(host: "test.service.example")
                    facts.refuse(48)
                },
            ]),
        .init(
            "names alone show the environment", .wrongEnvironment,
            { facts in
                facts.identity?.chain = [Scene.certificate("CN=device 7", "CN=Staging CA, O=Initech")]
                facts.list([])
                facts.end(.reset)
            }),
        .init(
            "self-signed, by an alert", .selfSignedNotRegistered,
            { facts in
                facts.identity?.chain = [Scene.certificate("CN=device 7", "CN=device 7")]
                facts.list([])
                facts.refuse(48)
            },
            not: [
                { facts in
                    facts.identity?.chain = [Scene.certificate("CN=device 7", "CN=device 7")]
                    facts.list([])
                }
            ]),
        .init(
            "self-signed, by the status", .selfSignedNotRegistered,
            { facts in
                facts.identity?.chain = [Scene.certificate("CN=device 7", "CN=device 7")]
                facts.list([])
                facts.answer(403)
            }),
        .init(
            "the list is too long", .issuerListTooLong,
            { facts in
                facts.list((0..<200).map { "CN=Authority \($0), O=Globex" }, byteCount: 16_384)
                facts.refuse(46)
            },
            not: [
                { $0.list((0..<200).map { "CN=Authority \($0), O=Globex" }, byteCount: 16_384) },
                { facts in
                    facts.list(["CN=Globex root, O=Globex"])
                    facts.refuse(48)
                },
                { facts in
                    facts.list(
                        (0..<200).map { "CN=Authority \($0), O=G" } + ["CN=Acme root, O=Acme"], byteCount: 16_384)
                    facts.refuse(46)
                },
            ]),
        .init(
            "the list does not fit into a message", .issuerListTooLong,
            { facts in
                facts.end(.local, at: .serverHello)
                facts.change(.usual) { $0.handshake?.localReason = "EXCESSIVE_MESSAGE_SIZE" }
            }),
        .init(
            "not registered", .certificateNotRegistered, { $0.answer(403) },
            not: [
                { $0.answer(500, .fault) }, { $0.answer(401) { $0.challenges = [.init("Basic")] } },
                { facts in
                    facts.askNever()
                    facts.answer(403)
                },
            ]),
        .init("not registered, by 401", .certificateNotRegistered, { $0.answer(401, .html) }),
        .init(
            "the server does not say why", .certificateRefused, { $0.refuse(46) },
            not: [{ $0.refuse(44) }, { $0.answer(403) }]),
        .init(
            "an old connection", .connectionWithOldIdentity,
            { facts in
                facts.answer(403) { answer in
                    answer.isReused = true
                    answer.connectionCertificate = Scene.leaf.subject
                    answer.connectionCertificateNotAfter = Scene.now - 1
                }
            },
            not: [
                { facts in
                    facts.answer(403) { answer in
                        answer.isReused = true
                        answer.connectionCertificate = Scene.leaf.subject
                        answer.connectionCertificateNotAfter = Scene.leaf.notAfter
                    }
                },
                { facts in
                    facts.answer(403) { answer in
                        answer.connectionCertificate = "CN=other"
                    }
                },
            ]),
    ]

    // MARK: The request for a certificate

    static let requests: [BrokenScene] = [
        .init(
            "no identity, TLS 1.2", .clientCertificateRequired,
            { facts in
                facts.identity = nil
                facts.change(.usual) { probe in
                    probe.hasIdentity = false
                    probe.handshake?.shownCertificate = nil
                }
                facts.refuse(40, at: .serverHello)
            },
            not: [
                { $0.refuse(40, at: .serverHello) },
                { facts in
                    facts.identity = nil
                    facts.askNever()
                    facts.change(.usual) { $0.hasIdentity = false }
                },
            ]),
        .init(
            "no identity, and the server answers so", .clientCertificateRequired,
            { facts in
                facts.identity = nil
                facts.answer(400) { $0.certificateRemark = .missing }
                facts.change(.usual) { probe in
                    probe.hasIdentity = false
                    probe.handshake?.shownCertificate = nil
                }
            }),
        .init(
            "a token without RSA-PSS", .keyWithoutRSAPSS,
            { facts in
                facts.identity?.signatureSchemes = ["rsa_pkcs1_sha256", "rsa_pkcs1_sha384"]
                facts.end(.local, at: .serverHello)
                facts.change(.usual) { probe in
                    probe.handshake?.localReason = "NO_COMMON_SIGNATURE_ALGORITHMS"
                    probe.handshake?.shownCertificate = nil
                }
                facts.add(.tls12) { _ in }
            },
            not: [
                { facts in
                    facts.identity?.signatureSchemes = Scene.rsa
                    facts.refuse(42)
                },
                { $0.identity?.signatureSchemes = ["rsa_pkcs1_sha256"] },
            ]),
        .init(
            "EC where RSA is asked for", .keyTypeNotAccepted,
            { facts in
                facts.change(.tls12WithoutIdentity) { probe in
                    probe.handshake?.request?.certificateTypes = ["rsa_sign"]
                    probe.handshake?.request?.signatureSchemes = Scene.rsa
                }
                facts.refuse(43)
            },
            not: [
                { facts in
                    facts.change(.tls12WithoutIdentity) { $0.handshake?.request?.certificateTypes = ["rsa_sign"] }
                },
                { facts in
                    facts.identity?.signatureSchemes = Scene.rsa
                    facts.change(.tls12WithoutIdentity) { $0.handshake?.request?.certificateTypes = ["rsa_sign"] }
                    facts.refuse(43)
                },
            ]),
        .init(
            "another port of the WSDL", .wrongPortForCertificate,
            { facts in
                facts.ports = [
                    .init("Seal", url: "https://seal.example/", isTarget: true, acceptsIdentity: false),
                    .init("Person", url: "https://person.example/", acceptsIdentity: true),
                ]
                facts.list(["CN=Globex root, O=Globex"])
                facts.refuse(48)
            },
            not: [
                { facts in
                    facts.ports = [
                        .init("Seal", url: "https://seal.example/", isTarget: true, acceptsIdentity: false),
                        .init("Person", url: "https://person.example/", acceptsIdentity: false),
                    ]
                    facts.refuse(48)
                },
                { facts in
                    facts.ports = [
                        .init("Seal", url: "https://seal.example/", isTarget: true, acceptsIdentity: true),
                        .init("Person", url: "https://person.example/", acceptsIdentity: true),
                    ]
                    facts.refuse(46)
                },
            ]),
        .init(
            "never asked", .certificateNeverRequested,
            { facts in
                facts.askNever()
                facts.answer(403)
            },
            not: [
                { $0.askNever() },
                { facts in
                    facts.askNever()
                    facts.answer(401) { $0.challenges = [.init("Basic")] }
                },
                { $0.answer(403) },
            ]),
        .init(
            "asked late under TLS 1.3", .requestedLateUnderTLS13,
            { facts in
                facts.askLate()
                facts.answer(403)
            },
            not: [
                { $0.askLate() },
                { facts in
                    facts.askNever()
                    facts.answer(403)
                },
            ]),
        .init(
            "asked late under TLS 1.3, and the connection is reset", .requestedLateUnderTLS13,
            { facts in
                facts.askLate()
                facts.end(.reset)
            }),
        .init(
            "the page says that it is asked late", .requestedLateUnderTLS13,
            { facts in
                facts.askNever()
                facts.answer(403, .html) { $0.certificateRemark = .askedLate }
            }),
        .init(
            "asked late in TLS 1.2", .requestedLate,
            { facts in
                facts.askLate()
                facts.change(.usual) { $0.handshake?.version = "TLS 1.2" }
                facts.end(.local, at: .finished)
                facts.change(.usual) { $0.handshake?.localReason = "NO_RENEGOTIATION" }
            },
            not: [
                { facts in
                    facts.askLate()
                    facts.identity?.mayBeShownLate = true
                    facts.change(.usual) { $0.handshake?.version = "TLS 1.2" }
                    facts.answer(403)
                }
            ]),
        .init(
            "asked late with large content", .lateRequestBodyTooLarge,
            { facts in
                facts.askLate()
                facts.identity?.mayBeShownLate = true
                facts.change(.usual) { $0.handshake?.version = "TLS 1.2" }
                facts.answer(413, .html) { $0.sentBytes = 400_000 }
            },
            not: [
                { $0.answer(413, .html) { $0.sentBytes = 400_000 } },
                { facts in
                    facts.askLate()
                    facts.answer(413)
                },
            ]),
        .init(
            "the certificate is lost behind a load balancer", .tlsEndedBeforeService,
            { facts in
                facts.answer(403, .html) { answer in
                    answer.certificateRemark = .missing
                    answer.intermediaries = ["via"]
                }
            }, not: [{ $0.answer(403) }]),
        .init(
            "a load balancer that does not ask", .tlsEndedBeforeService,
            { facts in
                facts.askNever()
                facts.answer(403) { $0.intermediaries = ["server: haproxy"] }
            },
            not: [
                { facts in
                    facts.askNever()
                    facts.answer(403)
                },
                { $0.answer(200, .soap) { $0.intermediaries = ["server: haproxy"] } },
            ]),
        .init(
            "the service misses a certificate that no server asks for", .tlsEndedBeforeService,
            { facts in
                facts.askNever()
                facts.answer(500, .fault) { $0.says = "Client: a client certificate is needed" }
            }, not: [{ $0.answer(500, .fault) { $0.says = "Client: a client certificate is needed" } }]),
    ]
}

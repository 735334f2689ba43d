import SignetTLS

extension Rule {
    /// What is wrong with the file of the identity. No connection was made.
    static let identityFile: [Rule] = [
        file(
            .identityPasswordWrong, 98, [.wrongPassword, .passwordRequired],
            "The password does not open the file of the identity.",
            cause:
                "The password is wrong or missing. Passwords of PKCS#12 files are often sent by another way than the file.",
            next:
                "Ask for the password where you got the file, and try it with `signet identity show FILE`. Mind blanks and line ends in a file with the password."
        ),
        file(
            .identityCipherUnsupported, 98, [.unsupportedAlgorithm, .noIntegrityCheck],
            "The file of the identity has a key or a protection that is not supported.",
            cause:
                "Programs write PKCS#12 files with ciphers, digests or keys of their own time; this one is not among those that can be read.",
            next:
                "Export the identity again with AES-256 and SHA-256, or convert the file with the program that wrote it. `signet identity show FILE` names the algorithms. In place of a key that is too weak, request a certificate for a new one."
        ),
        file(
            .identityKeyMissing, 98, [.noPrivateKey], "The file of the identity holds no private key.",
            cause:
                "The certificate was exported without its private key, as Windows does unless it is asked to include it; or the file is only the authority's answer to a request.",
            next:
                "Export the identity with its private key from where the key was made. An authority never has it: if the key is lost, request a new certificate."
        ),
        file(
            .identityCertificateMissing, 98, [.noCertificate], "The file holds a private key and no certificate.",
            cause:
                "The file was made with the key, before the authority issued the certificate; or the two are separate files.",
            next:
                "Put the certificate that the authority issued for this key into the file, beside the key (signet identity convert)."
        ),
        file(
            .identityKeyMismatch, 98, [.noMatchingCertificate],
            "The private key belongs to another certificate than the one in the file.",
            cause: "After a renewal, the new certificate was put beside the old key, or the reverse.",
            next:
                "Take the key from which the certificate was requested. `signet identity show` gives the digest of the public key of every file: the two must be equal."
        ),
        Rule(
            .identityUnreadable, .us, 97, "The file of the identity cannot be used.",
            cause: "The file is damaged, of another kind, or holds more than one identity or one that TLS cannot use.",
            next: "Look into it with `signet identity show FILE`, and export it again where it came from."
        ) { facts in
            let known: [IdentityError.Code] = [
                .wrongPassword, .passwordRequired, .unsupportedAlgorithm, .noIntegrityCheck, .noPrivateKey,
                .noCertificate, .noMatchingCertificate,
            ]
            guard let problem = facts.identityFile, !known.contains(where: { $0.description == problem.code }) else {
                return nil
            }
            return [problem.message]
        },
    ]

    private static func file(
        _ code: Finding.Code, _ weight: Int, _ codes: [IdentityError.Code], _ title: String, cause: String, next: String
    ) -> Rule {
        Rule(code, .us, weight, title, cause: cause, next: next) { facts in
            guard let problem = facts.identityFile, codes.contains(where: { $0.description == problem.code }) else {
                return nil
            }
            return [problem.message]
        }
    }

    /// What is wrong with the identity itself, whatever the server.
    static let identity: [Rule] = [
        Rule(
            .identityExpired, .us, 93, "Our certificate has expired.",
            cause: "The validity of a certificate that the client sends has ended. Every server refuses it.",
            next: "Renew it. The new one may have to be registered with the operator of the server before it works.",
            or: [
                (
                    .clockWrong,
                    "Compare the local clock with another one: a clock in the future makes valid certificates expire."
                )
            ]
        ) { facts in
            if let problem = facts.identity?.has(.expired), problem.isOfLeaf || facts.connectedAt != nil {
                return [problem.message]
            }
            guard let sender = facts.identity?.has(.expired), let sign = facts.shownRefusal else { return nil }
            return [sender.message, sign.text]
        },
        Rule(
            .identityNotYetValid, .us, 92, "Our certificate is not valid yet.",
            cause: "The certificate was issued for later, or the local clock is slow.",
            next: "Compare the local clock with another one; if it is right, wait until the certificate is valid.",
            or: [
                (.clockWrong, "A certificate that was issued today and is “not yet valid” is the sign of a slow clock.")
            ]
        ) { facts in
            if let problem = facts.identity?.has(.notYetValid), problem.isOfLeaf { return [problem.message] }
            // It will be valid at the time that is judged, but the server was asked before.
            guard let begin = facts.identityBegin, let sign = facts.shownRefusal else { return nil }
            return [
                "The server was asked before the certificate is valid, which is from \(UnixTime.text(begin)): ask it again then.",
                sign.text,
            ]
        },
        Rule(
            .identityNotForClients, .us, 93, "Our certificate is not for clients.",
            cause:
                "Its extended key usage lacks clientAuth (RFC 5280 §4.2.1.12): it is a server's certificate. Most public authorities no longer issue certificates for clients.",
            next:
                "Ask the operator of the server which authority's client certificates it takes, and have one issued there."
        ) { facts in
            guard let identity = facts.identity,
                let problem = identity.problems.first(where: {
                    $0.isOfLeaf
                        && [IdentityProblem.Code.wrongExtendedKeyUsage, .wrongKeyUsage].map(\.description).contains(
                            $0.code)
                })
            else { return nil }
            return [problem.message]
        },
        Rule(
            .intermediateNotForClients, .us, 86, "An authority that we send may not vouch for clients.",
            cause:
                "The certificate of an intermediate authority has an extended key usage without clientAuth. Most servers apply it to all certificates below.",
            next:
                "Ask the authority for a certificate from a hierarchy for clients, or for another certificate of the intermediate (a cross-signed one)."
        ) { facts in
            guard let sign = facts.shownRefusal,
                let problem = facts.identity?.problems.first(where: {
                    !$0.isOfLeaf && $0.code == IdentityProblem.Code.wrongExtendedKeyUsage.description
                })
            else { return nil }
            return [problem.message, sign.text]
        },
        Rule(
            .identityWeak, .us, 79, "Our certificate has a weak key or signature, and the server refuses it.",
            cause:
                "Servers of today refuse RSA keys below 2048 bits and signatures over SHA-1 (in OpenSSL the security level).",
            next: "Make a new key of at least RSA 2048 or P-256, and have it certified with SHA-256.",
            or: [
                (.issuerNotAcceptable, "If other clients with such certificates get through, it is not the algorithm.")
            ]
        ) { facts in
            guard let sign = facts.shownRefusal, sign.alert != TLSAlert(code: 44),
                let problem = facts.identity?.has(.weakKey) ?? facts.identity?.has(.weakSignature)
            else { return nil }
            return [problem.message, sign.text]
        },
        Rule(
            .identityRevoked, .us, 95, "Our certificate was revoked.",
            cause: "Its authority has withdrawn it, for example because it was replaced, or its key was lost.",
            next: "Ask the authority why, and have another certificate issued with a new key."
        ) { facts in
            if let found = facts.revocations.first(where: { $0.isOurs && $0.status == .revoked }) {
                return [found.message]
            }
            guard let sign = facts.shownRefusal, sign.alert == TLSAlert(code: 44) else { return nil }
            return [sign.text]
        },
        Rule(
            .identityRevocationUnreachable, .either, 82,
            "Whether our certificate is revoked cannot be found out, and the server refuses it.",
            cause:
                "A server that demands to know it cannot accept a certificate whose revocation list or OCSP server does not answer, or is outdated.",
            next:
                "Ask the authority to repair its revocation list. Ask the operator of the server whether the server can reach it; its log says so.",
            or: [
                (
                    .certificateRefused,
                    "If the server does not check revocation, something else is the reason: its log says which."
                ),
                (.intermediatesNotSent, "OpenSSL sends unknown_ca for both."),
            ]
        ) { facts in
            guard let sign = facts.shownRefusal, facts.isIssuerListed != false,
                let found = facts.revocations.first(where: { $0.isOurs && $0.status == .undetermined })
            else { return nil }
            return [found.message, sign.text]
        },
    ]
}

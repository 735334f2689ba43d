import SignetAuthentication
import SignetTLS
import Testing

@testable import SignetDiagnosis

@Suite(.timeLimit(.minutes(5))) struct RuleTests {
    @Test(arguments: BrokenScene.all) func comesFirst(_ scene: BrokenScene) throws {
        let diagnosis = Diagnosis(scene.facts)
        let first = try #require(diagnosis.findings.first)
        #expect(first.code == scene.code, "\(diagnosis.findings.map(\.code))")
        #expect(!first.evidence.isEmpty && first.evidence.allSatisfy { !$0.isEmpty })
        #expect((first.severity == .failure) == (diagnosis.mostLikely == first))
    }

    @Test(arguments: BrokenScene.all) func doesNotAppearCloseBy(_ scene: BrokenScene) {
        for (position, facts) in scene.nearMisses.enumerated() {
            let codes = Diagnosis(facts).findings.map(\.code)
            #expect(!codes.contains(scene.code), "near miss \(position): \(codes)")
        }
    }

    @Test func everyRuleHasAScene() {
        let shown = Set(BrokenScene.all.map(\.code))
        #expect(Set(Rule.all.map(\.code)).subtracting(shown).isEmpty)
        // Each also has near misses.
        let missed = Set(BrokenScene.all.filter { $0.nearMisses.count > 1 }.map(\.code))
        #expect(shown.subtracting(missed).isEmpty, "\(shown.subtracting(missed))")
    }

    @Test func everyRuleIsWritten() {
        for rule in Rule.all {
            #expect(!rule.title.isEmpty && !rule.cause.isEmpty && !rule.nextStep.isEmpty, "\(rule.code)")
            #expect(
                rule.title.hasSuffix(".") && rule.cause.hasSuffix(".") && rule.nextStep.hasSuffix("."), "\(rule.code)")
            #expect((0...100).contains(rule.weight))
            #expect(rule.code.description.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
        }
        // Only what makes calls fail can be unexplained.
        #expect(Rule.all.allSatisfy { !$0.isGeneral || $0.severity == .failure })
    }

    @Test func nothingIsKnown() {
        #expect(Diagnosis(DiagnosticFacts(now: Scene.now)).findings.isEmpty)
    }

    @Test func theSameFactsGiveTheSameDiagnosis() {
        for scene in BrokenScene.all {
            #expect(Diagnosis(scene.facts) == Diagnosis(scene.facts))
        }
    }

    @Test func whatIsGeneralIsLeftOutWhenAReasonIsKnown() {
        let codes = Diagnosis(Scene.facts { $0.refuse(44) }).findings.map(\.code)
        #expect(codes.first == .identityRevoked)
        #expect(!codes.contains(.certificateRefused) && !codes.contains(.handshakeFailed))
    }

    /// A server without TLS 1.2 and a client without TLS 1.3, because of a setting of its own.
    @Test func anIdentityThatMayBeShownLateIsOurSetting() throws {
        func refuse(_ isLate: Bool, _ newer: HandshakeFacts.Stage?) -> Finding? {
            let facts = Scene.facts { facts in
                facts.identity?.mayBeShownLate = isLate
                facts.end(.alert, at: .bytes)
                facts.change(.usual) { $0.handshake?.alerts = [.init(.protocolVersion, at: .bytes)] }
                facts.probes.removeAll { $0.kind == .tls12WithoutIdentity }
                if let newer { facts.add(.tls13) { $0.handshake?.stage = newer } }
            }
            return Diagnosis(facts).mostLikely
        }
        for (isLate, newer, party) in [
            (true, .finished, .us), (true, nil, .us), (true, .bytes, .them), (false, .bytes, .them),
            (false, nil, .them),
        ] as [(Bool, HandshakeFacts.Stage?, Finding.Party)] {
            let found = try #require(refuse(isLate, newer))
            #expect(found.code == .tlsVersionUnsupported && found.party == party)
            #expect(found.nextStep.contains("--identity-late") == (party == .us))
        }
    }

    /// Credentials were given: to ask for them would be wrong.
    @Test(arguments: [
        (AuthenticationError.Code.credentialsRefused, "Check the account"),
        (.insecureChannel, "--proxy-allow-plaintext"), (.credentialsRequired, "--proxy-user"),
    ]) func theNextStepAtAProxy(_ code: AuthenticationError.Code, _ step: String) throws {
        let space = ProtectionSpace(scheme: "http", host: "proxy.example", port: 3128, realm: "", isProxy: true)
        let error = AuthenticationError(code, "The proxy says so.", space: space)
        let found = try #require(error.diagnosis(at: Scene.now)?.mostLikely)
        #expect(found.nextStep.contains(step), "\(found)")
        #expect(found.evidence.first == "The proxy says so.")
    }

    /// What fails on the way to a proxy says nothing about the server.
    @Test func aProxyThatIsGoneIsTheOnlyFinding() {
        for scene in BrokenScene.network where scene.code == .proxyUnreachable {
            let findings = Diagnosis(scene.facts).findings
            #expect(findings.map(\.code) == [.proxyUnreachable], "\(scene)")
            #expect(findings.first?.evidence.count == 2, "\(scene)")
        }
    }

    /// A clock that is a year behind makes a valid certificate look as if it were not valid yet.
    @Test func theClockOfThisMachineIsLookedAtFirst() throws {
        for (code, party) in [(TrustError.Code.notYetValid, Finding.Party.either), (.expired, .them)] {
            let found = try #require(Diagnosis(Scene.facts { $0.distrust(code) }).mostLikely)
            #expect(found.party == party)
            #expect(found.nextStep.hasPrefix("Compare the clock of this machine"), "\(found.nextStep)")
        }
    }

    /// A server that asks for a certificate need not demand one.
    @Test func anAnswerWithoutACertificateIsToldAsItHappened() throws {
        func found(_ change: (inout DiagnosticFacts) -> Void) throws -> Finding {
            let facts = Scene.facts { facts in
                facts.identity = nil
                facts.change(.usual) { probe in
                    probe.hasIdentity = false
                    probe.handshake?.shownCertificate = nil
                }
                change(&facts)
            }
            let found = try #require(Diagnosis(facts).mostLikely)
            #expect(found.code == .clientCertificateRequired)
            return found
        }
        for remark in [nil, AnswerFacts.CertificateRemark.missing] {
            let refused = try found { $0.answer(403) { $0.certificateRemark = remark } }
            #expect(
                refused.evidence.first == "The server asked for a certificate, got none, and answered 403.")
            #expect(refused.alternatives.map(\.code) == [.accessRefused])
        }
        #expect(try found { $0.refuse(116) }.alternatives.isEmpty)
    }

    @Test func theCalendarKnowsTheDays() {
        let digicert = PublicAuthority.issuing("CN=Thawte TLS RSA CA G1, O=DigiCert Inc")
        #expect(digicert?.day == "1 March 2027" && (digicert?.lastSecond ?? 0) > Scene.now)
        let others = PublicAuthority.calendar.filter { $0.name != "DigiCert" }
        #expect(others.allSatisfy { $0.lastSecond < Scene.now })
        #expect(PublicAuthority.issuing("CN=Acme issuing 1, O=Acme") == nil)
    }
}

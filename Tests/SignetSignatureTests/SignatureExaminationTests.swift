import SignetTLS
import SignetTesting
import SignetXML
import Testing

@testable import SignetSignature

/// What is said about signatures that are refused.
@Suite struct SignatureExaminationTests {
    private static let document = """
        <a:invoice xmlns:a="urn:a" xmlns:b="urn:b">
        <part Id="p1" kind="b:x"><sum>12</sum><text>é &amp; more</text></part><note/></a:invoice>
        """

    private let authority: CertificateAuthority
    private let identity: Identity

    init() throws {
        authority = try CertificateAuthority()
        identity = try authority.issueClient(commonName: "Clerk")
    }

    private func signed(
        _ document: String = document, _ content: XMLSigner.Content = .element(id: "p1"),
        _ form: XMLCanonicalization = XMLCanonicalization(.exclusive10)
    ) async throws -> String {
        var signer = try XMLSigner(identity)
        signer.canonicalization = form
        if content != .root { signer.place = .after }
        return String(decoding: try await signer.sign(Array(document.utf8), covering: content), as: UTF8.self)
    }

    private func examination(
        _ document: String, original: String? = nil, _ certificates: [EncodedCertificate] = [],
        limits: XMLLimits = .init()
    ) throws -> SignatureExamination {
        var verifier = XMLSignatureVerifier(trusting: .anchors(authority.bundle)) {
            $0.certificates.first?.subject == "CN=Clerk"
        }
        verifier.limits = limits
        return try SignatureExamination(
            of: Array(document.utf8), by: verifier, certificates: certificates,
            at: try #require(identity.leaf.notBefore) + 60, original: original.map { Array($0.utf8) })
    }

    /// What is wrong with the one signature, or with its one reference.
    private func problem(_ document: String, original: String? = nil) throws -> String? {
        let signature = try #require(try examination(document, original: original).signatures.first)
        #expect(signature.problem != nil)
        return signature.problem
    }

    @Test func aValidSignatureHasNoProblem() async throws {
        let signed = try await signed()
        let examination = try examination(signed)
        let signature = try #require(examination.signatures.first)
        #expect(signature.problem == nil && signature.signer == identity.leaf)
        #expect(signature.algorithm.hasSuffix("#ecdsa-sha256"))
        let reference = try #require(signature.references.first)
        #expect(reference.uri == "#p1" && reference.element?.localName == "part")
        #expect(reference.content.map { String(decoding: $0, as: UTF8.self) }?.hasPrefix("<part Id=\"p1\"") == true)
        // The signature itself and what is around the signed element are not listed.
        #expect(try examination.elements(outside: [signature]).map(\.localName) == ["note"])
        #expect(try examination.elements(outside: []).map(\.localName) == ["invoice"])
        #expect(try examination.expected(nil).localName == "invoice")
        #expect(try examination.expected("p1").localName == "part")
    }

    @Test func theFirstChangedByteIsShown() async throws {
        let original = try await signed()
        let changed = original.replacing("<sum>12<", with: "<sum>92<")
        let problem = try problem(changed, original: original)
        #expect(
            problem?.contains("signed was") == true && problem?.contains("<sum>12</sum>") == true, "\(problem ?? "")")
        #expect(problem?.contains("now it is") == true && problem?.contains("<sum>92</sum>") == true)
        #expect(try self.problem(changed)?.contains("changed after it was signed") == true)
        let other = original.replacing("<sum>12<", with: "<sum>77<")
        #expect(try self.problem(changed, original: other)?.contains("not what was signed either") == true)
        #expect(try self.problem(changed, original: changed)?.contains("DigestValue was changed") == true)
        #expect(try self.problem(changed, original: "<a/>")?.contains("no such content") == true)
        // Cut off.
        let shorter = original.replacing("<text>é &amp; more</text>", with: "")
        #expect(try self.problem(shorter, original: original)?.contains("differ from byte") == true)
    }

    @Test func whiteSpaceBetweenTagsIsRecognized() async throws {
        let compact = Self.document.replacing("\n", with: "")
        let original = try await signed(compact)
        let indented = original.replacing("<sum>", with: "\n    <sum>").replacing("</part>", with: "\n</part>")
        #expect(try problem(indented)?.contains("White space between elements") == true)
        let inside = original.replacing("<ds:DigestMethod", with: "\n  <ds:DigestMethod")
        #expect(try problem(inside)?.contains("White space was added to SignedInfo") == true)
    }

    @Test func lineEndsAreRecognized() async throws {
        let text = Self.document.replacing("12", with: "12\n13")
        let lineFeeds = try await signed(text)
        #expect(
            try problem(lineFeeds.replacing("12\n13", with: "12&#xD;\n13"))?.contains("were LF") == true)
        let returns = try await signed(text.replacing("12\n13", with: "12&#xD;\n13"))
        #expect(try problem(returns.replacing("12&#xD;\n13", with: "12\n13"))?.contains("were CR LF") == true)
    }

    @Test func otherCanonicalFormsAreRecognized() async throws {
        let original = try await signed(Self.document, .element(id: "p1"), XMLCanonicalization(.inclusive10))
        // Only the transform of the reference.
        let renamed = original.replacing(
            "<ds:Transform Algorithm=\"http://www.w3.org/TR/2001/REC-xml-c14n-20010315\"/>",
            with: "<ds:Transform Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"/>")
        let signature = try #require(try examination(renamed).signatures.first)
        #expect(signature.references.first?.problem?.contains("another canonical form") == true)
        let method = original.replacing(
            "CanonicalizationMethod Algorithm=\"http://www.w3.org/TR/2001/REC-xml-c14n-20010315\"",
            with: "CanonicalizationMethod Algorithm=\"http://www.w3.org/2001/10/xml-exc-c14n#\"")
        #expect(try problem(method) != nil)
    }

    @Test func otherSignersAreNamed() async throws {
        let original = try await signed()
        let other = try CertificateAuthority().issueClient(commonName: "Other")
        let exchanged = original.replacing(
            Text.base64(identity.leaf.der), with: Text.base64(other.leaf.der))
        let missing = original.replacing(#/<ds:KeyInfo>.*</ds:KeyInfo>/#, with: "")
        #expect(try problem(exchanged)?.contains("not made by the key of “CN=Other”") == true)
        #expect(try problem(missing)?.contains("brings no certificate") == true)
        #expect(try examination(missing, [identity.leaf]).signatures.first.map { $0.problem == nil } == true)
        #expect(try examination(exchanged, [other.leaf, identity.leaf]).signatures.first?.signer == identity.leaf)
    }

    /// What the verifier of a program says is said here.
    @Test func signersWhoAreNotTrustedAreRefused() async throws {
        for other in [
            try authority.issueClient(commonName: "Other"), try CertificateAuthority().issueClient(commonName: "Clerk"),
        ] {
            let signer = try XMLSigner(other)
            let signed = String(
                decoding: try await signer.sign(Array(Self.document.utf8), covering: .root), as: UTF8.self)
            let signature = try #require(try examination(signed).signatures.first)
            #expect(signature.signer == other.leaf && signature.references.allSatisfy { $0.problem == nil })
            #expect(signature.problem?.contains("trusted") == true, "\(signature.problem ?? "accepted")")
        }
    }

    /// An inner signature that another one covers hides nothing.
    @Test func whatAnotherSignatureCoversIsNotHidden() async throws {
        var inner = try XMLSigner(identity)
        inner.place = .inside
        let first = String(
            decoding: try await inner.sign(Array(Self.document.utf8), covering: .element(id: "p1")), as: UTF8.self)
        let marked = first.replacing("</ds:Signature>", with: "<ds:Object><total>1</total></ds:Object></ds:Signature>")
        let one = try examination(marked)
        #expect(one.signatures.first.map { $0.problem == nil } == true)
        #expect(try one.elements(hiddenIn: one.signatures).map(\.localName) == ["total"])
        let both = String(
            decoding: try await XMLSigner(identity).sign(Array(marked.utf8), covering: .root), as: UTF8.self)
        let two = try examination(both)
        #expect(two.signatures.count == 2 && two.signatures.allSatisfy { $0.problem == nil })
        #expect(try two.elements(hiddenIn: two.signatures).isEmpty)
    }

    /// Documents that are no documents, and signatures that are no signatures.
    @Test func whatCannotBeReadIsAnErrorOrAProblem() async throws {
        #expect(throws: XMLSignatureError.self) { try examination("<a>") }
        #expect(throws: XMLSignatureError.self) { try examination("<a/>") }
        let original = try await signed()
        for (old, new) in [
            ("<ds:SignatureValue>", "<ds:SignatureValue>!"), ("#ecdsa-sha256", "#hmac-sha256"),
            ("URI=\"#p1\"", "URI=\"#p2\""),
            ("URI=\"#p1\"", "URI=\"http://localhost/\""), ("<ds:SignedInfo>", "<ds:SignedInfo><!-- -->"),
        ] {
            #expect(try problem(original.replacing(old, with: new)) != nil, "\(new)")
        }
    }

    /// References name the same content again and again.
    @Test func theWorkIsBounded() async throws {
        let original = try await signed()
        let reference = try #require(original.firstMatch(of: #/<ds:Reference .*<\/ds:Reference>/#)).output
        let repeated = original.replacing(reference, with: String(repeating: String(reference), count: 32))
        var limits = XMLLimits()
        limits.documentBytes = repeated.utf8.count
        let examination = try examination(repeated, limits: limits)
        #expect(examination.signatures.first?.references.first?.problem == nil)
        limits.documentBytes *= 2
        let long = original.replacing("<text>", with: "<text>" + String(repeating: "a", count: 20_000))
        let many = long.replacing(reference, with: String(repeating: String(reference), count: 32))
        limits.documentBytes = many.utf8.count * 2
        let bounded = try self.examination(many, limits: limits)
        #expect(bounded.signatures.first?.references.last?.problem?.contains("was not looked at") == true)
    }
}

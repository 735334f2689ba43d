import SignetTLS
import SignetTesting
import SignetXML
import TestSupport
import Testing

@testable import SignetSignature

/// Signs and verifies, and tries to have changed content accepted.
@Suite struct XMLSignatureTests {
    private let authority: CertificateAuthority
    private let identity: Identity
    private let now: Int64

    init() throws {
        authority = try CertificateAuthority()
        identity = try authority.issueClient(commonName: "Tax payer")
        now = try #require(identity.leaf.notBefore) + 60
    }

    private var verifier: XMLSignatureVerifier {
        get throws {
            XMLSignatureVerifier(trusting: .anchors(authority.bundle)) {
                $0.certificates.first?.subject == "CN=Tax payer"
            }
        }
    }

    private static let document = """
        <?xml version="1.0"?><?style a?><!-- a --><i:invoice xmlns:i="urn:i" xmlns="urn:d" xmlns:u="urn:unused" xml:lang="pt">\
        <part Id="p1" b="2" a='1'>caf\u{e9} &amp; <![CDATA[<x>]]><!-- c --><i:empty/></part><note>é</note></i:invoice><!-- b -->
        """

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test(arguments: XMLCanonicalization.Method.allCases)
    func whatIsSignedIsVerified(_ method: XMLCanonicalization.Method) async throws {
        var signer = try XMLSigner(identity)
        signer.canonicalization = XMLCanonicalization(method)
        for prefix in ["ds", ""] {
            signer.prefix = prefix
            signer.place = .inside
            let whole = try await signer.sign(bytes(Self.document), covering: .root)
            let verified = try verifier.verify(whole, covering: .root, at: now)
            #expect(verified.signer == identity.leaf && verified.path != nil && verified.contents.count == 1)
            #expect(text(verified.content.bytes).contains("café &amp; &lt;x&gt;<i:empty></i:empty>"))
            let name = XMLName("urn:d", "part")
            for place in [XMLSigner.Place.inside, .after] {
                signer.place = place
                let part = try await signer.sign(bytes(Self.document), covering: .element(id: "p1"))
                let content = try verifier.verify(part, covering: .element(name), at: now).content
                #expect(content.localName == "part" && content.namespaceURI == "urn:d")
                #expect(throws: XMLSignatureError.notCovered) { try verifier.verify(part, covering: .root, at: now) }
            }
        }
    }

    @Test(arguments: SoftwareSigningKey.Kind.allCases)
    func everyAlgorithmOfEveryKey(_ kind: SoftwareSigningKey.Kind) async throws {
        let key = try SoftwareSigningKey(kind)
        let identity = try authority.issueClient(signingKey: key, commonName: "Tax payer")
        var signer = try XMLSigner(identity)
        for algorithm in KeyPair(of: identity).documentAlgorithms {
            for digest in SigningAlgorithm.Hash.allCases {
                signer.algorithm = XMLSignatureAlgorithm(algorithm)
                signer.digest = XMLDigestAlgorithm(digest)
                let signed = try await signer.sign(bytes(Self.document), covering: .root)
                let verified = try verifier.verify(signed, covering: .root, at: now)
                #expect(verified.signer == identity.leaf)
            }
        }
        signer.algorithm = kind == .ed25519 ? .ecdsa(.sha256) : .ed25519
        await #expect(throws: XMLSignatureError.cannotSign) {
            try await signer.sign(bytes(Self.document), covering: .root)
        }
    }

    /// As Brazil's NF-e demands it: RSA and SHA-1, inclusive, after the element, in the default namespace.
    @Test func sha1IsMadeOnlyOnRequest() async throws {
        let rsa = try authority.issueClient(signingKey: try SoftwareSigningKey(.rsa2048), commonName: "Tax payer")
        let bytes = bytes(
            "<NFe xmlns=\"http://www.portalfiscal.inf.br/nfe\"><infNFe Id=\"NFe35\"><a>1</a></infNFe></NFe>")
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeSelfSigned("rsa", algorithm: "rsa:2048")
        let held = try Identity(pem: openssl.bytes("rsa.pem"), privateKey: openssl.bytes("rsa.key"))
        var signer = try XMLSigner(held)
        signer.algorithm = .insecureRSASHA1
        signer.digest = .insecureSHA1
        signer.canonicalization = XMLCanonicalization(.inclusive10)
        signer.place = .after
        signer.prefix = ""
        let signed = try await signer.sign(bytes, covering: .element(id: "NFe35"))
        #expect(text(signed).contains("</infNFe><Signature xmlns=\"http://www.w3.org/2000/09/xmldsig#\">"))
        #expect(text(signed).contains("xmldsig#rsa-sha1") && text(signed).contains("xmldsig#sha1"))
        var known = XMLSignatureVerifier(signers: [held.leaf])
        let at = (held.leaf.notBefore ?? 0) + 1
        let name = XMLName("http://www.portalfiscal.inf.br/nfe", "infNFe")
        #expect(throws: XMLSignatureError.tooWeak) { try known.verify(signed, covering: .element(name), at: at) }
        known.acceptsSHA1 = true
        #expect(try known.verify(signed, covering: .element(name), at: at).content.localName == "infNFe")
        // Each of the two is weak.
        known.acceptsSHA1 = false
        for (algorithm, digest) in [
            (XMLSignatureAlgorithm.rsaPKCS1(.sha256), XMLDigestAlgorithm.insecureSHA1), (.insecureRSASHA1, .sha256),
        ] {
            (signer.algorithm, signer.digest) = (algorithm, digest)
            let half = try await signer.sign(bytes, covering: .element(id: "NFe35"))
            #expect(throws: XMLSignatureError.tooWeak) { try known.verify(half, covering: .element(name), at: at) }
        }
        // Other keys cannot: one that only signs, and one of another kind.
        for identity in [rsa, self.identity] {
            var signer = try XMLSigner(identity)
            signer.algorithm = .insecureRSASHA1
            await #expect(throws: XMLSignatureError.cannotSign) { try await signer.sign(bytes, covering: .root) }
        }
    }

    @Test func aSignerWhomTheProgramKnowsNeedsNoCertificateInTheDocument() async throws {
        var signer = try XMLSigner(identity)
        signer.keyInfo = .nothing
        let signed = try await signer.sign(bytes("<a/>"), covering: .root)
        #expect(text(signed).hasPrefix("<a><ds:Signature") && text(signed).hasSuffix("</ds:Signature></a>"))
        let other = try authority.issueClient(commonName: "Other")
        let known = XMLSignatureVerifier(signers: [other.leaf, identity.leaf])
        #expect(try known.verify(signed, covering: .root, at: now).signer == identity.leaf)
        #expect(throws: XMLSignatureError.wrongSignature) {
            try XMLSignatureVerifier(signers: [other.leaf]).verify(signed, covering: .root, at: now)
        }
        #expect(throws: XMLSignatureError.untrustedSigner) { try verifier.verify(signed, covering: .root, at: now) }
        #expect(throws: XMLSignatureError.untrustedSigner) {
            try known.verify(signed, covering: .root, at: (identity.leaf.notAfter ?? 0) + 1)
        }
        #expect(throws: XMLSignatureError.untrustedSigner) {
            try XMLSignatureVerifier(signers: []).verify(signed, covering: .root, at: now)
        }
    }

    /// Each change, and what is said of it.
    private static let changes: [(from: String, to: String, code: XMLSignatureError.Code)] = [
        ("caf", "kaf", .changedContent), ("a='1'", "a='2'", .changedContent), ("<note>", "<note> ", .changedContent),
        ("xml:lang=\"pt\"", "xml:lang=\"en\"", .changedContent), ("<?style a?>", "<?style b?>", .changedContent),
        ("<part ", "<part><part ", .unreadable), ("<i:empty/>", "<i:empty/><i:more/>", .changedContent),
        ("urn:i\"", "urn:j\"", .changedContent), ("<?style a?>", "<!DOCTYPE a []>", .unreadable),
        ("xmldsig-more#ecdsa-sha256", "xmldsig-more#hmac-sha256", .unsupported),
        ("xmldsig-more#ecdsa-sha256", "xmldsig-more#ecdsa-sha384", .wrongSignature),
        ("xmldsig-more#ecdsa-sha256", "xmldsig-more#rsa-sha256", .wrongSignature),
        ("2001/04/xmlenc#sha256", "2001/04/xmldsig-more#sha384", .wrongSignature),
        ("2001/04/xmlenc#sha256", "2000/09/xmldsig#sha1", .tooWeak),
        ("<ds:Reference URI=\"\">", "<ds:Reference>", .malformed),
        ("<ds:Reference URI=\"\">", "<ds:Reference URI=\"#p1\">", .notCovered),
        ("<ds:Reference URI=\"\">", "<ds:Reference URI=\"#p2\">", .wrongReference),
        ("<ds:Reference URI=\"\">", "<ds:Reference URI=\"https://example.com/\">", .unsupported),
        ("<ds:Reference URI=\"\">", "<ds:Reference URI=\"file:///etc/passwd\">", .unsupported),
        ("<ds:Reference URI=\"\">", "<ds:Reference URI=\"#xpointer(/)\">", .unsupported),
        ("xmldsig#enveloped-signature\"/>", "xmldsig#enveloped-signature\"><x/></ds:Transform>", .malformed),
        ("<ds:Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"/>", "", .malformed),
        (
            "http://www.w3.org/2000/09/xmldsig#enveloped-signature", "http://www.w3.org/TR/1999/REC-xpath-19991116",
            .unsupported
        ),
        (
            "http://www.w3.org/2000/09/xmldsig#enveloped-signature", "http://www.w3.org/TR/1999/REC-xslt-19991116",
            .unsupported
        ),
        ("<ds:DigestValue>", "<ds:DigestValue><!-- x -->", .malformed),
        ("<ds:DigestValue>", "<ds:DigestValue>AAAA</ds:DigestValue><ds:DigestValue>", .malformed),
        ("<ds:DigestValue>", "<ds:DigestValue>AAAA", .wrongSignature),
        ("<ds:SignatureValue>", "<ds:SignatureValue>AAAA", .wrongSignature),
        ("<ds:SignedInfo>", "<ds:SignedInfo></ds:SignedInfo><ds:SignedInfo>", .malformed),
        ("<ds:SignedInfo>", "<ds:Object/><ds:SignedInfo>", .malformed),
        ("</ds:Reference>", "</ds:Reference><ds:Manifest/>", .malformed),
        ("<note>é</note>", "<note>é</note>\u{0}", .unreadable),
        ("<?style a?>", "<!DOCTYPE d [<!ATTLIST part other ID #IMPLIED>]>", .unreadable),
        ("<ds:DigestValue>", "<ds:DigestValue><?x?>", .malformed),
        ("</ds:DigestValue>", "=</ds:DigestValue>", .malformed),
        ("<ds:DigestValue>", "<ds:DigestValue> ", .wrongSignature),
        ("<ds:DigestValue>", "<ds:DigestValue><x/>", .malformed),
        ("<ds:SignatureValue>", "<ds:SignatureValue><!-- x -->", .malformed),
        ("<ds:SignatureValue>", "<ds:SignatureValue><?x?>", .malformed),
        ("</ds:SignatureValue>", "=</ds:SignatureValue>", .malformed),
        ("</ds:SignatureValue>", "</ds:SignatureValue><ds:SignatureValue>AAAA</ds:SignatureValue>", .malformed),
        ("<ds:SignatureValue>", "<ds:SignatureValue>AAAA</ds:SignatureValue><ds:SignatureValue>", .malformed),
    ]

    @Test(arguments: changes.indices) func changesAreFound(_ number: Int) async throws {
        let (from, to, code) = Self.changes[number]
        let signed = text(try await XMLSigner(identity).sign(bytes(Self.document), covering: .root))
        _ = try verifier.verify(bytes(signed), covering: .root, at: now)
        let range = try #require(signed.firstRange(of: from), "\(from)")
        let changed = signed.replacingCharacters(in: range, with: to)
        #expect(changed != signed)
        let error = #expect(throws: XMLSignatureError.self) {
            try verifier.verify(bytes(changed), covering: .root, at: now)
        }
        #expect(error?.code == code, "\(from) → \(to): \(String(describing: error))")
    }

    /// Neither reader may take the attacker's SignedInfo, and the other one the signer's.
    @Test func aSecondSignedInfoIsRefused() async throws {
        let signed = text(try await XMLSigner(identity).sign(bytes(Self.document), covering: .root))
        let start = try #require(signed.firstRange(of: "<ds:SignedInfo>")).lowerBound
        let end = try #require(signed.firstRange(of: "</ds:SignedInfo>")).upperBound
        let info = String(signed[start..<end])
        let forged = info.replacing(#/<ds:DigestValue>./#) { _ in "<ds:DigestValue>A" }
        for infos in [
            forged + info, info + forged, "<ds:Object>\(forged)</ds:Object>\(info)",
            info.replacing("</ds:Reference>", with: "\(forged)</ds:Reference>"),
        ] {
            let document = signed.replacing(info, with: infos)
            #expect(throws: XMLSignatureError(.malformed, "")) {
                try verifier.verify(bytes(document), covering: .root, at: now)
            }
        }
        // White space in the value of the signature is not signed, and says nothing.
        let spaced = signed.replacing("<ds:SignatureValue>", with: "<ds:SignatureValue>\n ")
        #expect(throws: Never.self) { try verifier.verify(bytes(spaced), covering: .root, at: now) }
    }

    /// What has no canonical form is not taken for nothing at all, whose digest everyone knows.
    @Test func whatHasNoCanonicalFormIsNotEmpty() async throws {
        var signer = try XMLSigner(identity)
        signer.place = .after
        let signed = text(
            try await signer.sign(bytes("<d xmlns='urn:d'><part Id='p1'>x</part></d>"), covering: .element(id: "p1")))
        let key = KeyPair(of: identity)
        func verify(_ document: String) async throws {
            let document = try await key.resigned(document)
            _ = try verifier.verify(bytes(document), covering: .element(Self.part), at: now)
        }
        try await verify(signed)
        let nothing = signed.replacing(#/<ds:DigestValue>.*?<\/ds:DigestValue>/#) { _ in
            "<ds:DigestValue>\(Text.base64(DigestMethod.strong(.sha256).digest(of: [])))</ds:DigestValue>"
        }
        await #expect(throws: XMLSignatureError.changedContent) { try await verify(nothing) }
        for part in ["<part Id='p1' xmlns:r='relative' r:a=''/>", "<part Id='p1'><r:a xmlns:r='../a'/></part>"] {
            let changed = nothing.replacing("<part Id='p1'>x</part>", with: part)
            #expect(changed != nothing)
            await #expect(throws: XMLSignatureError(.unreadable, ""), "\(part)") { try await verify(changed) }
        }
    }

    /// What the canonical form does not have may change.
    @Test func whatIsNotSignedMayChange() async throws {
        let signed = text(try await XMLSigner(identity).sign(bytes(Self.document), covering: .root))
        for (from, to) in [
            ("<!-- c -->", ""), ("b=\"2\" a='1'", "a=\"1\"   b='2'"), ("<![CDATA[<x>]]>", "&lt;x>"),
            (" xmlns:u=\"urn:unused\"", ""), ("<i:empty/>", "<i:empty></i:empty >"),
        ] {
            let changed = signed.replacing(from, with: to)
            #expect(changed != signed)
            _ = try verifier.verify(bytes(changed), covering: .root, at: now)
        }
    }

    // MARK: Wrapping

    private static let part = XMLName("urn:d", "part")

    /// The signed part is moved elsewhere, and a forged one takes its place.
    @Test func aForgedPartBesideTheSignedOneIsNotAccepted() async throws {
        var signer = try XMLSigner(identity)
        signer.place = .after
        let signed = text(try await signer.sign(bytes(Self.document), covering: .element(id: "p1")))
        let start = try #require(signed.firstRange(of: "<part"))
        let end = try #require(signed.firstRange(of: "</part>"))
        let part = String(signed[start.lowerBound..<end.upperBound])
        let forged = part.replacing("caf", with: "kaf")
        let other = forged.replacing("p1", with: "p2")
        let attacks: [(String, XMLSignatureError.Code)] = [
            // Two elements with the name.
            (signed.replacing(part, with: part + other), .wrongReference),
            (signed.replacing(part, with: other + part), .wrongReference),
            // The signed one inside of a wrapper.
            (signed.replacing(part, with: other + "<w>" + part + "</w>"), .wrongReference),
            // The same identifier twice.
            (signed.replacing(part, with: forged + "<other Id=\"p1\"/>"), .wrongReference),
            (signed.replacing(part, with: forged + "<other xml:id=\"p1\"/>"), .wrongReference),
            // The identifier is another element's.
            (signed.replacing(part, with: other + "<other Id=\"p1\">x</other>"), .notCovered),
            // The signature has the signed part, and the document the forged one.
            (
                signed.replacing(part, with: other).replacing(
                    "</ds:Signature>",
                    with: "<ds:Object>\(part.replacing("part", with: "del"))</ds:Object></ds:Signature>"), .notCovered
            ),
        ]
        for (document, code) in attacks {
            let error = #expect(throws: XMLSignatureError.self, "\(document)") {
                try verifier.verify(bytes(document), covering: .element(Self.part), at: now)
            }
            #expect(error?.code == code, "\(String(describing: error)): \(document)")
        }
    }

    /// A certificate that ends before it begins was never valid, not even in its first second.
    @Test func aKnownSignerWithoutValidityIsRefused() async throws {
        var profile = CertificateProfile.client
        profile.notAfter = profile.notBefore - 1
        let never = try authority.issueClient(commonName: "Tax payer", profile)
        let signed = try await XMLSigner(never).sign(bytes(Self.document), covering: .root)
        for moment in [profile.notBefore - 1, profile.notBefore, profile.notBefore + 1] {
            #expect(throws: XMLSignatureError.untrustedSigner) {
                try XMLSignatureVerifier(signers: [never.leaf]).verify(signed, covering: .root, at: moment)
            }
        }
    }

    /// Other ways to name a key find one that is trusted otherwise, and make none trusted. An attacker's key in them changes nothing.
    @Test(arguments: [
        "<ds:X509Data><ds:X509SKI>AAAA</ds:X509SKI></ds:X509Data>",
        "<ds:X509Data><ds:X509IssuerSerial><ds:X509IssuerName>CN=any</ds:X509IssuerName><ds:X509SerialNumber>1</ds:X509SerialNumber></ds:X509IssuerSerial></ds:X509Data>",
        "<ds:X509Data><ds:X509SubjectName>CN=any</ds:X509SubjectName></ds:X509Data>", "<ds:KeyName>any</ds:KeyName>",
        "<ds:KeyValue><ds:RSAKeyValue><ds:Modulus>AAAA</ds:Modulus><ds:Exponent>AQAB</ds:Exponent></ds:RSAKeyValue></ds:KeyValue>",
    ])
    func keyInfoMakesNoKeyTrusted(_ content: String) async throws {
        var signer = try XMLSigner(identity)
        signer.keyInfo = .nothing
        func document(_ signer: XMLSigner) async throws -> [UInt8] {
            let signed = text(try await signer.sign(bytes(Self.document), covering: .root))
            return bytes(
                signed.replacing(
                    "</ds:SignatureValue>", with: "</ds:SignatureValue><ds:KeyInfo>\(content)</ds:KeyInfo>"))
        }
        let known = XMLSignatureVerifier(signers: [identity.leaf])
        let ours = try await document(signer)
        #expect(try known.verify(ours, covering: .root, at: now).signer == identity.leaf)
        #expect(throws: XMLSignatureError.self) { try verifier.verify(ours, covering: .root, at: now) }
        var attacker = try XMLSigner(try authority.issueClient(commonName: "Attacker"))
        attacker.keyInfo = .nothing
        let theirs = try await document(attacker)
        #expect(throws: XMLSignatureError.self) { try known.verify(theirs, covering: .root, at: now) }
    }

    @Test(arguments: XMLSigner.KeyInfo.allCases, [KeyPair.Kind.p256, .p384, .p521, .ed25519])
    func eachKindOfKeyInfoIsWritten(_ keyInfo: XMLSigner.KeyInfo, _ kind: KeyPair.Kind) async throws {
        let identity =
            kind == .p256
            ? self.identity
            : try await KeyPair.generate(kind).selfSignedIdentity(
                subject: .init(commonName: "A & <B>"), notBefore: 0, notAfter: 1 << 33)
        var signer = try XMLSigner(identity)
        signer.keyInfo = keyInfo
        guard keyInfo != .subjectKeyIdentifier || identity.leaf.subjectKeyIdentifier != nil else {
            await #expect(throws: XMLSignatureError.cannotSign) {
                try await signer.sign(bytes("<a/>"), covering: .root)
            }
            return
        }
        let signed = try await signer.sign(bytes("<a/>"), covering: .root)
        let known = XMLSignatureVerifier(signers: [identity.leaf])
        #expect(try known.verify(signed, covering: .root, at: now).signer == identity.leaf)
        let marks: [XMLSigner.KeyInfo: String] = [
            .certificate: "X509Certificate>", .chain: "X509Certificate>",
            .issuerSerial: "</ds:X509IssuerName><ds:X509SerialNumber>",
            .subjectKeyIdentifier: "<ds:X509SKI>",
            .publicKey: kind == .ed25519 ? ":DEREncodedKeyValue>" : "dsig11:NamedCurve URI=",
        ]
        #expect(marks[keyInfo].map(text(signed).contains) ?? !text(signed).contains("KeyInfo"))
    }

    @Test func anRSAKeyIsWrittenAsNumbers() async throws {
        let rsa = try await KeyPair.generate(.rsa(bits: 2048)).selfSignedIdentity(
            subject: .init(commonName: "rsa"), notBefore: 0, notAfter: 1 << 33)
        var signer = try XMLSigner(rsa)
        signer.keyInfo = .publicKey
        let signed = text(try await signer.sign(bytes("<a/>"), covering: .root))
        #expect(signed.contains("<ds:Exponent>AQAB</ds:Exponent>"))
        let modulus = try #require(signed.firstMatch(of: #/<ds:Modulus>([^<]*)</#)?.output.1)
        #expect(Text.bytes(base64: String(modulus).utf8)?.count == 256)
    }

    /// One signature covers three elements, and each of them is verified.
    @Test func severalElementsAreSigned() async throws {
        let document = "<all><a Id=\"a\">1</a><b Id=\"b\">2</b><c Id=\"c\">3</c><d Id=\"d\">4</d></all>"
        let signer = try XMLSigner(identity)
        let signed = try await signer.sign(
            bytes(document), covering: [.element(id: "b"), .element(id: "a"), .element(id: "c")])
        #expect(text(signed).contains("</ds:Signature></b>"))
        for name in ["a", "b", "c"] {
            let found = try verifier.verify(signed, covering: .element(XMLName("", name)), at: now)
            #expect(found.contents.map(\.localName) == ["b", "a", "c"] && found.content.localName == name)
        }
        #expect(throws: XMLSignatureError.notCovered) {
            try verifier.verify(signed, covering: .element(XMLName("", "d")), at: now)
        }
        for (from, to) in [(">1<", ">x<"), (">2<", ">x<"), (">3<", ">x<")] {
            let changed = bytes(text(signed).replacing(from, with: to))
            for name in ["a", "b", "c"] {
                #expect(throws: XMLSignatureError.changedContent) {
                    try verifier.verify(changed, covering: .element(XMLName("", name)), at: now)
                }
            }
        }
        // What is not signed may change.
        let other = bytes(text(signed).replacing(">4<", with: ">x<"))
        #expect(throws: Never.self) { try verifier.verify(other, covering: .element(XMLName("", "a")), at: now) }
        for contents in [[], [.element(id: "a"), .element(id: "a")], [.element(id: "a"), .element(id: "x")]]
            as [[XMLSigner.Content]]
        {
            await #expect(throws: XMLSignatureError.wrongReference) {
                try await signer.sign(bytes(document), covering: contents)
            }
        }
        let root = bytes("<all Id=\"all\"/>")
        await #expect(throws: XMLSignatureError.wrongReference) {
            try await signer.sign(root, covering: [.root, .element(id: "all")])
        }
    }

    @Test(arguments: XMLCanonicalization.Method.allCases)
    func aSignatureHoldsItsContent(_ method: XMLCanonicalization.Method) async throws {
        var signer = try XMLSigner(identity)
        signer.canonicalization = XMLCanonicalization(method)
        let signed = try await signer.envelop(
            bytes("<?xml version=\"1.0\"?><!-- x --><p:a xmlns:p=\"urn:p\">1<b/></p:a>"), id: "o")
        #expect(text(signed).hasPrefix("<ds:Signature") && text(signed).hasSuffix("</ds:Object></ds:Signature>"))
        let object = XMLName("http://www.w3.org/2000/09/xmldsig#", "Object")
        let found = try verifier.verify(signed, covering: .element(object), at: now)
        #expect(text(found.content.bytes).contains("<p:a xmlns:p=\"urn:p\">1<b></b></p:a>"))
        let changed = bytes(text(signed).replacing(">1<", with: ">2<"))
        #expect(throws: XMLSignatureError.changedContent) {
            try verifier.verify(changed, covering: .element(object), at: now)
        }
        signer.prefix = ""
        await #expect(throws: XMLSignatureError.unsupported) { try await signer.envelop(bytes("<a/>"), id: "o") }
        signer.prefix = "ds"
        for (document, id) in [("<a>", "o"), ("<a/>", "1"), ("<a/>", "\"/><b"), ("<a Id=\"o\"/>", "o")] {
            await #expect(throws: XMLSignatureError.self) { try await signer.envelop(bytes(document), id: id) }
        }
    }

    /// A valid signature of another signer stands first.
    @Test func eachSignerIsJudged() async throws {
        let attacker = try CertificateAuthority(commonName: "Other").issueClient(commonName: "Tax payer")
        let neighbour = try authority.issueClient(commonName: "Neighbour")
        for other in [attacker, neighbour] {
            let signed = try await XMLSigner(other).sign(bytes(Self.document), covering: .root)
            let error = #expect(throws: XMLSignatureError.self) {
                try verifier.verify(signed, covering: .root, at: now)
            }
            #expect(error?.code == .untrustedSigner, "\(String(describing: error))")
        }
        // Each signature covers its own element.
        var signer = try XMLSigner(neighbour)
        signer.place = .after
        let first = try await signer.sign(bytes(Self.document), covering: .element(id: "p1"))
        signer = try XMLSigner(identity)
        signer.place = .after
        let both = try await signer.sign(first, covering: .element(id: "p1"))
        #expect(try verifier.verify(both, covering: .element(Self.part), at: now).signer == identity.leaf)
    }

    /// A list of prefixes from the message is bounded, and stands there once.
    @Test func listsOfPrefixesAreBounded() async throws {
        var signer = try XMLSigner(identity)
        signer.canonicalization.inclusiveNamespaces = ["u", "#default"]
        let signed = text(try await signer.sign(bytes(Self.document), covering: .root))
        let verified = try verifier.verify(bytes(signed), covering: .root, at: now)
        #expect(text(verified.content.bytes).contains("xmlns:u=\"urn:unused\""))
        let list =
            "<ec:InclusiveNamespaces xmlns:ec=\"http://www.w3.org/2001/10/xml-exc-c14n#\" PrefixList=\"u #default\"/>"
        for (other, code) in [
            (list.replacing("u #default", with: String(repeating: "a ", count: 4000)), .malformed),
            (list + list, .malformed), (list.replacing("u #default", with: "v"), .wrongSignature),
            (list.replacing("u #default", with: (0..<80).map { "p\($0)" }.joined(separator: " ")), .unreadable),
        ] as [(String, XMLSignatureError.Code)] {
            let error = #expect(throws: XMLSignatureError.self) {
                try verifier.verify(bytes(signed.replacing(list, with: other)), covering: .root, at: now)
            }
            #expect(error?.code == code, "\(String(describing: error))")
        }
    }

    /// Wherever the end tag of the signed element is, and however it is written.
    @Test(
        arguments: [
            "<a b='>'/>", "<p:a xmlns:p='urn:u'/>", "<a></a\n>", "\u{FEFF}<a\tb='/'/>", "<a><![CDATA[</a>]]></a>",
            "<a><!-- </a> --></a>", "<a>&#60;/a></a>", "<a><?p </a> ?></a>", "<a>\r\n</a ><!-- <x/> -->", "<é/>",
            "<a xmlns='http://www.w3.org/2000/09/xmldsig#' xmlns:ds='urn:other'/>",
        ])
    func everyShapeOfAnElementIsSigned(_ document: String) async throws {
        for prefix in ["ds", ""] {
            var signer = try XMLSigner(identity)
            signer.prefix = prefix
            let signed = try await signer.sign(bytes(document), covering: .root)
            let verified = try verifier.verify(signed, covering: .root, at: now)
            #expect(verified.content.bytes == (try signer.canonicalization.canonicalForm(of: bytes(document))))
        }
    }

    @Test(arguments: ["", "<a", "<a/><b/>", "<!DOCTYPE a><a/>", "<a Id='x'/>"])
    func whatIsNoDocumentIsNotSigned(_ document: String) async throws {
        let signer = try XMLSigner(identity)
        await #expect(throws: XMLSignatureError.self) {
            try await signer.sign(bytes(document), covering: .element(id: "y"))
        }
    }

    @Test func identifiersNeedNotBeASCII() async throws {
        let latin =
            Array("<?xml version='1.0' encoding='ISO-8859-1'?><a><b Id='&#233;'>x</b></a>".utf8)
        let signed = try await XMLSigner(identity).sign(latin, covering: .element(id: "é"))
        let verified = try verifier.verify(signed, covering: .element(XMLName(.none, "b")), at: now)
        #expect(text(verified.content.bytes) == "<b Id=\"é\">x</b>")
    }

    @Test func settingsThatHaveNoEffectAreErrors() async throws {
        var signer = try XMLSigner(identity)
        signer.place = .after
        await #expect(throws: XMLSignatureError.unsupported) { try await signer.sign(bytes("<a/>"), covering: .root) }
        await #expect(throws: XMLSignatureError.unsupported) {
            try await signer.sign(bytes("<a Id=\"x\"/>"), covering: .element(id: "x"))
        }
        await #expect(throws: XMLSignatureError.wrongReference) {
            try await signer.sign(bytes("<a><b/></a>"), covering: .element(id: "x"))
        }
        await #expect(throws: XMLSignatureError.wrongReference) {
            try await signer.sign(bytes("<a/>"), covering: .element(id: "x\" y=\""))
        }
        signer.place = .inside
        signer.prefix = "a b"
        await #expect(throws: XMLSignatureError.unsupported) { try await signer.sign(bytes("<a/>"), covering: .root) }
        signer.prefix = "ds"
        signer.canonicalization.hasComments = true
        await #expect(throws: XMLSignatureError.unsupported) { try await signer.sign(bytes("<a/>"), covering: .root) }
        signer.canonicalization.hasComments = false
        let latin = Array("<?xml version='1.0' encoding='ISO-8859-1'?><a>".utf8) + [0xE9] + Array("</a>".utf8)
        await #expect(throws: XMLSignatureError.unsupported) { try await signer.sign(latin, covering: .root) }
    }
}

extension XMLSignatureError {
    fileprivate static let notCovered = XMLSignatureError(.notCovered, "")
    fileprivate static let cannotSign = XMLSignatureError(.cannotSign, "")
    fileprivate static let tooWeak = XMLSignatureError(.tooWeak, "")
    fileprivate static let wrongSignature = XMLSignatureError(.wrongSignature, "")
    fileprivate static let untrustedSigner = XMLSignatureError(.untrustedSigner, "")
    fileprivate static let unsupported = XMLSignatureError(.unsupported, "")
    fileprivate static let wrongReference = XMLSignatureError(.wrongReference, "")
    fileprivate static let changedContent = XMLSignatureError(.changedContent, "")
}

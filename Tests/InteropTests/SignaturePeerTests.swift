import Foundation
@_spi(Experimental) import SignetSignature
import SignetTLS
import SignetTesting
import SignetXML
import TestSupport
import Testing

/// Signatures of other libraries are verified, and theirs verify ours.
///
/// `SIGNET_SIGNATURES=all` has every algorithm with every canonicalization; otherwise each algorithm has one.
@Suite(.serialized, .timeLimit(.minutes(30))) struct SignaturePeerTests {
    private struct Algorithm {
        let key: String
        let algorithm: SigningAlgorithm
    }

    private static let algorithms: [Algorithm] =
        SigningAlgorithm.Hash.allCases.flatMap {
            [Algorithm(key: "rsa", algorithm: .rsaPKCS1($0)), Algorithm(key: "rsa", algorithm: .rsaPSS($0))]
        } + [
            Algorithm(key: "p256", algorithm: .ecdsa(.sha256)), Algorithm(key: "p384", algorithm: .ecdsa(.sha384)),
            Algorithm(key: "p521", algorithm: .ecdsa(.sha512)), Algorithm(key: "ed25519", algorithm: .ed25519),
        ]

    private static let document = """
        <i:invoice xmlns:i="urn:i" xmlns="urn:d" xml:lang="pt"><part Id="p1" b="2" a='1'>caf&#xe9; &amp; <![CDATA[<x>]]>\
        <i:empty/></part><note>é</note></i:invoice>
        """
    private static let part = XMLName("urn:d", "part")

    private let openssl: OpenSSL
    private let isComplete = ProcessInfo.processInfo.environment["SIGNET_SIGNATURES"] == "all"

    init() throws {
        openssl = try OpenSSL()
        try openssl.makeSelfSigned("rsa", algorithm: "rsa:2048")
        for bits in [256, 384, 521] {
            try openssl.makeSelfSigned("p\(bits)", algorithm: "ec", ["-pkeyopt", "ec_paramgen_curve:P-\(bits)"])
        }
        try openssl.makeSelfSigned("ed25519", algorithm: "ed25519")
        for key in ["rsa", "p256", "p384", "p521", "ed25519"] {
            try openssl("pkcs12 -export -inkey \(key).key -in \(key).pem -out \(key).p12 -passout pass:secret")
        }
    }

    private func file(_ name: String) -> String { openssl.folder.appending(path: name).path(percentEncoded: false) }

    /// A document that we signed, in the file `ours.xml`; without its values in the file `template.xml`.
    private func sign(
        _ algorithm: Algorithm, _ method: XMLCanonicalization.Method, _ content: XMLSigner.Content
    ) async throws {
        let identity = try Identity(
            pem: openssl.bytes("\(algorithm.key).pem"), privateKey: openssl.bytes("\(algorithm.key).key"))
        var signer = try XMLSigner(identity)
        signer.algorithm = XMLSignatureAlgorithm(algorithm.algorithm)
        signer.canonicalization = XMLCanonicalization(method)
        // Beside the part, where all peers look for it.
        if content != .root { signer.place = .after }
        let signed = try await signer.sign(Array(Self.document.utf8), covering: content)
        try openssl.write(signed, "ours.xml")
        let text = String(decoding: signed, as: UTF8.self)
        try openssl.write(
            text.replacing(#/(<ds:(DigestValue|SignatureValue)>)[^<]*/#) { $0.output.1 }
                .replacing(#/<ds:X509Certificate>[^<]*<\/ds:X509Certificate>/#, with: ""), "template.xml")
    }

    private func verify(_ signed: [UInt8], _ algorithm: Algorithm, _ content: XMLSigner.Content) throws {
        let certificate = try CertificateBundle(pem: openssl.bytes("\(algorithm.key).pem")).certificates
        let verified = try XMLSignatureVerifier(signers: certificate).verify(
            signed, covering: content == .root ? .root : .element(Self.part),
            at: Int64(Date().timeIntervalSince1970))
        #expect(verified.contents.count == 1)
    }

    /// Runs `body` for what a peer knows.
    private func each(
        _ methods: [XMLCanonicalization.Method], where isKnown: (SigningAlgorithm) -> Bool = { _ in true },
        _ body: (Algorithm, XMLSigner.Content) async throws -> Void
    ) async throws {
        for (number, algorithm) in Self.algorithms.filter({ isKnown($0.algorithm) }).enumerated() {
            for (place, method) in methods.enumerated() where isComplete || place == number % methods.count {
                let content: XMLSigner.Content = (number + place).isMultiple(of: 2) ? .root : .element(id: "p1")
                try await sign(algorithm, method, content)
                try await body(algorithm, content)
            }
        }
    }

    private func run(_ program: String, _ arguments: [String], _ what: String) async throws -> String {
        let outcome = try await PeerProcess.output(of: .init(program: program, arguments: arguments))
        #expect(outcome.status == 0, "\(what): \(outcome)")
        return outcome.output
    }

    /// Whether libraries that know neither RSA-PSS nor Ed25519 know an algorithm.
    private static func isOld(_ algorithm: SigningAlgorithm) -> Bool {
        !algorithm.isRSAPSS && algorithm != .ed25519
    }

    private func verifyByXMLSec1(_ key: String) async throws {
        _ = try await run(
            "xmlsec1",
            ["--verify", "--trusted-pem", file("\(key).pem"), "--id-attr:Id", "urn:d:part", file("ours.xml")], key)
    }

    /// The key is made in a security module, and cannot be taken out.
    @Test func aKeyInATokenSigns() async throws {
        let token = try await SoftToken()
        let key = try await token.makeKey("rsa", type: "rsa:2048", identifier: "01")
        let authority = try CertificateAuthority(commonName: "Plant authority")
        let identity = try authority.issueClient(
            signingKey: SoftToken.OldKey(token: token, publicKeyInfo: key.publicKeyInfo), commonName: "plant 7")
        var signer = try XMLSigner(identity)
        signer.place = .after
        try openssl.write(authority.bundle.pem, "token.pem")
        try openssl.write(try await signer.sign(Array(Self.document.utf8), covering: .element(id: "p1")), "ours.xml")
        try await verifyByXMLSec1("token")
    }

    /// RSA and SHA-1 in the form of Brazil's NF-e.
    @Test func xmlsec1VerifiesSHA1() async throws {
        var signer = try XMLSigner(
            try Identity(pem: openssl.bytes("rsa.pem"), privateKey: openssl.bytes("rsa.key")))
        signer.algorithm = .insecureRSASHA1
        signer.digest = .insecureSHA1
        signer.canonicalization = XMLCanonicalization(.inclusive10)
        signer.place = .after
        signer.prefix = ""
        let signed = try await signer.sign(Array(Self.document.utf8), covering: .element(id: "p1"))
        try openssl.write(signed, "ours.xml")
        try await verifyByXMLSec1("rsa")
    }

    /// Several references, a signature that holds its content, and keys by value.
    @Test func xmlsec1VerifiesOtherForms() async throws {
        var signer = try XMLSigner(try Identity(pem: openssl.bytes("rsa.pem"), privateKey: openssl.bytes("rsa.key")))
        signer.keyInfo = .publicKey
        let document = "<all><a Id=\"a\">1</a><b Id=\"b\">2</b></all>"
        let several = try await signer.sign(Array(document.utf8), covering: [.element(id: "a"), .element(id: "b")])
        let holding = try await signer.envelop(Array(Self.document.utf8), id: "o")
        for (signed, text) in [(several, ">2<"), (holding, "&amp;")] {
            for isChanged in [false, true] {
                let bytes = String(decoding: signed, as: UTF8.self).replacing(text, with: isChanged ? ">3<" : text)
                if isChanged, text == "&amp;" { continue }
                try openssl.write(bytes, "ours.xml")
                let outcome = try await PeerProcess.output(
                    of: .init(
                        program: "xmlsec1",
                        arguments: ["--verify", "--id-attr:Id", "a", "--id-attr:Id", "b", file("ours.xml")]))
                #expect((outcome.status == 0) == !isChanged, "\(outcome)")
            }
        }
    }

    @Test func xmlsec1() async throws {
        try await each(XMLCanonicalization.Method.allCases, where: Self.isOld) { algorithm, content in
            let key = algorithm.key
            try await verifyByXMLSec1(key)
            _ = try await run(
                "xmlsec1",
                [
                    "--sign", "--privkey-pem", "\(file("\(key).key")),\(file("\(key).pem"))", "--id-attr:Id",
                    "urn:d:part",
                    "--output", file("theirs.xml"), file("template.xml"),
                ], "\(algorithm)")
            try verify(openssl.bytes("theirs.xml"), algorithm, content)
        }
    }

    /// Santuario for C++, which knows neither RSA-PSS nor Ed25519. Its program signs whole documents only.
    @Test func xsec() async throws {
        try await each(XMLCanonicalization.Method.allCases, where: Self.isOld) { algorithm, content in
            let key = algorithm.key
            _ = try await run("xsec-checksig", ["--id", "Id", file("ours.xml")], "\(algorithm)")
            guard content == .root else { return }
            // It replaces values, and finds no place for them otherwise.
            let template = String(decoding: try openssl.bytes("template.xml"), as: UTF8.self)
            try openssl.write(
                template.replacing(#/<ds:(Digest|Signature)Value>/#) { "\($0.output.0)AAAA" }, "template.xml")
            let theirs = try await run(
                "xsec-templatesign",
                [
                    key == "rsa" ? "--rsakey" : "--eckey", file("\(key).key"), "none", "--x509cert",
                    file("\(key).pem"), file("template.xml"),
                ], "\(algorithm)")
            try verify(Array(theirs.utf8), algorithm, content)
        }
    }

    /// signxml reads SignedInfo without what stands around the signature, which the inclusive methods need, and does not know
    /// Ed25519.
    @Test(arguments: ["signxml", "bergshamra"]) func python(_ library: String) async throws {
        let program = Tool.python
        let script = PeerFile.url("signature/xml_signature.py").path
        let isSignxml = library == "signxml"
        try await each(isSignxml ? [.exclusive10] : XMLCanonicalization.Method.allCases) {
            !isSignxml || $0 != .ed25519
        } _: { algorithm, content in
            let key = algorithm.key
            _ = try await run(
                program, [script, "verify", library, file("ours.xml"), file("\(key).pem")], "\(library), \(algorithm)")
            let theirs = try await run(
                program,
                [script, "sign", library, file("template.xml"), file("\(key).key")]
                    + (isSignxml ? [file("\(key).pem")] : []), "\(library), \(algorithm)")
            try verify(Array(theirs.utf8), algorithm, content)
        }
    }

    /// Signatures of ML-DSA, with the identifiers of a draft.
    @Test(arguments: MLDSAParameters.allCases) func bergshamraKnowsMLDSA(_ parameters: MLDSAParameters) async throws {
        let key = try MLDSAKey(parameters)
        // RFC 9881 §4, §6.
        let algorithm: [UInt8] = [
            0x30, 11, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 3, parameters == .mlDSA65 ? 0x12 : 0x13,
        ]
        func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
            let count = content.count
            return [tag] + (count < 128 ? [UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]) + content
        }
        func pem(_ label: String, _ der: [UInt8]) -> String {
            let lines = Data(der).base64EncodedString(options: .lineLength64Characters)
            return "-----BEGIN \(label)-----\n\(lines.replacing("\r", with: ""))\n-----END \(label)-----\n"
        }
        let secret = der(0x30, [2, 1, 0] + algorithm + der(4, der(0x80, key.seed)))
        try openssl.write(pem("PRIVATE KEY", secret), "mldsa.key")
        let open = der(0x30, algorithm + der(3, [0] + key.publicKey.bytes))
        try openssl.write(pem("PUBLIC KEY", open), "mldsa.pem")
        var signer = XMLSigner(key)
        signer.place = .after
        let signed = try await signer.sign(Array(Self.document.utf8), covering: .element(id: "p1"))
        try openssl.write(signed, "ours.xml")
        let script = PeerFile.url("signature/xml_signature.py").path
        _ = try await run(
            Tool.python, [script, "verify", "bergshamra", file("ours.xml"), file("mldsa.pem")], "\(parameters)")
        let text = String(decoding: signed, as: UTF8.self)
        try openssl.write(
            text.replacing(#/(<ds:(DigestValue|SignatureValue)>)[^<]*/#) { $0.output.1 }, "template.xml")
        let theirs = try await run(
            Tool.python, [script, "sign", "bergshamra", file("template.xml"), file("mldsa.key")], "\(parameters)")
        let verifier = XMLSignatureVerifier(signers: [])
        let content = try verifier.verify(
            Array(theirs.utf8), covering: .element(Self.part), by: [key.publicKey])
        #expect(content.localName == "part")
        try openssl.write(text.replacing("b=\"2\"", with: "b=\"3\""), "ours.xml")
        let changed = try await PeerProcess.output(
            of: .init(
                program: Tool.python,
                arguments: [script, "verify", "bergshamra", file("ours.xml"), file("mldsa.pem")]))
        #expect(changed.status != 0)
    }

    /// Santuario 2.1 knows neither RSA-PSS without parameters nor Ed25519. With P-521 it leaves out the first bytes of r and s
    /// when they are zero in both, which no standard allows.
    @Test(arguments: ["jdk", "santuario"]) func java(_ library: String) async throws {
        let java = try await JavaProgram(
            ["signature/XMLSignatures.java"], libraries: ["xmlsec", "slf4j-api", "commons-logging"])
        defer { java.remove() }
        try await each(XMLCanonicalization.Method.allCases) {
            library == "jdk" || !$0.isRSAPSS && ![.ed25519, .ecdsa(.sha512)].contains($0)
        } _: { algorithm, content in
            let key = algorithm.key
            let verified = try await PeerProcess.output(
                of: java.command([library, "verify", file("ours.xml"), file("\(key).pem")]))
            #expect(verified.status == 0, "\(library), \(algorithm): \(verified)")
            let theirs = try await PeerProcess.output(
                of: java.command([library, "sign", file("template.xml"), file("\(key).p12"), "secret"]))
            #expect(theirs.status == 0, "\(library), \(algorithm): \(theirs)")
            try verify(Array(theirs.output.utf8), algorithm, content)
        }
    }
}

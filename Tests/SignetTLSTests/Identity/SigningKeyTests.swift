import Crypto
import Foundation
import SignetTesting
import TestSupport
import Testing

@testable import SignetTLS

@Suite struct SigningKeyTests {
    private struct Broken: Error, CustomStringConvertible { let description = "the reader is unplugged" }

    private let authority: CertificateAuthority
    private let message = Array("to be signed".utf8)

    init() throws { authority = try CertificateAuthority(commonName: "Signing tests") }

    private func signer(_ identity: Identity) throws -> Signer {
        guard case .signsOnly(let signer) = identity.key else { throw Broken() }
        return signer
    }

    @Test(arguments: SoftwareSigningKey.Kind.allCases)
    func everyKindOfKeyMakesAnIdentityAndSigns(kind: SoftwareSigningKey.Kind) async throws {
        let key = try SoftwareSigningKey(kind)
        let identity = try authority.issueClient(signingKey: key, commonName: "device")
        #expect(identity.leaf.subject == "CN=device")
        #expect(identity.chain == [identity.leaf])
        #expect(identity.authorities.certificates == [authority.certificate])
        #expect(identity.privateKey == nil)
        let signer = try signer(identity)
        #expect(signer.algorithms == key.algorithms)
        for algorithm in signer.algorithms {
            let signature = try await signer.signature(algorithm, over: message)
            #expect(!signature.isEmpty)
        }
    }

    /// openssl says what the raw form means.
    @Test(arguments: ["P-256", "P-384", "P-521"]) func rawSignaturesAreEncoded(curve: String) throws {
        for _ in 0..<50 {
            let (raw, der): (Data, Data) =
                switch curve {
                case "P-256":
                    try {
                        let signature = try P256.Signing.PrivateKey().signature(for: Data(message))
                        return (signature.rawRepresentation, signature.derRepresentation)
                    }()
                case "P-384":
                    try {
                        let signature = try P384.Signing.PrivateKey().signature(for: Data(message))
                        return (signature.rawRepresentation, signature.derRepresentation)
                    }()
                default:
                    try {
                        let signature = try P521.Signing.PrivateKey().signature(for: Data(message))
                        return (signature.rawRepresentation, signature.derRepresentation)
                    }()
                }
            #expect(SigningAlgorithm.encodedECDSASignature(Array(raw)) == Array(der))
        }
    }

    @Test func oddPairsAreNoSignature() {
        for count in [0, 1, 63, 133, 134, 4096] {
            #expect(SigningAlgorithm.encodedECDSASignature(Array(repeating: 1, count: count)) == nil)
        }
        #expect(SigningAlgorithm.encodedECDSASignature([0, 0x80]) == [0x30, 7, 2, 1, 0, 2, 2, 0, 0x80])
    }

    @Test func anAlgorithmSaysWhatAKeyHasToKnow() {
        let pss = SigningAlgorithm.rsaPSS(.sha384)
        #expect(pss.isRSAPSS && !pss.isECDSA && pss.hash == .sha384 && "\(pss)" == "RSA-PSS with SHA-384")
        let ecdsa = SigningAlgorithm.ecdsa(.sha512)
        #expect(ecdsa.isECDSA && !ecdsa.isRSAPSS && ecdsa.hash == .sha512 && "\(ecdsa)" == "ECDSA with SHA-512")
        #expect(SigningAlgorithm.rsaPKCS1(.sha256) != .rsaPSS(.sha256) && SigningAlgorithm.ed25519.hash == nil)
        #expect(SigningAlgorithm.Hash.allCases.map(\.byteCount) == [32, 48, 64])
        for hash in SigningAlgorithm.Hash.allCases {
            #expect(SigningRequest(algorithm: .ecdsa(hash), message: message).digest?.count == hash.byteCount)
        }
        #expect(KeyPair.Kind.rsa(bits: 3072).rsaBits == 3072 && KeyPair.Kind.p256.rsaBits == nil)
    }

    @Test func theDigestIsThatOfTheMessage() {
        #expect(
            SigningRequest(algorithm: .ecdsa(.sha256), message: message).digest == Array(SHA256.hash(data: message)))
        #expect(
            SigningRequest(algorithm: .rsaPSS(.sha384), message: message).digest == Array(SHA384.hash(data: message)))
        #expect(
            SigningRequest(algorithm: .rsaPKCS1(.sha512), message: message).digest == Array(SHA512.hash(data: message)))
        #expect(SigningRequest(algorithm: .ed25519, message: message).digest == nil)
    }

    @Test func theCertificateMustBelongToTheKey() throws {
        let issued = try authority.issueClient(signingKey: SoftwareSigningKey(.p256), commonName: "device")
        let other = try SoftwareSigningKey(.p256, name: "“meter” in the token “Plant 7”")
        let error = #expect(throws: IdentityError.self) {
            try Identity(certificates: issued.chain + authority.chain, signingKey: other)
        }
        #expect(error?.code == .noMatchingCertificate)
        #expect(error?.message.contains("“meter” in the token “Plant 7”") == true)
        #expect(error?.message.contains("CN=device") == true)
        let none = #expect(throws: IdentityError.self) { try Identity(certificates: [], signingKey: other) }
        #expect(none?.code == .noCertificate)
    }

    @Test func theCertificatesMayComeInAnyOrder() throws {
        let key = try SoftwareSigningKey(.p384)
        let middle = try authority.issueIntermediate()
        let issued = try middle.issueClient(signingKey: key)
        let identity = try Identity(
            certificates: Array((issued.chain + middle.chain).reversed()), signingKey: key, label: "meter")
        #expect(identity.chain == [issued.leaf, middle.certificate])
        #expect(identity.label == "meter")
    }

    private struct Odd: SigningKey {
        let name = "“odd”"
        let publicKeyInfo: [UInt8]
        let algorithms: [SigningAlgorithm]
        func signature(for request: SigningRequest) async throws -> [UInt8] { [] }
    }

    @Test func keysThatCannotBeUsedAreRefused() throws {
        let key = try SoftwareSigningKey(.rsa2048)
        let issued = try authority.issueClient(signingKey: key)
        // The same key as id-RSASSA-PSS (RFC 4055 §1.2), which BoringSSL does not use in TLS.
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl("genpkey -algorithm RSA-PSS -pkeyopt rsa_keygen_bits:2048 -out pss.key")
        try openssl("pkey -in pss.key -pubout -outform DER -out pss.der")
        try openssl("genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:1024 -out small.key")
        try openssl("pkey -in small.key -pubout -outform DER -out small.der")
        for (odd, code) in [
            (Odd(publicKeyInfo: [], algorithms: key.algorithms), IdentityError.Code.damaged),
            (Odd(publicKeyInfo: Array(key.publicKeyInfo.dropLast()), algorithms: key.algorithms), .damaged),
            (Odd(publicKeyInfo: try openssl.bytes("pss.der"), algorithms: key.algorithms), .unsupportedAlgorithm),
            (Odd(publicKeyInfo: try openssl.bytes("small.der"), algorithms: key.algorithms), .unsupportedAlgorithm),
            (Odd(publicKeyInfo: key.publicKeyInfo, algorithms: []), .unsupportedAlgorithm),
            (Odd(publicKeyInfo: key.publicKeyInfo, algorithms: [.ed25519, .ecdsa(.sha256)]), .unsupportedAlgorithm),
        ] {
            let error = #expect(throws: IdentityError.self) {
                try Identity(certificates: issued.chain, signingKey: odd)
            }
            #expect(error?.code == code)
            #expect(error?.message.contains("“odd”") == true)
        }
    }

    @Test func invalidSignaturesAreNotSent() async throws {
        let lies: [@Sendable ([UInt8]) -> [UInt8]] = [
            { _ in [] }, { $0.dropLast() }, { $0 + [0] }, { Array($0.reversed()) },
            { _ in Array(repeating: 0xFF, count: 100_000) },
            {
                var signature = $0
                signature[signature.count / 2] ^= 1
                return signature
            },
        ]
        for kind in SoftwareSigningKey.Kind.allCases {
            for lie in lies {
                let key = try SoftwareSigningKey(kind, name: "“liar”") { lie(try await $1($0)) }
                let signer = try signer(authority.issueClient(signingKey: key))
                let algorithm = try #require(signer.algorithms.first)
                let error = await #expect(throws: SigningKeyError.self) {
                    try await signer.signature(algorithm, over: message)
                }
                #expect(error?.code == .invalidSignature)
                #expect(error?.message.contains("“liar”") == true)
            }
        }
        // The signature of another message.
        let key = try SoftwareSigningKey(.p256) { try await $1(.init(algorithm: $0.algorithm, message: [])) }
        let signer = try signer(authority.issueClient(signingKey: key))
        let error = await #expect(throws: SigningKeyError.self) {
            try await signer.signature(.ecdsa(.sha256), over: message)
        }
        #expect(error?.code == .invalidSignature)
    }

    @Test func aKeyThatFailsIsNamed() async throws {
        let key = try SoftwareSigningKey(.p256, name: "“meter”") { _, _ in throw Broken() }
        let signer = try signer(authority.issueClient(signingKey: key))
        let error = await #expect(throws: SigningKeyError.self) {
            try await signer.signature(.ecdsa(.sha256), over: message)
        }
        #expect(error?.code == .failed)
        #expect(error?.cause is Broken)
        #expect(error?.message.contains("“meter”") == true)
        #expect(error?.message.contains("the reader is unplugged") == true)
        let other = await #expect(throws: SigningKeyError.self) {
            try await signer.signature(.ed25519, over: message)
        }
        #expect(other?.code == .unsupportedAlgorithm)
    }

    @Test func anIdentityWithASigningKeyCannotBeWritten() throws {
        let identity = try authority.issueClient(signingKey: SoftwareSigningKey(.p256))
        let error = #expect(throws: IdentityError.self) { try identity.pkcs12(password: "s") }
        #expect(error?.code == .cannotWrite)
    }
}

import Crypto
import CryptoExtras
import Testing

@testable import SignetTLS

@Suite struct ExternalPublicKeyTests {
    @Test func curvesAreKnownByTheirPoints() {
        let (small, middle, large) = (P256.Signing.PrivateKey(), P384.Signing.PrivateKey(), P521.Signing.PrivateKey())
        for (point, info) in [
            (small.publicKey.x963Representation, small.publicKey.derRepresentation),
            (middle.publicKey.x963Representation, middle.publicKey.derRepresentation),
            (large.publicKey.x963Representation, large.publicKey.derRepresentation),
        ] {
            #expect(ExternalPublicKey.publicKeyInfo(Array(point)) == Array(info))
        }
    }

    @Test func anRSAKeyGetsItsAlgorithm() throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048).publicKey
        #expect(ExternalPublicKey.publicKeyInfo(Array(key.pkcs1DERRepresentation)) == Array(key.derRepresentation))
    }

    @Test func malformedKeysAreRefused() {
        for bytes: [UInt8] in [
            [], [0x04], [0x02] + Array(repeating: 1, count: 32), [0x04] + Array(repeating: 1, count: 63),
            [0x05] + Array(repeating: 1, count: 64), Array(repeating: 7, count: 32),
        ] {
            #expect(ExternalPublicKey.publicKeyInfo(bytes) == nil)
        }
    }
}

import Support
import SwiftASN1

@testable import SignetTLS

/// A PKCS#12 file. Its MAC would stop every changed input before anything is read. So the input is a whole file, or the
/// content below the MAC, or the content below the encryption.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let place = input.number(below: 6)
    let content = input.rest()
    let password = place == 5 ? nil : secret
    var algorithms = place == 4 ? PFXAlgorithms.tripleDESSHA1 : .aes256SHA256
    algorithms.iterations = 1
    let writer = PFXWriter(password: FilePassword(secret, file: .pfx), algorithms: algorithms)
    let file: [UInt8]
    do {
        switch place {
        case 0, 5: file = content
        case 1: file = withoutMac(content)
        case 2: file = try writer.sealed(content)
        default:
            let password = FilePassword(secret, file: .pfx)
            let encrypted =
                place == 3
                ? try PasswordEncryption.aes256(content, password: password, iterations: 1)
                : try PasswordEncryption.tripleDES(content, password: password, iterations: 1)
            file = try writer.sealed(encryptedData(encrypted.algorithm, encrypted.bytes))
        }
    } catch { fatalError("a file was not written: \(error)") }
    check(file, password)
    return 0
}

let secret = "canary clé 🔑"

func check(_ file: [UInt8], _ password: String?) {
    do {
        let read = try KeyFile(file, password: password, integrity: .optional)
        let again = try KeyFile(file, password: password, integrity: .optional)
        require("\(read)" == "\(again)" && read.protections == again.protections, "another file the second time")
        require(read.keys.count <= 1024 && read.certificates.count <= 1024, "too much was read")
        for key in read.keys {
            require(key.isUsableForTLS == (key.problem == nil), "a key is usable and is not")
            require(key.privateKey != nil || key.problem != nil, "a key that was not read is no problem")
            keepsSecrets(key.problem?.message ?? "")
        }
        checkIdentities(read)
    } catch {
        keepsSecrets("\(error) \(error.cause.map { "\($0)" } ?? "")")
        require(!error.message.isEmpty, "an error says nothing")
    }
}

func checkIdentities(_ read: KeyFile) {
    guard let identities = try? read.identities() else { return }
    require(!identities.isEmpty && identities.count <= read.keys.count, "\(identities.count) identities")
    for identity in identities {
        require(identity.chain.first == identity.leaf, "a chain begins elsewhere")
        require(identity.chain.count <= TrustPolicy.maximumPresented, "a chain of \(identity.chain.count)")
        require(Set(identity.chain).count == identity.chain.count, "a chain goes round")
        var algorithms = PFXAlgorithms.aes256SHA256
        algorithms.iterations = 1
        do {
            let written = try identity.pkcs12(password: secret, algorithms: algorithms)
            let back = try KeyFile(written, password: secret).identities()
            require(back == [identity] && back.first?.chain == identity.chain, "another identity was written")
            require(back.first?.privateKey?.pkcs8 == identity.privateKey?.pkcs8, "another key was written")
        } catch { fatalError("an identity is not written and read: \(error)") }
    }
}

func keepsSecrets(_ text: String) { require(!text.contains("canary"), "a password is shown: \(text)") }

/// ContentInfo (RFC 7292 §4) without a MAC.
func withoutMac(_ safe: [UInt8]) -> [UInt8] {
    sequence([[0x02, 1, 3], content(.PKCS12.data, tagged(0x04, safe))])
}

/// An AuthenticatedSafe of one EncryptedData (RFC 5652 §8).
func encryptedData(_ algorithm: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
    let info = sequence([identifier(.PKCS12.data), algorithm, tagged(0x80, bytes)])
    return sequence([content(.PKCS12.encryptedData, sequence([[0x02, 1, 0], info]))])
}

func content(_ type: ASN1ObjectIdentifier, _ value: [UInt8]) -> [UInt8] {
    sequence([identifier(type), tagged(0xA0, value)])
}

func identifier(_ value: ASN1ObjectIdentifier) -> [UInt8] {
    var coder = DER.Serializer()
    do { try coder.serialize(value) } catch { fatalError("\(error)") }
    return coder.serializedBytes
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

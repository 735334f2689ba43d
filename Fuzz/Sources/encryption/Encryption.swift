import SignetSOAP
import SignetSignature
import SignetTLS
import SignetXML
import Support

@testable import SignetWSSecurity

/// An input that begins with a zero is a message; any other one is content that an attacker has encrypted.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let kind = input.byte()
    if kind == 0 {
        open(input.rest())
    } else if let content = encrypted(input.rest(), isElement: kind & 1 != 0) {
        open(content)
    }
    return 0
}

/// What was not encrypted stays as it was, and what was encrypted stays in its element.
func open(_ message: [UInt8]) {
    guard let before = try? SecuredEnvelope(message, roles: [], limits: XMLLimits()),
        let decrypted = try? DecryptedMessage(message, before, decryption, limits: XMLLimits()),
        !decrypted.places.isEmpty
    else { return }
    // Content is checked by itself, and can be as deep as a document.
    var limits = XMLLimits()
    limits.depth += 16
    let after = try? SecuredEnvelope(decrypted.envelope, roles: [], limits: limits)
    require(after != nil, "a decrypted message cannot be read")
    guard let after else { return }
    require(after.headerBlocks.count == before.headerBlocks.count, "header blocks were decrypted")
    require(after.securityParts.count == before.securityParts.count, "a part became several")
    let body = after.body.element.range
    for place in decrypted.places {
        let isInBody = body.lowerBound < place.lowerBound && place.upperBound < body.upperBound
        let isPart = after.securityParts.contains { part in
            place.lowerBound <= part.element.range.lowerBound && part.element.range.upperBound <= place.upperBound
        }
        require(isInBody || isPart, "what was decrypted stands elsewhere")
    }
    guard let first = decrypted.places.first, let last = decrypted.places.last else { return }
    require(
        message.starts(with: decrypted.envelope[..<first.lowerBound])
            && message.reversed().starts(with: decrypted.envelope[last.upperBound...].reversed()),
        "what stands around encrypted elements was changed")
}

/// A message whose body has this content.
func encrypted(_ content: [UInt8], isElement: Bool) -> [UInt8]? {
    guard
        let data = try? encryptor.encryptedData(
            content, isElement: isElement, with: secret, identifier: "d", keyInfo: "")
    else { return nil }
    return Array(
        """
        <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:a="urn:a" xmlns="urn:d"><s:Header>\
        <w:Security xmlns:w="\(SecurityName.extensions.uri)">\(wrapped)</w:Security></s:Header>\
        <s:Body><a:b>\(data)</a:b></s:Body></s:Envelope>
        """.utf8)
}

let decryption = {
    var policy = DecryptionPolicy([receiver])
    policy.encrypted = []
    policy.acceptsCBC = true
    return policy
}()

// The program cannot do its work without these.
// swift-format-ignore: NeverUseForceTry
let encryptor = try! XMLEncryptor(for: receiver.leaf, .aes128GCM)
let secret = encryptor.newKey()
// swift-format-ignore: NeverUseForceTry
let wrapped = try! encryptor.encryptedKey(secret, identifier: "k", recipient: "", references: ["d"])

/// A receiver made for this program; its key protects nothing.
// swift-format-ignore: NeverUseForceTry
let receiver = try! Identity(
    pem: Array(
        """
        -----BEGIN CERTIFICATE-----
        MIIBfTCCASOgAwIBAgIUc/MZoJOsO8h+GI8ZfBEo8RO3NQkwCgYIKoZIzj0EAwIw
        EzERMA8GA1UEAwwIcmVjZWl2ZXIwIBcNMjYxMTI4MTg0ODU2WhgPMjEyNjExMDQx
        ODQ4NTZaMBMxETAPBgNVBAMMCHJlY2VpdmVyMFkwEwYHKoZIzj0CAQYIKoZIzj0D
        AQcDQgAE4Z+BxBBAvtmjUecF8FdhcKZ7hUduR3/1CDvlLYyKhFD3WCQ1YyNH30QV
        7pqSxVc5jHLHlhjGdVTA7ZrZUFLcraNTMFEwHQYDVR0OBBYEFFdd6CRCbiIkqd8b
        c7HXP8KCYXyXMB8GA1UdIwQYMBaAFFdd6CRCbiIkqd8bc7HXP8KCYXyXMA8GA1Ud
        EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIge5fxwlxhqPB+3rpeRCqw3XZC
        c/HaygL3RmLANajNHnoCIQDZoIYs3dv9hLPEilPAPwEBA/RUvi164cYh1buNzlL8
        kA==
        -----END CERTIFICATE-----
        """.utf8),
    privateKey: Array(
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgYxs4ac3mTlCetaUq
        LfXg7hX79uFX5PL0qF5qpuikotChRANCAAThn4HEEEC+2aNR5wXwV2FwpnuFR25H
        f/UIO+UtjIqEUPdYJDVjI0ffRBXumpLFVzmMcseWGMZ1VMDtmtlQUtyt
        -----END PRIVATE KEY-----
        """.utf8))

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

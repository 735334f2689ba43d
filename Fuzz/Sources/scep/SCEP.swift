import SignetHTTP
import Support

@testable import SignetEnrollment
@testable import SignetTLS

/// A key that protects nothing. It is not made here, because BoringSSL's wrapper loses 16 bytes with each RSA key that it
/// makes, which would be reported as a leak.
let key = (try? Identity(pem: Array(pem.utf8), privateKey: Array(pem.utf8))).map(KeyPair.init)

/// What a SCEP server sends: what it can do, its certificates, signed answers and what they hold, encrypted.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let part = input.number(below: 4)
    let bytes = input.rest()
    guard let origin = try? Endpoint("http://ca.example/").origin, let key else { return 0 }
    switch part {
    case 0:
        do {
            let message = try SignedMessage(bytes)
            require(message.content.count <= bytes.count, "a content is larger than its message")
            for certificate in message.certificates {
                _ = try? message.isSigned(by: certificate, acceptingSHA1: true)
                _ = certificate.isRegistrationAuthority || certificate.takesEncryptedKeys
            }
            for attribute in message.attributes { _ = attribute.bytes }
        } catch { require(!"\(error)".isEmpty, "an error says nothing") }
    case 1:
        do {
            let plain = try EnvelopedMessage.opened(bytes, with: key, allowsDES: true)
            require(plain.count < bytes.count, "a content is larger than its message")
        } catch { require(!"\(error)".isEmpty, "an error says nothing") }
    case 2:
        let capabilities = SCEPCapabilities(bytes, answer: "200 OK")
        do { _ = try capabilities.cipher(origin) } catch { require(error.code == .unsupported, "another error") }
    default:
        let certificates = (try? CertificateBundle(pkcs7: bytes).certificates) ?? [EncodedCertificate(der: bytes)]
        do {
            let found = try SCEPAuthorities(
                certificates, fingerprints: Set(certificates.prefix(2).map(\.sha256)), at: origin, now: 1_800_000_000)
            require(!found.signers.isEmpty, "no signer")
        } catch { require(!error.message.isEmpty, "an error says nothing") }
    }
    return 0
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

let pem = """
    -----BEGIN CERTIFICATE-----
    MIIDATCCAemgAwIBAgIUd+2+wVpeF22efUWTJObYVoU+b0MwDQYJKoZIhvcNAQEL
    BQAwDzENMAsGA1UEAwwEZnV6ejAgFw0yNjExMjcyMTI3NDJaGA8yMTI2MTEwMzIx
    Mjc0MlowDzENMAsGA1UEAwwEZnV6ejCCASIwDQYJKoZIhvcNAQEBBQADggEPADCC
    AQoCggEBALAVh5VyCiuXTgEtFtG6zPDzWJN64NvKpoiqUoQZXx5v21O2YMxhRZ+7
    5XtcHCpLPADMNFcMDc0oxocXFllXmS82nTNCfvH4ENGMt78gN1meW1LkoMTZiqrU
    GnNuMRiQyE0i9phWSlvj3PlRh5hdbily00j/Nay6mr7IKeU52P0+3uCSjvJeQ9iJ
    uspQ5rOhv3zRjCCtCiozMnNIoTImBwu8RArIDjgSVIZ5j0gZYdS0NdKtOU42+VLh
    gXxLgs9oTD7gmSH8XWamuIbC2goauaqJQKINXqiwMfX500Za1Oaf+T/ZkcP4TfmU
    Hc1DEvJ0H6E/9+0Q1mf4k8S32DE9plECAwEAAaNTMFEwHQYDVR0OBBYEFET1RcKT
    Q3ZhHKgj//Zs97lZKKKmMB8GA1UdIwQYMBaAFET1RcKTQ3ZhHKgj//Zs97lZKKKm
    MA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADggEBAHQuHQvzVf1nSQY0
    vgPUBYcSSCjFSmIPhF3yN97YV7bNc1xLFMVYOeKR8rMYFXQeKBe1qe4g1I/3jHEo
    XfFfcijf16izN9VvozYV0Gs7oaDL8kNgJOxEfk06bw1H7wy8Fiazc6t6UzIBu0re
    SZkfAmHDKvrdupNNK6hrxT6IfVY7p9SwKb0SqzijPTm90pO9EhfK3FCzSLkXCh6d
    x077b3XNuolv0X7w5GAj4WTs9qX3SzL13iRLLT7pYVyxTL9QeIiMV0S5kCq9jUBN
    sMIbj24pUkX+GzqifantSSGIVQkIzWiCiRn+5uplFZ/X379NZqywTHO4MdlJ55I5
    KBOGPE8=
    -----END CERTIFICATE-----
    -----BEGIN PRIVATE KEY-----
    MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCwFYeVcgorl04B
    LRbRuszw81iTeuDbyqaIqlKEGV8eb9tTtmDMYUWfu+V7XBwqSzwAzDRXDA3NKMaH
    FxZZV5kvNp0zQn7x+BDRjLe/IDdZnltS5KDE2Yqq1BpzbjEYkMhNIvaYVkpb49z5
    UYeYXW4pctNI/zWsupq+yCnlOdj9Pt7gko7yXkPYibrKUOazob980YwgrQoqMzJz
    SKEyJgcLvEQKyA44ElSGeY9IGWHUtDXSrTlONvlS4YF8S4LPaEw+4Jkh/F1mpriG
    wtoKGrmqiUCiDV6osDH1+dNGWtTmn/k/2ZHD+E35lB3NQxLydB+hP/ftENZn+JPE
    t9gxPaZRAgMBAAECggEAESHfIcbJP4mGsO2aqUhUFWOP7DWJ+Eik4Go2Ah1X2GXI
    wMHfdDNIq2yEPPbu1JyiV2+G7itBkoMToeQ4q/Oud14IeIrRQCjDNihLXoC7cfBK
    8WtGSzDhYZKmijGf/ERmAL9Un+jRblRi1S0+FLCOfeDqttEB/27ejI58KQ3yU11n
    d13OQNXtHDHTpnp2VDgH9fRlkWtHej67VJfd/16KfSCLOXoZC79c8u2TM2uWAOFk
    nF7p7fpAq899KFqh57ENVxVhYfCDSokXKJR6Lx4bMhcJ298AFo8QxeJQSOy8oZi0
    ZNjopfsgjyFWPqW3BUPoGQeVXb7cAFo0ERAvHXIq0wKBgQDxsVlZJtw5KSVkqLW0
    G+G4EFiJ+qOHAuqsj/ArY0sBK2zWXGgwTCHPKJrCE02IgdDB248nSlS7Im6kZg6t
    7UGfBrjoVuM80RpduGUSO9Jy6XoVjOWd0RpFqVSXOMd/wOLIROag+KuA0pKBsWB5
    6VxtUc61xKrbxGYr3mib6CHCVwKBgQC6ge+yBoR5C6c6b/gv0LmUAB7bQM0x6geu
    kH5QyFmiLvUu2X/74LjUH80r9E7aXnSBhkg7sUsP1iaVtghjfnyhh/Bt1a5i2HVs
    OScrXhlKlJEG9B6fE2YsqGD6KVtN/OAj2Zgq3y6WvgZkcfZ77e+N+r6BmPuUGA0o
    6u+82jsDlwKBgBgAMIs13LCgcWIpjsGv8x5AIUqyZQLHO16ffI4SciRPl6NB0ebZ
    6JGVyqhzGkPwADcAAps4OmnK5YnVyKdk5BtSo5IO7snfSer8oKzK2/8lSEZTk4m0
    dhNs2UWbEdSR5vNUREK/7ugAASR35Mi2b8M7WHecbAse2baJg4HX72JJAoGAVhnM
    PURy/aqajgjI69IRCjkwBYoZ8JQY7ca4+bQ0ZQIGoJU6V158FTmFL2h+yqLWaEFE
    sYH8pBf6Ah1iLARlpvCp1xrRgcJqGwcbhRLQ3DRP64ThahC7l5w4AOT8yLkYBJTc
    gdY8nMynCNHvt3C1qbb7IbstUUX1NVGYUXfxzIsCgYEAg/J/y24bOCZDONCKPcXM
    Ese5TwQMsY5nWjybveuh1zE7K+EBVysADAV1c0lbKapDmXAgLEYcZ2z4PnTj4+TA
    R3rednPnPANJF6Hwc8WkYAUjfTa+tF9RFhTmxW5hH79a176u+s53XjdE051zrfnC
    +DPYmsCR+p+XiHiCXtjCRF4=
    -----END PRIVATE KEY-----
    """

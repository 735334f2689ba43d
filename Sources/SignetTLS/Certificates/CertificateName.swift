import Crypto

/// How a message names a certificate that it does not bring (X.509 Certificate Token Profile 1.1 §3.2).
package enum CertificateName: Sendable, Hashable {
    /// The SHA-1 of the certificate.
    case thumbprint([UInt8])
    /// The value of the extension of this name.
    case subjectKeyIdentifier([UInt8])
    /// The serial number, in decimal digits. The issuer beside it has no form that all programs agree on.
    case serialNumber(String)

    package func names(_ certificate: EncodedCertificate) -> Bool {
        switch self {
        case .thumbprint(let bytes): certificate.thumbprint == bytes
        case .subjectKeyIdentifier(let bytes): certificate.subjectKeyIdentifier == bytes
        case .serialNumber(let digits): certificate.decimalSerialNumber == digits
        }
    }
}

extension EncodedCertificate {
    /// The SHA-1 of the certificate, which names one among others, and protects nothing.
    package var thumbprint: [UInt8] { Array(Insecure.SHA1.hash(data: der)) }

    /// The value of the extension (RFC 5280 §4.2.1.2); nil when the certificate has none.
    package var subjectKeyIdentifier: [UInt8]? { (try? content?.subjectKeyIdentifier()).map(Array.init) }

    /// The issuer and the serial number, as XML Signature writes them (XML Signature 1.1 §4.5.4); nil when one cannot be written.
    package var issuerSerial: (issuer: String, serialNumber: String)? {
        // A name that is too long to be shown is cut off.
        guard let issuer, !issuer.isEmpty, !issuer.contains("…"), let decimalSerialNumber else { return nil }
        return (issuer, decimalSerialNumber)
    }

    /// The serial number in decimal digits, as XML Signature writes it (XML Signature 1.1 §4.5.4); nil when it is negative.
    var decimalSerialNumber: String? {
        guard let serialNumber, serialNumber.first.map({ $0 < 0x80 }) == true else { return nil }
        // The least significant digit first. Certificates have at most some tens of bytes here.
        var digits: [UInt16] = [0]
        for byte in serialNumber.prefix(64) {
            var carry = UInt16(byte)
            for position in digits.indices {
                let value = digits[position] * 256 + carry
                digits[position] = value % 10
                carry = value / 10
            }
            while carry > 0 {
                digits.append(carry % 10)
                carry /= 10
            }
        }
        return String(digits.reversed().map { Character(String($0)) })
    }
}

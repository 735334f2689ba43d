import Foundation
import Signet
import Testing

extension Identity {
    /// Bytes of the private key that must be found nowhere. On P-256 they stand behind version and tag (RFC 5915 §3); of a longer
    /// key, which is one of RSA, they are among the last numbers, which are secret (RFC 8017 §A.1.2).
    var secretBytes: Data {
        get throws {
            let text = String(decoding: try pem(password: nil), as: UTF8.self)
            let body = text.split(separator: "-----").dropFirst().first.map { String($0) } ?? ""
            let bytes = try #require(Data(base64Encoded: body, options: .ignoreUnknownCharacters))
            if bytes.count > 1000 { return Data(bytes.suffix(300).prefix(32)) }
            let mark = try #require(bytes.firstRange(of: Data([0x02, 0x01, 0x01, 0x04, 0x20])))
            return Data(bytes[mark.upperBound..<mark.upperBound + 32])
        }
    }
}

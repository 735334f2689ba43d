import Foundation
import Signet
import Testing

extension Identity {
    /// The bytes of a private key on P-256 that must be found nowhere: they stand behind version and tag (RFC 5915 §3).
    var secretBytes: Data {
        get throws {
            let text = String(decoding: try pem(password: nil), as: UTF8.self)
            let body = text.split(separator: "-----").dropFirst().first.map { String($0) } ?? ""
            let bytes = try #require(Data(base64Encoded: body, options: .ignoreUnknownCharacters))
            let mark = try #require(bytes.firstRange(of: Data([0x02, 0x01, 0x01, 0x04, 0x20])))
            return Data(bytes[mark.upperBound..<mark.upperBound + 32])
        }
    }
}

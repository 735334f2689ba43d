import Foundation
import SignetTLS

extension MasterKey {
    static func decode(_ text: String) -> SecretBytes? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if text.utf8.count == 2 * byteCount { return Text.bytes(hexadecimal: text).map { SecretBytes($0) } }
        return Data(base64Encoded: text).map { SecretBytes($0) }
    }

    /// The key in hexadecimal with a line end, as in a key file.
    var fileContent: [UInt8] { Array((Text.hexadecimal(secret.bytes) + "\n").utf8) }
}

import Crypto
package import SignetTLS
package import SignetXML

extension EncryptedKey {
    /// Decrypts the key.
    ///
    /// - Parameter key: that of the recipient.
    package func unwrapped(with key: KeyPair) -> ContentKey {
        switch method {
        case .transport(let hash): ContentKey(bytes: key.decrypted(value, hash))
        case .agreement(let agreement, let size): ContentKey(bytes: unwrapped(with: key, agreement, size))
        }
    }

    private func unwrapped(with key: KeyPair, _ agreement: EncryptedKeyAgreement, _ size: Int) -> [UInt8]? {
        guard let secret = key.sharedSecret(with: agreement.point, agreement.curve) else { return nil }
        let wrapping = ConcatenationKDF.key(secret, agreement.information, agreement.hash, size: size)
        guard let key = try? AES.KeyWrap.unwrap(value, using: SymmetricKey(data: wrapping)) else { return nil }
        return unsafe key.withUnsafeBytes(Array.init)
    }
}

/// The key of the content of one message. Nothing that prints it shows the key.
package struct ContentKey: Sendable {
    /// Nil for a key that could not be decrypted.
    private let bytes: [UInt8]?

    fileprivate init(bytes: [UInt8]?) { self.bytes = bytes }

    /// A new key.
    package init(for content: ContentEncryption) { bytes = .random(content.keySize) }

    /// The key for a content.
    ///
    /// When the key could not be decrypted or has another size, a random one takes its place, so that an attacker who sends messages
    /// does not learn which part of them was wrong (RFC 3218 §2.3.2).
    func bytes(for content: ContentEncryption) -> [UInt8] {
        let other = [UInt8].random(content.keySize)
        guard let bytes, bytes.count == content.keySize else { return other }
        return bytes
    }
}

extension ContentKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "ContentKey(hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension EncryptedContent {
    /// What is encrypted; nil for whatever reason it cannot be decrypted, or is neither an element nor content of one.
    ///
    /// - Parameter limits: those of the document around it.
    package func decrypted(with key: ContentKey, limits: XMLLimits) -> [UInt8]? {
        let (plain, isValid) = method.opened(value, key: key.bytes(for: method))
        // Also after a wrong padding, so that the work is the same.
        return isWellFormed(plain, limits) && isValid ? plain : nil
    }

    /// What takes the place of content that cannot be decrypted.
    package var decoy: [UInt8] {
        let blanks = method.decoy(for: value)
        return isElement ? Array("<decoy>".utf8) + blanks + Array("</decoy>".utf8) : blanks
    }

    /// Whether `plain` can stand where it was encrypted: otherwise it could end the element around it, and begin another one.
    private func isWellFormed(_ plain: [UInt8], _ limits: XMLLimits) -> Bool {
        let declarations = namespaces.filter { $0.key != "xml" }.map { prefix, uri in
            " xmlns\(prefix.isEmpty ? "" : ":" + prefix)=\"\(uri.escapedForAttribute)\""
        }
        let document = Array("<around\(declarations.joined())>".utf8) + plain + Array("</around>".utf8)
        do {
            return try XMLReader.read(document, limits: limits) { reader throws in
                try reader.root()
                guard isElement else {
                    try reader.skipElement()
                    try reader.finish()
                    return true
                }
                guard try reader.nextChild() else { return false }
                try reader.skipElement()
                guard try !reader.nextChild() else { return false }
                try reader.finish()
                return true
            }
        } catch { return false }
    }
}

extension String {
    fileprivate var escapedForAttribute: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&", "<", ">", "\"", "\t", "\n", "\r": text += "&#\(scalar.value);"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// The attributes of messages (RFC 8894 §3.2.1).
package enum SCEPAttribute {
    private static let arc = "2.16.840.1.113733.1.9."
    package static let messageType = arc + "2"
    package static let status = arc + "3"
    package static let failure = arc + "4"
    package static let senderNonce = arc + "5"
    package static let recipientNonce = arc + "6"
    package static let transaction = arc + "7"
    package static let failureText = "1.3.6.1.5.5.7.24.1"

    /// 16 random bytes (RFC 8894 §3.2.1.5).
    package static func newNonce() -> [UInt8] { .random(16) }
}

/// What a message is (RFC 8894 §3.2.1.2).
package enum SCEPMessageType: String, Sendable {
    case answer = "3"
    case renewal = "17"
    case request = "19"
    case poll = "20"
}

extension SignedMessage {
    /// The bytes of an attribute that is a string of characters or bytes; nil when the message does not have it.
    package func bytes(_ type: String) -> [UInt8]? { attributes.first { $0.type == type }?.bytes }

    /// The text of an attribute; nil when the message does not have it.
    package func text(_ type: String) -> String? { bytes(type).map { String(decoding: $0, as: UTF8.self) } }
}

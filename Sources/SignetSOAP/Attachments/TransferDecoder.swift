/// The transfer encoding of a part (RFC 2045 §6).
package enum TransferEncoding: Sendable, Hashable {
    /// No encoding: 7bit, 8bit and binary.
    case identity
    case base64
    case quotedPrintable

    /// - Parameter name: the name in upper or lower case; empty when the field is absent.
    init?(named name: String) {
        switch name.lowercased() {
        case "", "7bit", "8bit", "binary": self = .identity
        case "base64": self = .base64
        case "quoted-printable": self = .quotedPrintable
        default: return nil
        }
    }
}

/// Removes a transfer encoding from content that arrives in pieces.
struct TransferDecoder: Sendable {
    private let encoding: TransferEncoding
    /// For base64: the bits of an incomplete group, and the number of characters that they come from.
    private var bits: UInt32 = 0
    private var characters = 0
    /// For base64: the padding of the last group.
    private var padding = 0
    /// For quoted-printable: an incomplete escape, or white space that is content only if the line continues.
    private var held: [UInt8] = []

    init(_ encoding: TransferEncoding) { self.encoding = encoding }

    /// - Returns: the bytes that are complete.
    mutating func decode(_ bytes: ArraySlice<UInt8>) throws(AttachmentError) -> ArraySlice<UInt8> {
        switch encoding {
        case .identity: bytes
        case .base64: try base64(bytes)
        case .quotedPrintable: try quotedPrintable(bytes)
        }
    }

    /// - Returns: the bytes that were waiting for more.
    mutating func finish() throws(AttachmentError) -> ArraySlice<UInt8> {
        switch encoding {
        case .identity: return []
        case .base64:
            guard (characters + padding) % 4 == 0 else {
                throw Self.malformed("base64", "its last group is not complete")
            }
            return []
        case .quotedPrintable:
            // The line break after a `=` belongs to the boundary. White space at the end of a line was added in
            // transit.
            let isEscape = held.first == UInt8(ascii: "=")
            if isEscape, held.dropFirst().contains(where: { $0.hexDigit != nil }) {
                throw Self.malformed("quoted-printable", "it ends within an escape")
            }
            return held.last == UInt8(ascii: "\r") && !isEscape ? held[...] : []
        }
    }

    private static func malformed(_ encoding: String, _ what: String) -> AttachmentError {
        AttachmentError(.malformedContent, "The content of a part is no \(encoding): \(what).")
    }

    // MARK: base64 (RFC 2045 §6.8)

    private mutating func base64(_ bytes: ArraySlice<UInt8>) throws(AttachmentError) -> ArraySlice<UInt8> {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count / 4 * 3 + 3)
        for byte in bytes {
            let value = Self.values[Int(byte)]
            if value < 64 {
                guard padding == 0 else { throw Self.malformed("base64", "it continues after its padding") }
                bits = bits << 6 | UInt32(value)
                characters += 1
                if characters == 4 {
                    result.append(UInt8(truncatingIfNeeded: bits >> 16))
                    result.append(UInt8(truncatingIfNeeded: bits >> 8))
                    result.append(UInt8(truncatingIfNeeded: bits))
                    (bits, characters) = (0, 0)
                }
            } else if byte == UInt8(ascii: "=") {
                padding += 1
                guard characters >= 2, characters + padding <= 4 else {
                    throw Self.malformed("base64", "a “=” is not at the end of a group")
                }
                if characters + padding == 4 {
                    result.append(UInt8(truncatingIfNeeded: bits >> (characters == 3 ? 10 : 4)))
                    if characters == 3 { result.append(UInt8(truncatingIfNeeded: bits >> 2)) }
                }
            } else if value != Self.space {
                throw Self.malformed("base64", "it holds the byte \(byte)")
            }
        }
        return result[...]
    }

    private static let space: UInt8 = 64
    /// The value of each character; 64 for white space, 255 for others.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, character) in alphabet.utf8.enumerated() { values[Int(character)] = UInt8(value) }
        for character in " \t\r\n".utf8 { values[Int(character)] = space }
        return values
    }()

    // MARK: quoted-printable (RFC 2045 §6.7)

    private mutating func quotedPrintable(_ bytes: ArraySlice<UInt8>) throws(AttachmentError) -> ArraySlice<UInt8> {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            if held.first == UInt8(ascii: "=") {
                try escaped(byte, &result)
            } else {
                plain(byte, &result)
            }
        }
        return result[...]
    }

    private mutating func plain(_ byte: UInt8, _ result: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"):
            if held.last == UInt8(ascii: "\r") { release(&result) }
            held.append(byte)
            // Lines have 76 characters at most; more spaces than this are content.
            if held.count > 1000 { release(&result) }
        case UInt8(ascii: "\r"):
            // The white space before it is not content if a line ends here.
            if held.last == UInt8(ascii: "\r") { release(&result) }
            held.append(byte)
        case UInt8(ascii: "\n"):
            if held.last == UInt8(ascii: "\r") { result.append(UInt8(ascii: "\r")) }
            result.append(byte)
            held.removeAll(keepingCapacity: true)
        case UInt8(ascii: "="):
            release(&result)
            held.append(byte)
        default:
            release(&result)
            result.append(byte)
        }
    }

    private mutating func release(_ result: inout [UInt8]) {
        result += held
        held.removeAll(keepingCapacity: true)
    }

    private mutating func escaped(_ byte: UInt8, _ result: inout [UInt8]) throws(AttachmentError) {
        if byte == UInt8(ascii: "\n") {
            held.removeAll(keepingCapacity: true)
        } else if let digit = byte.hexDigit {
            if held.count == 1 {
                held.append(byte)
            } else if held.count == 2, let high = held[1].hexDigit {
                result.append(high << 4 | digit)
                held.removeAll(keepingCapacity: true)
            } else {
                throw Self.malformed("quoted-printable", "text follows the “=” at a line's end")
            }
        } else if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r"),
            held.last?.hexDigit == nil, held.last != UInt8(ascii: "\r"), held.count < 1000
        {
            held.append(byte)
        } else {
            throw Self.malformed("quoted-printable", "“=” begins no valid escape")
        }
    }
}

/// A slow and simple reference implementation of encodings.
enum Form: CaseIterable {
    case utf8, latin1, windows, ascii, utf16, littleEndian, bigEndian

    var name: String {
        switch self {
        case .utf8: "UTF-8"
        case .latin1: "ISO-8859-1"
        case .windows: "windows-1252"
        case .ascii: "US-ASCII"
        case .utf16, .littleEndian, .bigEndian: "UTF-16"
        }
    }

    var declaration: String { "<?xml version='1.0' encoding='\(name)'?>\n" }

    /// Whether only the encoding's name identifies it, not the bytes of the document.
    var needsName: Bool { self == .latin1 || self == .windows || self == .ascii }

    var mark: [UInt8] {
        switch self {
        case .littleEndian: [0xFF, 0xFE]
        case .bigEndian, .utf16: [0xFE, 0xFF]
        default: []
        }
    }

    /// The text of the input's bytes; nil when they are not valid in the encoding.
    func decode(_ bytes: [UInt8]) -> String? {
        switch self {
        case .latin1: String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        case .windows:
            // Five bytes encode no character.
            String(
                String.UnicodeScalarView(
                    bytes.filter { ![0x81, 0x8D, 0x8F, 0x90, 0x9D].contains($0) }.map {
                        Self.windowsScalars[$0] ?? Unicode.Scalar($0)
                    }))
        case .ascii: bytes.allSatisfy { $0 < 0x80 } ? String(decoding: bytes, as: UTF8.self) : nil
        default: String(decoding: bytes, as: UTF8.self)
        }
    }

    func encode(_ text: String) -> [UInt8] {
        switch self {
        case .utf8, .ascii: Array(text.utf8)
        case .latin1: text.unicodeScalars.map { UInt8($0.value) }
        case .windows:
            text.unicodeScalars.map { scalar in
                Self.windowsScalars.first { $0.value == scalar }?.key ?? UInt8(scalar.value)
            }
        case .littleEndian: text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        case .utf16, .bigEndian: text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        }
    }

    private static let windowsScalars: [UInt8: Unicode.Scalar] = [
        0x80: "€", 0x82: "‚", 0x83: "ƒ", 0x84: "„", 0x85: "…", 0x86: "†", 0x87: "‡", 0x88: "ˆ", 0x89: "‰", 0x8A: "Š",
        0x8B: "‹", 0x8C: "Œ", 0x8E: "Ž", 0x91: "‘", 0x92: "’", 0x93: "“", 0x94: "”", 0x95: "•", 0x96: "–", 0x97: "—",
        0x98: "˜", 0x99: "™", 0x9A: "š", 0x9B: "›", 0x9C: "œ", 0x9E: "ž", 0x9F: "Ÿ",
    ]
}

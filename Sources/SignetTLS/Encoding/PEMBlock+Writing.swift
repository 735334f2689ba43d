extension PEMBlock {
    /// A block in the form of RFC 7468 §2: lines of 64 characters.
    static func text(_ label: String, _ der: [UInt8]) -> String {
        var text = "-----BEGIN \(label)-----\n"
        var rest = Text.base64(der)[...]
        while !rest.isEmpty {
            text += rest.prefix(64) + "\n"
            rest = rest.dropFirst(64)
        }
        return text + "-----END \(label)-----\n"
    }
}

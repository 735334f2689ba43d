extension XMLReader {
    /// The local names of the first elements directly inside the one whose start tag was read last. This looks ahead
    /// without moving the reader, and checks nothing.
    ///
    /// - Parameter limit: the greatest number of names.
    package func childNamesAhead(limit: Int) -> [String] {
        guard !selfClosed else { return [] }
        var names: [String] = []
        var depth = 0
        var from = p
        while names.count < limit, let tag = find("<", from: from), end - tag > 1 {
            let found: UnsafePointer<UInt8>?
            switch tag[1] {
            case UInt8(ascii: "/"):
                guard depth > 0 else { return names }
                depth -= 1
                found = find(">", from: tag)
            case UInt8(ascii: "?"): found = find("?>", from: tag)
            case UInt8(ascii: "!"):
                found = starts(with: "<!--", at: tag) ? find("-->", from: tag + 4) : find("]]>", from: tag)
            default:
                if depth == 0 { names.append(localNameAhead(tag + 1)) }
                found = endOfTagAhead(tag)
                if let found, found[-1] != UInt8(ascii: "/") { depth += 1 }
            }
            guard let close = found else { return names }
            from = close + 1
        }
        return names
    }

    private func localNameAhead(_ name: UnsafePointer<UInt8>) -> String {
        var local = name
        var q = name
        while q < end, q[0] > 0x20, q[0] != UInt8(ascii: ">"), q[0] != UInt8(ascii: "/") {
            if q[0] == UInt8(ascii: ":") { local = q + 1 }
            q += 1
        }
        return string(local, min(q - local, 80))
    }

    /// The `>` of a start tag; one in the value of an attribute does not count.
    private func endOfTagAhead(_ tag: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
        var quote: UInt8?
        var q = tag + 1
        while q < end {
            let byte = q[0]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return q
            }
            q += 1
        }
        return nil
    }
}

public import SignetXML

extension HostileDocument {
    /// What is wrong with what a reading made of the document; nil when nothing is.
    ///
    /// - Parameter made: the document's bytes, when they have been made before.
    public func complaint(_ reading: HostileReading, made: [UInt8]? = nil) -> String? {
        let bytes = made ?? bytes
        let outcome = Result { () throws(XMLError) in try read(reading, bytes) }
        let before = reading.isNested ? HostileReading.before : []
        return complaint(about: outcome, of: bytes, behind: before, hasShape: reading.hasShape).map {
            "\(reading): \($0)"
        }
    }

    /// What is wrong with a judgement about the document; nil when nothing is.
    ///
    /// - Parameters:
    ///   - made: the document's bytes, when they have been made before.
    ///   - before: what stood before the document.
    ///   - hasShape: whether a type had no place for all that stands in the document.
    public func complaint(
        about outcome: Result<Void, XMLError>, of made: [UInt8]? = nil, behind before: [UInt8] = [],
        hasShape: Bool = false
    ) -> String? {
        let error: XMLError? = if case .failure(let error) = outcome { error } else { nil }
        switch verdict {
        case .accepted:
            guard let error, !(hasShape && error.code.isAboutShape) else { return nil }
            return "refused, though it is well-formed: \(error)"
        case .refused(let code, let offset):
            guard let error else { return "accepted; expected: \(code) at \(offset)" }
            let offset = before.count + offset
            if hasShape && error.code.isAboutShape && error.offset <= offset { return nil }
            guard error.code == code, error.offset == offset else {
                return "expected: \(code) at \(offset), got: \(error.code) at \(error.offset): \(error)"
            }
            let place = position ?? Self.place(of: offset, in: before + (made ?? bytes))
            return place == (error.line, error.column)
                ? nil : "expected: line \(place.line), column \(place.column), got: \(error)"
        }
    }

    /// Reads the document.
    ///
    /// - Parameter made: the document's bytes.
    public func read(_ reading: HostileReading, _ made: [UInt8]) throws(XMLError) {
        try reading.read(made, limits: limits, charset: charset, doctype: doctype)
    }

    /// Whether a reading by a table comes as far as the defect.
    public func isMet(by reading: HostileReading) -> Bool {
        do throws(XMLError) { try read(reading, bytes) } catch { return !error.code.isAboutShape }
        return false
    }

    /// Line and column of an offset, both from 1; a byte-order mark at the start has no column.
    static func place(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
        var before = bytes[..<offset]
        if before.starts(with: [0xEF, 0xBB, 0xBF]) { before = before.dropFirst(3) }
        let isLineEnd = { (index: Int) in
            bytes[index] == 0x0A || (bytes[index] == 0x0D && !(index + 1 < bytes.count && bytes[index + 1] == 0x0A))
        }
        let lastEnd = before.indices.last(where: isLineEnd)
        let lines = before.indices.count(where: isLineEnd)
        let column = before[(lastEnd.map { $0 + 1 } ?? before.startIndex)...].count { $0 & 0xC0 != 0x80 }
        return (lines + 1, column + 1)
    }
}

extension XMLError.Code {
    /// Whether it says that the content is not what a type asks for, or more than may be kept, not that it is no XML.
    var isAboutShape: Bool { [.unexpected, .missing, .duplicate, .invalidValue, .documentTooLarge].contains(self) }
}

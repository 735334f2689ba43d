extension XMLFramer {
    /// The events of a framer for a document that arrives split at `splits`, one line for each event, the error last.
    /// Tests use it to compare many ways of splitting.
    ///
    /// - Parameter splits: the positions where pieces end, in any order; positions outside the document are ignored.
    package static func events(
        of document: [UInt8], splits: [Int], path: [XMLName], limits: XMLLimits = .init(), elementBytes: Int = 1 << 20
    ) -> [String] {
        var framer = XMLFramer(path: path, limits: limits, elementBytes: elementBytes)
        var lines: [String] = []
        func drain() throws(XMLError) {
            while let event = try framer.next() { lines.append(event.line) }
        }
        do {
            var begin = 0
            for end in splits.filter({ $0 > 0 && $0 < document.count }).sorted() + [document.count] {
                framer.push(Array(document[begin..<end]))
                begin = end
                try drain()
            }
            framer.finish()
            try drain()
        } catch {
            lines.append("\(error.code) \(error)")
        }
        return lines
    }
}

extension XMLFramer.Event {
    fileprivate var line: String {
        let (name, excerpt) =
            switch self {
            case .opening(let excerpt): ("opening", excerpt)
            case .element(let excerpt): ("element", excerpt)
            case .remainder(let excerpt): ("remainder", excerpt)
            }
        let declarations = excerpt.declarationsInScope.map { "\($0.prefix)=\($0.uri)" }.joined(separator: " ")
        let text = String(decoding: excerpt.bytes, as: UTF8.self)
        return "\(name) \(excerpt.offset) \(excerpt.line):\(excerpt.column) [\(declarations)] \(text)"
    }
}

import Testing

@testable import SignetXML

/// What reading a document has shown: tokens outside of the repeated elements, tokens of each of those, and the first
/// defect.
struct FramingTrace: Equatable, CustomStringConvertible {
    var outside: [String] = []
    var elements: [[String]] = []
    var defect: Defect?

    struct Defect: Equatable {
        var code: XMLError.Code
        var offset: Int
        var line: Int
        var column: Int
        var path: String

        init(_ error: XMLError) {
            (code, offset, line, column, path) = (error.code, error.offset, error.line, error.column, error.path)
        }
    }

    var description: String { "\(outside) \(elements) \(defect.map { "\($0)" } ?? "-")" }

    /// The whole document read at once.
    static func whole(_ document: [UInt8], path: [XMLName], limits: XMLLimits = .init()) -> FramingTrace {
        var trace = FramingTrace()
        do {
            try XMLReader.read(document, limits: limits) { (reader) throws(XMLError) in
                var matched = 0
                while true {
                    let before = reader.depth
                    let token = try reader.next()
                    guard token != .endOfDocument else { return }
                    if token == .startElement, matched == before, before < path.count, reader.isElement(path[before]) {
                        matched += 1
                    }
                    let line = try describe(token, &reader)
                    if matched == path.count, path.count > 1 {
                        if token == .startElement, before == path.count - 1 { trace.elements.append([]) }
                        if let line { trace.elements[trace.elements.count - 1].append(line) }
                    } else if let line {
                        trace.outside.append(line)
                    }
                    matched = min(matched, reader.depth)
                }
            }
        } catch {
            trace.defect = Defect(error)
        }
        return trace
    }

    /// The document taken apart; every excerpt is read at once.
    static func framed(
        _ document: [UInt8], splits: [Int] = [], path: [XMLName], limits: XMLLimits = .init(),
        elementBytes: Int = 1 << 20
    ) -> FramingTrace {
        var framer = XMLFramer(path: path, limits: limits, elementBytes: elementBytes)
        var trace = FramingTrace()
        func drain() throws(XMLError) {
            while let event = try framer.next() {
                switch event {
                case .opening(let excerpt): _ = try read(excerpt)
                case .element(let excerpt): trace.elements.append(try read(excerpt))
                case .remainder(let excerpt): trace.outside = try read(excerpt)
                }
            }
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
            trace.defect = Defect(error)
        }
        return trace
    }

    private static func read(_ excerpt: XMLExcerpt) throws(XMLError) -> [String] {
        try XMLReader.read(excerpt) { (reader) throws(XMLError) in
            var lines: [String] = []
            while true {
                let token = try reader.next()
                guard token != .endOfDocument else { return lines }
                if let line = try describe(token, &reader) { lines.append(line) }
            }
        }
    }

    /// White space between two repeated elements is not kept, so that none is compared.
    private static func describe(
        _ token: XMLReader.Token, _ reader: inout XMLReader
    ) throws(XMLError) -> String? {
        switch token {
        case .startElement:
            let attributes = reader.allAttributes().map { " {\($0.namespaceURI)}\($0.name)=\($0.value)" }
            return "<{\(reader.namespaceURI)}\(reader.elementName)\(attributes.joined())>"
        case .endElement: return "</>"
        case .text: return reader.currentTextIsSpace ? nil : try reader.currentText()
        case .endOfDocument: return nil
        }
    }

    private static func survey(_ document: [UInt8]) -> Int? {
        document.withUnsafeBufferPointer { bytes in
            bytes.baseAddress.flatMap { XMLCharacters.survey($0, bytes.count).defect }
        }
    }

    /// Why the framed reading of a document is not what it should be; nil when it is.
    static func difference(_ document: [UInt8], splits: [Int] = [], path: [XMLName]) -> String? {
        let whole = whole(document, path: path)
        let framed = framed(document, splits: splits, path: path)
        if whole.defect == nil || framed.defect == nil {
            return whole == framed ? nil : "whole \(whole)\nframed \(framed)"
        }
        if whole.defect == framed.defect { return nil }
        // What begins as UTF-16 does is only read as a whole.
        let encoding = document.withUnsafeBufferPointer { XMLEncoding.signature(of: $0).encoding }
        if framed.defect?.code == .unsupportedEncoding, encoding?.isUTF16 == true { return nil }
        // The whole reader looks at all bytes first; taken apart, a defect before the byte comes first.
        var repaired = document
        var first: Int?
        while let at = survey(repaired) {
            first = first ?? at
            repaired[at] = UInt8(ascii: "?")
        }
        if let first, whole.defect?.offset == first, let found = framed.defect, found.offset < first {
            let other = Self.whole(repaired, path: path)
            if other.defect == found { return nil }
        }
        return "whole \(whole)\nframed \(framed)"
    }
}

/// A small generator that gives the same numbers for the same seed (splitmix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// Reads the content of one element of `xs:base64Binary`, which may be of any length.
package struct XMLContentCollector: XMLPieceCollector {
    private var framer: XMLFramer
    private var decoder = XSDBase64Decoder()
    /// Where the received content ends.
    private var end = XMLPlace()
    /// The names of the element and of those around it, as written.
    private var path = ""

    package var deviations: [XMLDeviation] { [] }

    /// - Parameters:
    ///   - path: the names of the element and its ancestors from the root. A second such element is refused.
    ///   - limits: the limits of a reader, for everything outside the content.
    ///   - charset: the encoding that the transport names; nil when it names none.
    package init(path: [XMLName], limits: XMLLimits, charset: String?) {
        framer = XMLFramer(contentOf: path, limits: limits, charset: charset)
    }

    package mutating func push(_ bytes: [UInt8]) { framer.push(bytes) }

    package mutating func finish() { framer.finish() }

    package mutating func next(into values: inout [[UInt8]]) throws -> XMLPieceEvent? {
        while let event = try framer.next() {
            switch event {
            case .opening(let excerpt):
                if framer.stage != .whole { return .opening(excerpt) }
            case .element(let excerpt):
                var bytes: [UInt8] = []
                let damage = decoder.decode(excerpt.bytes, into: &bytes)
                if path.isEmpty { path = framer.openPath }
                end = excerpt.place(of: damage ?? excerpt.bytes.endIndex)
                if !bytes.isEmpty { values.append(bytes) }
                if damage != nil {
                    throw defect("this is not base64; it may have white space anywhere and padding at the end.")
                }
            case .remainder(let excerpt):
                guard decoder.isWhole else { throw defect("the base64 ends in the middle of a group of four letters.") }
                return .remainder(excerpt)
            }
        }
        return nil
    }

    private func defect(_ message: String) -> XMLError {
        XMLError(
            .invalidValue, message, offset: end.offset, line: end.line, column: end.column, path: path)
    }
}

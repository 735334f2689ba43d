/// A document with its document type declaration applied: the declaration is removed, references to its entities are
/// replaced, and its attributes are applied (XML 1.0 §3.3, §4.4).
struct XMLExpansion {
    /// A changed part of the document.
    struct Replacement {
        /// Its range in the result.
        var output: Range<Int>
        /// Its range in the document.
        var source: Range<Int>
    }

    /// The original document; it must stay at its address.
    let source: UnsafeBufferPointer<UInt8>
    /// The bytes to read in place of the document.
    let bytes: [UInt8]
    /// The replacements, in the order of the document.
    let replacements: [Replacement]
    /// Why the document cannot be expanded further than ``bytes``; its offset refers to the document. The reader
    /// reports it at the end of ``bytes`` if it has found no defect before.
    let failure: XMLError?

    /// The position in the document of an offset in ``bytes``; inside a replacement, the position where the original
    /// begins.
    func place(of offset: Int) -> Int {
        var low = 0
        var high = replacements.count
        while low < high {
            let middle = low + (high - low) / 2
            if replacements[middle].output.lowerBound <= offset { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return offset }
        let last = replacements[low - 1]
        if offset < last.output.upperBound { return last.source.lowerBound }
        // After half a value, which is no replacement yet, it could be beyond the end.
        return min(last.source.upperBound + offset - last.output.upperBound, source.count)
    }

    /// Applies the document type declaration of a document in UTF-8, without a byte-order mark; nil when the document
    /// has none, or cannot be read anyway because of its size or its bytes.
    ///
    /// Defects that a reader finds without the declaration are left to the reader.
    static func expand(_ bytes: UnsafeBufferPointer<UInt8>, limits: XMLLimits) -> XMLExpansion? {
        guard let doctype = doctype(in: bytes), bytes.count <= limits.documentBytes, let start = bytes.baseAddress,
            XMLCharacters.survey(start, bytes.count).defect == nil
        else { return nil }
        var parser = DoctypeParser(bytes, at: doctype, limits: limits)
        do throws(XMLError) { try parser.parse() } catch {
            return XMLExpansion(source: bytes, bytes: Array(bytes[..<doctype]), replacements: [], failure: error)
        }
        return parser.declarations.texts.withUnsafeBufferPointer { texts in
            var expander = ContentExpander(parser, doctype: doctype, texts: texts)
            let failure = expander.run()
            return XMLExpansion(
                source: bytes, bytes: expander.output, replacements: expander.replacements, failure: failure)
        }
    }

    /// Where `<!DOCTYPE` begins: after an XML declaration, comments, processing instructions and white space.
    private static func doctype(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var cursor = MarkupCursor(bytes: bytes)
        while true {
            cursor.skipSpace()
            if cursor.starts(with: "<!DOCTYPE") { return cursor.position }
            if cursor.skip("<?") {
                guard cursor.move(to: "?>") else { return nil }
                cursor.position += 2
            } else if cursor.skip("<!--") {
                guard cursor.move(to: "-->") else { return nil }
                cursor.position += 3
            } else {
                return nil
            }
        }
    }
}

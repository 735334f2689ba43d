/// A document whose document type declaration has been carried out: the declaration is gone, references to its entities are
/// replaced, and its attributes are applied (XML 1.0 §3.3, §4.4).
struct XMLExpansion {
    /// Something of the document that is not as it was.
    struct Replacement {
        /// Where it stands now.
        var output: Range<Int>
        /// What it stands for.
        var source: Range<Int>
    }

    /// The document as it was; it must stay where it is.
    let source: UnsafeBufferPointer<UInt8>
    /// What is to be read in place of the document.
    let bytes: [UInt8]
    /// In the order of the document.
    let replacements: [Replacement]
    /// Why the document cannot be carried out further than ``bytes``; its offset counts in the document. The reader reports it
    /// when it has come to the end of ``bytes`` and has met no defect before.
    let failure: XMLError?

    /// Leads a place in ``bytes`` back to the document; inside a replacement to where that begins.
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
        // Behind half a value, which is no replacement yet, it could lie beyond the end.
        return min(last.source.upperBound + offset - last.output.upperBound, source.count)
    }

    /// Carries out the document type declaration of a document in UTF-8, without a byte-order mark; nil when it has none, or
    /// cannot be read anyway for its size or its bytes.
    ///
    /// A defect that a reader finds without the declaration is left to the reader.
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

    /// Where `<!DOCTYPE` begins: behind an XML declaration, comments, processing instructions and white space.
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

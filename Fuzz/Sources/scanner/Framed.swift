import SignetXML
import Support

/// The result of a framer for a document in pieces.
struct Framed {
    var opening: Excerpt?
    var elements: [Excerpt] = []
    var remainder: Excerpt?
    var error: XMLError?

    struct Excerpt {
        /// The place, the namespace declarations in scope, and the bytes.
        var text: String
        var trace: Trace

        init(_ excerpt: XMLExcerpt) {
            let declarations = excerpt.declarationsInScope.map { "\($0.prefix)=\($0.uri)" }.joined(separator: " ")
            let bytes = String(decoding: excerpt.bytes, as: UTF8.self)
            text = "\(excerpt.offset) \(excerpt.line):\(excerpt.column) [\(declarations)] \(bytes)"
            trace = Trace(excerpt)
        }
    }

    init(_ pieces: [[UInt8]], _ path: [XMLName]) {
        var framer = XMLFramer(path: path)
        do throws(XMLError) {
            for piece in pieces {
                framer.push(piece)
                try take(from: &framer)
            }
            framer.finish()
            try take(from: &framer)
            require(framer.isComplete, "a framer waits for more behind the end")
        } catch {
            self.error = error
            do throws(XMLError) {
                _ = try framer.next()
                fatalError("a framer goes on behind its defect: \(error)")
            } catch let later {
                require(isSame(later, error), "a framer's defect has changed: \(error), then \(later)")
            }
        }
    }

    private mutating func take(from framer: inout XMLFramer) throws(XMLError) {
        while let event = try framer.next() {
            switch event {
            case .opening(let excerpt):
                require(opening == nil && elements.isEmpty, "an opening comes late")
                opening = Excerpt(excerpt)
            case .element(let excerpt):
                require(opening != nil && remainder == nil, "an element stands outside")
                elements.append(Excerpt(excerpt))
            case .remainder(let excerpt):
                require(remainder == nil, "a remainder comes twice")
                remainder = Excerpt(excerpt)
            }
        }
    }
}

/// The white space that indents an element inside the one around it.
public struct XMLIndentation: Sendable, Hashable {
    let bytes: [UInt8]

    /// This many spaces for each level, sixteen at most.
    public static func spaces(_ count: Int) -> XMLIndentation {
        XMLIndentation(bytes: Array(repeating: UInt8(ascii: " "), count: min(max(count, 0), 16)))
    }

    /// One tab for each level.
    public static let tab = XMLIndentation(bytes: [UInt8(ascii: "\t")])
}

extension XMLWriter {
    /// The places where white space is to be inserted.
    ///
    /// Only the end of an element shows whether it contains only elements, so white space is inserted last, and the
    /// places are recorded until then. Content that was kept as it was written counts as text.
    struct Layout {
        let unit: XMLIndentation
        /// The places, in their order, each with the depth of the tag there.
        private(set) var breaks: [(offset: Int, depth: Int)] = []
        private var levels: [Level] = []
        /// Where the tag written last ends: what follows it is text.
        private var tagEnd = 0

        private struct Level {
            /// The number of places recorded before the element's content.
            var breaks: Int
            var hasText = false
            /// Whether the content must not be changed.
            var isFixed: Bool
            var hasElements = false
        }

        init(unit: XMLIndentation) { self.unit = unit }

        /// Records that an element begins.
        mutating func begin(at offset: Int) {
            guard let level = levels.last else {
                if offset > 0 { breaks.append((offset, 0)) }
                return
            }
            if offset != tagEnd { levels[levels.count - 1].hasText = true }
            levels[levels.count - 1].hasElements = true
            if !level.isFixed, !levels[levels.count - 1].hasText { breaks.append((offset, levels.count)) }
        }

        /// Records that what follows is inside the element that has begun.
        mutating func enter(isFixed: Bool) {
            let outer = levels.last
            let isFixed = isFixed || outer?.isFixed == true || outer?.hasText == true
            levels.append(Level(breaks: breaks.count, isFixed: isFixed))
        }

        /// Records that the innermost element ends.
        mutating func end(at offset: Int) {
            guard let level = levels.popLast() else { return }
            if level.hasText || offset != tagEnd {
                breaks.removeLast(breaks.count - level.breaks)
            } else if level.hasElements, !level.isFixed {
                breaks.append((offset, levels.count))
            }
        }

        /// Records that a tag, or an element that was kept as it was written, has been written.
        mutating func tagEnded(at offset: Int, keepsSpace: Bool = false) {
            tagEnd = offset
            if keepsSpace { levels[levels.count - 1].isFixed = true }
        }

        /// Records that something was inserted into the start tag written last.
        mutating func moved(by count: Int, from offset: Int) {
            if tagEnd > offset { tagEnd += count }
        }
    }
}

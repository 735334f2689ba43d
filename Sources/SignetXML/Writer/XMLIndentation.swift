/// The white space that sets an element in from the one around it.
public struct XMLIndentation: Sendable, Hashable {
    let bytes: [UInt8]

    /// So many spaces a level, sixteen at most.
    public static func spaces(_ count: Int) -> XMLIndentation {
        XMLIndentation(bytes: Array(repeating: UInt8(ascii: " "), count: min(max(count, 0), 16)))
    }

    /// A tab a level.
    public static let tab = XMLIndentation(bytes: [UInt8(ascii: "\t")])
}

extension XMLWriter {
    /// Where white space is to come in.
    ///
    /// Whether an element holds elements only is known at its end, and so white space comes in last: up to then the places
    /// are noted. What was kept as it was written counts as text.
    struct Layout {
        let unit: XMLIndentation
        /// The places, in their order, each with the depth of the tag that stands there.
        private(set) var breaks: [(offset: Int, depth: Int)] = []
        private var levels: [Level] = []
        /// Where the tag written last ends: what stands behind it is text.
        private var tagEnd = 0

        private struct Level {
            /// How many places had been noted before the element's content.
            var breaks: Int
            var hasText = false
            /// Nothing inside may be changed.
            var isFixed: Bool
            var hasElements = false
        }

        init(unit: XMLIndentation) { self.unit = unit }

        /// Notes that an element begins.
        mutating func begin(at offset: Int) {
            guard let level = levels.last else {
                if offset > 0 { breaks.append((offset, 0)) }
                return
            }
            if offset != tagEnd { levels[levels.count - 1].hasText = true }
            levels[levels.count - 1].hasElements = true
            if !level.isFixed, !levels[levels.count - 1].hasText { breaks.append((offset, levels.count)) }
        }

        /// Notes that what comes next stands inside the element that has begun.
        mutating func enter(isFixed: Bool) {
            let outer = levels.last
            let isFixed = isFixed || outer?.isFixed == true || outer?.hasText == true
            levels.append(Level(breaks: breaks.count, isFixed: isFixed))
        }

        /// Notes that the innermost element ends.
        mutating func end(at offset: Int) {
            guard let level = levels.popLast() else { return }
            if level.hasText || offset != tagEnd {
                breaks.removeLast(breaks.count - level.breaks)
            } else if level.hasElements, !level.isFixed {
                breaks.append((offset, levels.count))
            }
        }

        /// Notes that a tag, or an element that was kept as it was written, has been written.
        mutating func tagEnded(at offset: Int, keepsSpace: Bool = false) {
            tagEnd = offset
            if keepsSpace { levels[levels.count - 1].isFixed = true }
        }

        /// Notes that something was put into the start tag written last.
        mutating func moved(by count: Int, from offset: Int) {
            if tagEnd > offset { tagEnd += count }
        }
    }
}

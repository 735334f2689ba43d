/// Reads the repeated elements of a document that is pushed in pieces, all that have come at once.
package struct XMLElementCollector<Value: Sendable>: Sendable {
    /// What has come beside elements.
    package enum Event: Sendable {
        /// The document up to the first element, as ``XMLFramer/Event/opening(_:)`` says. There is at least one element.
        case opening(XMLExcerpt)
        /// The whole document without its elements.
        case remainder(XMLExcerpt)
    }

    /// So many deviations are kept.
    private static var mostDeviations: Int { 1000 }

    private var framer: XMLFramer
    private let reading: XMLElementReading<Value>
    /// The deviations of the elements read so far, 1,000 at most.
    package private(set) var deviations: [XMLDeviation] = []

    /// - Parameters:
    ///   - framer: what is repeated, and the limits.
    ///   - reading: how an element is read.
    package init(_ framer: XMLFramer, _ reading: XMLElementReading<Value>) {
        self.framer = framer
        self.reading = reading
    }

    /// Takes the next bytes of the document. To be called when ``next(into:)`` has nothing more.
    package mutating func push(_ bytes: [UInt8]) { framer.push(bytes) }

    /// Says that no more bytes come.
    package mutating func finish() { framer.finish() }

    /// Adds the elements that have come, and goes on to the next event; nil when more bytes are needed, and at the end.
    ///
    /// - Throws: the first defect, also one of an element; those before it have been added.
    package mutating func next(into values: inout [Value]) throws -> Event? {
        defer { if deviations.count > Self.mostDeviations { deviations.removeSubrange(Self.mostDeviations...) } }
        while true {
            reading.run(&framer, &values, &deviations)
            switch try framer.next() {
            case .opening(let excerpt):
                if framer.stage != .whole { return .opening(excerpt) }
            case .element(let excerpt): values.append(try reading.value(excerpt, &deviations))
            case .remainder(let excerpt): return .remainder(excerpt)
            case nil: return nil
            }
        }
    }
}

/// Reads the parts to hand over of a document that arrives in pieces, as many as are complete at each call.
package protocol XMLPieceCollector: Sendable {
    associatedtype Value: Sendable

    /// The deviations of the parts handed over so far, 1,000 at most.
    var deviations: [XMLDeviation] { get }

    /// Adds the next bytes of the document. Call it when ``next(into:)`` has returned nil.
    mutating func push(_ bytes: [UInt8])

    /// States that no more bytes come.
    mutating func finish()

    /// Adds the values that are complete, and continues to the next event; nil when more bytes are needed, and at the
    /// end.
    ///
    /// - Throws: the first defect, also one of a value; the values before it have been added.
    mutating func next(into values: inout [Value]) throws -> XMLPieceEvent?
}

/// An event besides the values that are handed over.
package enum XMLPieceEvent: Sendable {
    /// The document up to the first value, as ``XMLFramer/Event/opening(_:)`` describes. There is at least one value.
    case opening(XMLExcerpt)
    /// The whole document without the values that were handed over.
    case remainder(XMLExcerpt)
}

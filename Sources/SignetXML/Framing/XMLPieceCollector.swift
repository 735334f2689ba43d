/// Reads what is handed over of a document that is pushed in pieces, all that has come at once.
package protocol XMLPieceCollector: Sendable {
    associatedtype Value: Sendable

    /// The deviations of what was handed over so far, 1,000 at most.
    var deviations: [XMLDeviation] { get }

    /// Takes the next bytes of the document. To be called when ``next(into:)`` has nothing more.
    mutating func push(_ bytes: [UInt8])

    /// Says that no more bytes come.
    mutating func finish()

    /// Adds what has come, and goes on to the next event; nil when more bytes are needed, and at the end.
    ///
    /// - Throws: the first defect, also one of what is handed over; what stands before it has been added.
    mutating func next(into values: inout [Value]) throws -> XMLPieceEvent?
}

/// What has come beside that which is handed over.
package enum XMLPieceEvent: Sendable {
    /// The document up to the first piece, as ``XMLFramer/Event/opening(_:)`` says. There is at least one.
    case opening(XMLExcerpt)
    /// The whole document without what was handed over.
    case remainder(XMLExcerpt)
}

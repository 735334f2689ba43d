/// Reads the repeated elements of a document that arrives in pieces, as many as are complete at each call.
package struct XMLElementCollector<Value: Sendable>: XMLPieceCollector {
    /// The greatest number of deviations that are kept.
    private static var mostDeviations: Int { 1000 }

    private var framer: XMLFramer
    private let reading: XMLElementReading<Value>
    package private(set) var deviations: [XMLDeviation] = []

    /// - Parameters:
    ///   - framer: finds the repeated elements, and has the limits.
    ///   - reading: how an element is read.
    package init(_ framer: XMLFramer, _ reading: XMLElementReading<Value>) {
        self.framer = framer
        self.reading = reading
    }

    package mutating func push(_ bytes: [UInt8]) { framer.push(bytes) }

    package mutating func finish() { framer.finish() }

    package mutating func next(into values: inout [Value]) throws -> XMLPieceEvent? {
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

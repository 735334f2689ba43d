/// The repeated elements of a document that arrives in pieces, each read as a value: an ``XMLFramer`` over an
/// asynchronous sequence of bytes.
///
/// ```swift
/// let entries = XMLElementSequence(body, of: LogEntry.self, path: [envelope, soapBody, response, entry])
/// for try await entry in entries { … }
/// ```
///
/// The sequence requests a piece only when all elements of the pieces before have been taken, so that the reader slows
/// the sender down. It reads ahead elements of a type that are complete and adjacent in a piece, 64 at most; large
/// pieces make that cheapest. A defect is thrown where its element would have come, and ends the sequence; so does the
/// cancellation of the task, with `CancellationError`. When the sequence has ended without an error, the document was
/// complete.
public struct XMLElementSequence<Base: AsyncSequence, Value: Sendable>: AsyncSequence
where Base.Element: Sequence<UInt8> {
    public typealias Element = Value
    public typealias Failure = any Error
    /// Checks an excerpt whose root element has not been read yet.
    public typealias Judge = @Sendable (XMLExcerpt) throws -> Void

    private let base: Base
    private let framer: XMLFramer
    private let reading: XMLElementReading<Value>
    private let opening: Judge
    private let remainder: Judge

    /// - Parameters:
    ///   - base: the pieces of the document as they arrive.
    ///   - framer: finds the repeated elements, and has the limits.
    ///   - opening: receives the document up to the first element before that element is returned: check header blocks
    ///     and faults here. See ``XMLFramer/Event/opening(_:)``.
    ///   - remainder: receives the document without its elements before the sequence ends.
    ///   - value: reads an element.
    public init(
        _ base: Base, framer: XMLFramer, opening: @escaping Judge = { _ in }, remainder: @escaping Judge = { _ in },
        value: @escaping @Sendable (XMLExcerpt) throws -> Value
    ) {
        self.init(base, framer, opening, remainder, XMLElementReading(each: value))
    }

    private init(
        _ base: Base, _ framer: XMLFramer, _ opening: @escaping Judge, _ remainder: @escaping Judge,
        _ reading: XMLElementReading<Value>
    ) {
        self.base = base
        self.framer = framer
        self.reading = reading
        self.opening = opening
        self.remainder = remainder
    }

    /// Makes a sequence of elements of a complex type; see ``init(_:framer:opening:remainder:value:)``.
    ///
    /// - Parameters:
    ///   - base: the pieces of the document as they arrive.
    ///   - type: the type of the elements.
    ///   - path: the names of the repeated element and its ancestors, from the root.
    ///   - tolerance: which deviations of an element from its type are tolerated.
    ///   - opening: receives the document up to the first element before that element is returned.
    ///   - remainder: receives the document without its elements before the sequence ends.
    public init(
        _ base: Base, of type: Value.Type = Value.self, path: [XMLName], tolerance: XMLTolerance = .standard,
        opening: @escaping Judge = { _ in }, remainder: @escaping Judge = { _ in }
    ) where Value: XMLStructure {
        self.init(base, XMLFramer(path: path), opening, remainder, .structures(tolerance: tolerance))
    }

    /// Makes a sequence of elements of a simple type; see ``init(_:framer:opening:remainder:value:)``.
    ///
    /// - Parameters:
    ///   - base: the pieces of the document as they arrive.
    ///   - type: the type of the elements.
    ///   - path: the names of the repeated element and its ancestors, from the root.
    ///   - tolerance: which deviations of an element from its type are tolerated.
    ///   - opening: receives the document up to the first element before that element is returned.
    ///   - remainder: receives the document without its elements before the sequence ends.
    public init(
        _ base: Base, of type: Value.Type = Value.self, path: [XMLName], tolerance: XMLTolerance = .standard,
        opening: @escaping Judge = { _ in }, remainder: @escaping Judge = { _ in }
    ) where Value: XMLValue {
        self.init(base, XMLFramer(path: path), opening, remainder, .values(tolerance: tolerance))
    }

    public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

    /// Takes the pieces of the base one by one, as they are needed. After an error it returns nil: nothing is read
    /// after a defect.
    public struct Iterator: AsyncIteratorProtocol {
        private let sequence: XMLElementSequence
        private var base: Base.AsyncIterator
        private var framer: XMLFramer
        private var hasEnded = false
        /// The sequence does not report deviations: the list is emptied before each run.
        private var deviations: [XMLDeviation] = []
        /// Values that have been read, the next one last.
        @usableFromInline var ready: [Value] = []

        fileprivate init(sequence: XMLElementSequence) {
            self.sequence = sequence
            base = sequence.base.makeAsyncIterator()
            framer = sequence.framer
        }

        /// Returns the next value; nil at the end.
        ///
        /// - Throws: `XMLError` for a defect of the document, `CancellationError`, and the errors of the base and of
        ///   the closures.
        @inlinable public mutating func next() async throws -> Value? { try await next(isolation: #isolation) }

        @inlinable public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
            // Most values are ready, and need no call.
            if Task.isCancelled || ready.isEmpty {
                guard try await proceed(isolation: actor) else { return nil }
                ready.reverse()
            }
            return ready.popLast()
        }

        /// Reads the next values into ``ready``, the next one first; false at the end.
        @usableFromInline mutating func proceed(isolation actor: isolated (any Actor)?) async throws -> Bool {
            guard !hasEnded else { return false }
            do {
                hasEnded = try await !advance(isolation: actor)
            } catch {
                hasEnded = true
                ready = []
                throw error
            }
            return !hasEnded
        }

        private mutating func advance(isolation actor: isolated (any Actor)?) async throws -> Bool {
            while true {
                try Task.checkCancellation()
                if !deviations.isEmpty { deviations = [] }
                sequence.reading.run(&framer, &ready, &deviations)
                if !ready.isEmpty { return true }
                switch try framer.next() {
                case .opening(let excerpt): try sequence.opening(excerpt)
                case .element(let excerpt):
                    ready.append(try sequence.reading.value(excerpt, &deviations))
                    return true
                case .remainder(let excerpt): try sequence.remainder(excerpt)
                case nil:
                    if framer.isComplete { return false }
                    if let piece = try await base.next(isolation: actor) {
                        framer.push(Array(piece))
                    } else {
                        // A base may end without an error when its task is cancelled.
                        try Task.checkCancellation()
                        framer.finish()
                    }
                }
            }
        }
    }
}

extension XMLElementSequence: Sendable where Base: Sendable {}

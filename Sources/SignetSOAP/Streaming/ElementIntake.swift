import HTTPTypes
import Synchronization

/// The rest of an answer whose repeated elements were handed over.
struct ReceivedElements: Sendable {
    /// The answer without the elements.
    let remainder: XMLExcerpt
    /// The deviations of the elements.
    let deviations: [XMLDeviation]
    /// Whether the part before the first element was checked; it was not if there is no element.
    let isOpened: Bool
}

/// Takes the repeated elements of one answer.
protocol ElementReceiver: ContentReceiver {
    /// Returns the rest when everything has arrived; nil when the answer was not taken while it arrived, or is empty.
    ///
    /// - Throws: ``ElementFailure``.
    func finish() async throws -> ReceivedElements?

    /// Takes the elements of an answer that is in memory.
    ///
    /// - Parameter message: the parts beside the envelope, if there are any.
    /// - Throws: ``ElementFailure``.
    func take(all response: ClientResponse, _ message: ReceivedMessage?) async throws -> ReceivedElements
}

/// Why the rest of an answer is not taken: the error with which the call ends.
struct ElementFailure: Error, CustomStringConvertible {
    let error: any Error
    var description: String { "\(error)" }
}

/// Checks an answer whose elements are handed over.
struct StreamedAnswerChecker: Sendable {
    /// Checks the part before the first element, which is the content of the response.
    let open: @Sendable (XMLExcerpt, ClientResponse) async throws -> Void
    /// Makes the error for the caller of the operation from a defect of the document. `isOpened` says whether the part
    /// before the first element was checked.
    let failure: @Sendable (any Error, ClientResponse, _ isOpened: Bool) async -> any Error
}

/// The repeated elements of the answers to one call.
struct AnswerElements: Sendable {
    /// Checks the part before the first element; returns the header blocks.
    let open: @Sendable (AnswerReader, ClientResponse) throws -> [ReceivedHeaderBlock]
    /// The error for an answer that cannot be read further.
    let failure: @Sendable (AnswerReader, XMLError, ClientResponse) -> any Error
    /// Makes the receiver of one answer in a version of SOAP.
    let receiver: @Sendable (SOAPVersion, StreamedAnswerChecker) -> any ElementReceiver
    /// Whether elements were handed over.
    let areGiven: @Sendable () -> Bool
}

/// Reads the repeated elements of an answer while it arrives, or the content of one element, and hands them over.
final class ElementIntake<Collector: XMLPieceCollector>: ElementReceiver {
    /// Makes the reader of one answer, given its charset and the parts to which its elements may refer.
    typealias Maker = @Sendable (_ charset: String?, (any XMLInclusionSource)?) -> Collector

    private struct State {
        var collector: Collector?
        var response: ClientResponse?
        var isOpened = false
        var hasContent = false
        /// The number of elements in the last piece: the next one most likely has as many.
        var lastCount = 0
        var remainder: XMLExcerpt?
    }

    private let makeCollector: Maker
    /// How many bytes of parts beside the envelope may become values.
    private let partBytes: Int
    private let handover: ElementHandover<Collector.Value>
    private let judge: StreamedAnswerChecker
    private let state = Mutex(State())

    init(
        handover: ElementHandover<Collector.Value>, judge: StreamedAnswerChecker, partBytes: Int,
        _ makeCollector: @escaping Maker
    ) {
        (self.handover, self.judge, self.partBytes, self.makeCollector) = (handover, judge, partBytes, makeCollector)
    }

    // MARK: While it arrives

    func mayTake(contentType: String?) -> Bool { contentType.map { MediaType($0).isXML } ?? true }

    /// Answers that are to be refused, and answers that can only be read as a whole, stay in memory.
    func takes(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool {
        let contentType = fields.value(of: .contentType)
        guard (200..<300).contains(status.code), mayTake(contentType: contentType),
            ["utf-8", "utf8"].contains(contentType.flatMap { MediaType($0).charset } ?? "utf-8")
        else { return false }
        begin(ClientResponse(status: status, fields: fields), nil)
        return true
    }

    private func begin(_ response: ClientResponse, _ parts: (any XMLInclusionSource)?) {
        let charset = response.fields.value(of: .contentType).flatMap { MediaType($0).charset }
        state.withLock { $0 = State(collector: makeCollector(charset, parts), response: response) }
    }

    func receive(_ bytes: [UInt8]) async throws {
        state.withLock { state in
            state.collector?.push(bytes)
            state.hasContent = state.hasContent || !bytes.isEmpty
            // Keeps the beginning of the answer, which an error shows.
            guard let kept = state.response?.body.count, kept < 200 else { return }
            state.response?.body += bytes.prefix(200 - kept)
        }
        try await drain()
    }

    func finish() async throws -> ReceivedElements? {
        guard state.withLock({ $0.collector != nil && $0.hasContent }) else { return nil }
        return try await end()
    }

    func take(all response: ClientResponse, _ message: ReceivedMessage?) async throws -> ReceivedElements {
        begin(response, message?.parts(room: partBytes))
        var rest = response.body[...]
        while !rest.isEmpty {
            state.withLock { $0.collector?.push(Array(rest.prefix(65_536))) }
            rest = rest.dropFirst(65_536)
            try await drain()
        }
        return try await end()
    }

    private func end() async throws -> ReceivedElements {
        state.withLock { $0.collector?.finish() }
        try await drain()
        let (remainder, deviations, isOpened) = state.withLock {
            ($0.remainder, $0.collector?.deviations ?? [], $0.isOpened)
        }
        // The collector returns the remainder at the end, or has thrown.
        guard let remainder else { throw ElementFailure(error: CancellationError()) }
        return ReceivedElements(remainder: remainder, deviations: deviations, isOpened: isOpened)
    }

    // MARK: Elements

    private func drain() async throws {
        do {
            while let event = try await next() {
                switch event {
                case .opening(let excerpt): try await open(excerpt)
                case .remainder(let excerpt): state.withLock { $0.remainder = excerpt }
                }
            }
        } catch {
            guard let response = state.withLock({ $0.response }) else { throw error }
            let isOpened = state.withLock { $0.isOpened }
            throw ElementFailure(error: await judge.failure(error, response, isOpened))
        }
    }

    /// Returns the next event, after the elements before it were handed over.
    private func next() async throws -> XMLPieceEvent? {
        let (elements, event) = state.withLock { state in
            var elements: [Collector.Value] = []
            elements.reserveCapacity(state.lastCount)
            let event = Result { try state.collector?.next(into: &elements) }
            state.lastCount = elements.count
            return (elements, event)
        }
        if !elements.isEmpty {
            // A middleware may call `next` twice at the same time.
            guard handover.claim(by: self) else { throw ServiceError.elementsTaken }
            try await handover.give(elements)
        }
        return try event.get()
    }

    private func open(_ excerpt: XMLExcerpt) async throws {
        guard var response = state.withLock({ $0.response }) else { return }
        response.body = Array(excerpt.bytes)
        // The judge reports its refusals itself.
        state.withLock { $0.isOpened = true }
        try await judge.open(excerpt, response)
    }
}

extension ServiceError {
    /// A middleware tried to make a call again.
    static var elementsTaken: ServiceError {
        ServiceError(
            .elementsTaken,
            "The call cannot be made again: elements of an answer to it were handed over already. A middleware that repeats calls has to ask ServiceCall.canBeRepeated."
        )
    }
}

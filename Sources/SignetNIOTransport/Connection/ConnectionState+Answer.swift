import NIOCore
import NIOHTTP1
import SignetHTTP

/// The part about the answer: its head, and its content, which the caller takes as it arrives or which is kept in
/// memory.
extension ConnectionState {
    /// The caller gets pieces of this size, once that much has arrived.
    static let pieceSize = 64 << 10

    // MARK: From the server

    mutating func received(_ part: HTTPClientResponsePart, at now: NIODeadline) -> Action {
        if isServerExpected { waitForServer(from: now) }
        if case .head(let head) = part {
            if head.status == .continue { return .takeContent }
            if let refusal = ConnectionFailure.refusal(of: head, host: host) { return fail(refusal) }
        }
        guard exchange?.held != nil else { return process(part) }
        exchange?.held?.append(part)
        // The other parts of the same read go into the same piece.
        return exchange?.held?.hasEnd == true || exchange?.held?.isFull == true ? next() : .nothing
    }

    /// The channel has delivered everything that it read.
    mutating func readCompleted() -> Action { exchange?.held == nil ? .nothing : next() }

    // MARK: From the caller

    /// The caller has judged the head.
    ///
    /// - Parameter mayTake: whether ``collect(at:)`` or ``demand(at:)`` follows; if not, the content is kept in memory.
    mutating func judged(mayTake: Bool) -> Action {
        guard mayTake else { return follow(phase.collect()) }
        exchange?.hold()
        // The time that the caller needs does not count as the server's silence.
        silenceEnds = .distantFuture
        return .nothing
    }

    /// Keeps the content of an answer in memory after its head was judged.
    mutating func collect(at now: NIODeadline) -> Action {
        guard let held = exchange?.takeHeld() else { return .nothing }
        collecting = held
        waitForServer(from: now)
        let action = follow(phase.collect())
        guard case .nothing = action else { return action }
        return arm() ?? next()
    }

    /// The caller waits for a piece of the content.
    mutating func demand(at now: NIODeadline) -> Action {
        exchange?.isDemanded = true
        if !phase.isStreaming {
            let action = follow(phase.stream())
            guard case .nothing = action else { return action }
        }
        guard exchange?.isWritten == true else { return next() }
        waitForServer(from: now)
        return arm() ?? next()
    }

    // MARK: Held content

    /// The next action.
    mutating func next() -> Action {
        if collecting != nil {
            let action = nextCollected()
            guard case .nothing = action else { return action }
        }
        if exchange?.isDemanded == true {
            let action = nextPiece()
            guard case .nothing = action else { return action }
        }
        return resumeReading()
    }

    private mutating func nextCollected() -> Action {
        while exchange != nil || isIdle, let part = collecting?.next(atMost: .max) {
            let action = process(part)
            guard case .nothing = action else { return action }
        }
        collecting = nil
        return exchange != nil && isLost ? .failAsLost : .nothing
    }

    /// Gives the caller the content that has arrived.
    private mutating func nextPiece() -> Action {
        let step = acceptsCompression && exchange?.coded != nil ? ContentDecoder.step : .max
        while let size = exchange?.piece.count, size < Self.pieceSize {
            if exchange?.held?.isAtEnd == true, size > 0 { break }
            guard let part = exchange?.held?.next(atMost: step) else { break }
            let action = process(part)
            guard case .nothing = action else { return action }
        }
        guard exchange?.piece.isEmpty == false, let piece = exchange?.takePiece() else { return .nothing }
        // The time that the caller needs does not count as the server's silence.
        silenceEnds = .distantFuture
        return .hand(piece)
    }

    // MARK: Compression

    /// Decompresses content, if the caller wants that, and processes it further.
    private mutating func process(_ part: HTTPClientResponsePart) -> Action {
        guard acceptsCompression, exchange != nil else { return follow(phase.received(part)) }
        do {
            switch part {
            case .head(let head): exchange?.noteCoding(of: head)
            case .body(let bytes):
                if let name = exchange?.unknownCoding { return fail(unreadable(coding: name)) }
                // An answer without content has nothing to decompress: the answer to HEAD, or one whose fields announce
                // more than it has.
                guard let decoder = try exchange?.makeDecoder() else { break }
                return try inflate(bytes, decoder)
            case .end:
                guard let decoder = exchange?.decoder else { break }
                for piece in try decoder.finish() {
                    let action = follow(phase.received(.body(piece)))
                    guard case .nothing = action else { return action }
                }
                if exchange?.piece.isEmpty == false {
                    exchange?.held?.putBack(part)
                    return .nothing
                }
            }
            return follow(phase.received(part))
        } catch {
            return .failAsUndecodable(error)
        }
    }

    private mutating func inflate(_ bytes: ByteBuffer, _ decoder: ContentDecoder) throws -> Action {
        var rest = bytes
        while rest.readableBytes > 0, let step = rest.readSlice(length: min(rest.readableBytes, ContentDecoder.step)) {
            for piece in try decoder.decode(step) {
                let action = follow(phase.received(.body(piece)))
                guard case .nothing = action else { return action }
            }
        }
        return .nothing
    }

    private func unreadable(coding name: String) -> TransportError {
        .init(
            .malformedResponse,
            "\(host) coded its answer as “\(name.printable)” (Content-Encoding), which was not asked for. "
                + "gzip and deflate are read.",
            mayHaveBeenProcessed: true)
    }

    private mutating func follow(_ action: ExchangeState.Action) -> Action {
        switch action {
        case .nothing: return .nothing
        case .judge(let head): return .judge(head)
        case .hand(let bytes):
            exchange?.piece.append(contentsOf: bytes.readableBytesView)
            return .nothing
        case .complete(let answer): return .complete(answer)
        case .fail(let error): return fail(error)
        case .close: return .close
        }
    }
}

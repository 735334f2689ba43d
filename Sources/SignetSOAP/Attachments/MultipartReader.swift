#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An event that a ``MultipartReader`` reports.
package enum MultipartEvent: Sendable, Hashable {
    /// A part begins.
    case part(PartHeader)
    /// More content of the part, without its transfer encoding; never empty.
    case content(ArraySlice<UInt8>)
    /// The part is complete.
    case endOfPart
}

/// Finds the parts of a multipart message that arrives in pieces (RFC 2046 §5.1).
///
/// It does no I/O, and keeps only the header of a part and the possible beginning of a boundary. The events do not
/// depend on how the message is split into pieces, except that content may be split differently. The time is linear in
/// the size of every message: a boundary begins with a line feed and contains no other, so that no byte is compared
/// with more than one possible boundary.
///
/// A line that only begins like a boundary is content; lines may end with a line feed alone.
package struct MultipartReader: Sendable {
    private enum Stage { case preamble, header, content, epilogue }

    private let limits: AttachmentLimits
    private let takesBareLineFeeds: Bool
    /// A line feed, two hyphens and the boundary.
    private let delimiter: [UInt8]
    private var stage = Stage.preamble
    /// The number of bytes in the pieces before.
    private var offset = 0
    private var parts = 0
    private var ids: Set<String> = []
    private var failure: AttachmentError?

    // The state of the search for a delimiter after the bytes read so far.
    /// Whether a carriage return is held back, which is content unless a delimiter follows.
    private var holdsReturn = false
    /// How many bytes of the delimiter have matched.
    private var matched = 1
    /// Whether the line feed of the possible delimiter is not content even if no delimiter follows, because the line
    /// before has ended with it.
    private var isLineStart = true
    /// The bytes after the delimiter on its line.
    private var tail: [UInt8] = []

    private var header: [UInt8] = []
    private var headerOffset = 0
    private var lineStart = 0
    private var decoder = TransferDecoder(.identity)

    /// - Parameters:
    ///   - boundary: the parameter of that name.
    ///   - takesBareLineFeeds: whether lines may end without a carriage return, which some senders omit.
    /// - Throws: ``AttachmentError`` with `unusableContentType` for a boundary that RFC 2046 §5.1.1 does not allow.
    package init(
        boundary: String, limits: AttachmentLimits = .init(), takesBareLineFeeds: Bool = true
    ) throws(AttachmentError) {
        let bytes = Array(boundary.utf8)
        guard 1...70 ~= bytes.count, bytes.allSatisfy({ (0x20...0x7E).contains($0) }), bytes.last != 0x20 else {
            throw AttachmentError(
                .unusableContentType,
                "The boundary “\(boundary.shown)” is not allowed: it must have 1 to 70 visible ASCII characters (RFC 2046 §5.1.1)."
            )
        }
        self.limits = limits
        self.takesBareLineFeeds = takesBareLineFeeds
        delimiter = Array("\n--".utf8) + bytes
    }

    /// Reads the next bytes, and passes the events that they complete to `take`.
    ///
    /// - Throws: ``AttachmentError`` for a defect, and again for every call after a defect; the errors of `take`, after
    ///   which the reader cannot be used any more.
    package mutating func push(_ bytes: [UInt8], _ take: (MultipartEvent) throws -> Void) throws {
        if let failure { throw failure }
        let room = limits.totalBytes - offset
        do {
            let end = min(room, bytes.count)
            var next = 0
            while next < end {
                switch stage {
                case .preamble, .content: next = try search(bytes, next, end, take)
                case .header: next = try fields(bytes, next, end, take)
                case .epilogue: next = end
                }
            }
            if bytes.count > room {
                throw AttachmentError(
                    .tooLarge,
                    "The message is larger than \(limits.totalBytes) bytes; raise AttachmentLimits.totalBytes if this is wanted.",
                    offset: limits.totalBytes)
            }
            offset += bytes.count
        } catch {
            failure = error as? AttachmentError ?? AttachmentError(.truncated, "Reading the message was abandoned.")
            throw error
        }
    }

    /// Call this when no more bytes come.
    ///
    /// - Throws: ``AttachmentError`` with `truncated` for a message whose last boundary is missing.
    package mutating func finish(_ take: (MultipartEvent) throws -> Void) throws {
        if let failure { throw failure }
        // The last boundary needs no line end after it.
        if isClosed(tail.last == UInt8(ascii: "\r") ? tail.dropLast() : tail[...]) {
            try endPart(take)
            stage = .epilogue
            tail = []
        }
        guard stage == .epilogue else {
            let error = AttachmentError(
                .truncated,
                "The message ends before its last boundary: the connection broke off, or the sender has failed. Discard what was received of it.",
                offset: offset)
            failure = error
            throw error
        }
    }

    // MARK: Delimiters

    /// Passes content on up to the next delimiter, or up to the possible beginning of one.
    ///
    /// - Returns: the position at which to continue.
    private mutating func search(
        _ bytes: [UInt8], _ start: Int, _ end: Int, _ take: (MultipartEvent) throws -> Void
    ) throws -> Int {
        var next = start
        while next < end {
            let byte = bytes[next]
            if matched == delimiter.count {
                if byte == UInt8(ascii: "\n"), takesBareLineFeeds || tail.last == UInt8(ascii: "\r") {
                    try endLine(at: offset + next + 1, take)
                    return next + 1
                }
                if extendsTail(byte) {
                    tail.append(byte)
                    next += 1
                } else {
                    try giveBack(take)
                }
            } else if matched > 0 {
                if byte == delimiter[matched] {
                    matched += 1
                    next += 1
                } else {
                    try giveBack(take)
                }
            } else if holdsReturn, byte == UInt8(ascii: "\n") {
                matched = 1
                next += 1
            } else {
                try giveBack(take)
                next = try scan(bytes, next, end, take)
            }
        }
        return end
    }

    /// Looks for a delimiter when no delimiter has begun.
    ///
    /// - Returns: the end of its match so far, or `end`.
    private mutating func scan(
        _ bytes: [UInt8], _ start: Int, _ end: Int, _ take: (MultipartEvent) throws -> Void
    ) throws -> Int {
        let cr = UInt8(ascii: "\r")
        var found = (place: end, count: 0)
        unsafe bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return }
            var next = start
            while next < end, let hit = unsafe memchr(base + next, 10, end - next) {
                let place = unsafe base.distance(to: UnsafeRawPointer(hit))
                var count = 1
                while count < delimiter.count, place + count < end, unsafe buffer[place + count] == delimiter[count] {
                    count += 1
                }
                if count == delimiter.count || place + count == end,
                    unsafe takesBareLineFeeds || (place > start && buffer[place - 1] == cr)
                {
                    found = (place, count)
                    return
                }
                // Consecutive line feeds are not worth a call each.
                next = place + count
                while next + 1 < end, unsafe buffer[next] == 10, unsafe buffer[next + 1] != UInt8(ascii: "-") {
                    next += 1
                }
            }
        }
        holdsReturn = found.place > start && bytes[found.place - 1] == cr
        try pass(bytes[start..<(holdsReturn ? found.place - 1 : found.place)], take)
        matched = found.count
        isLineStart = false
        return found.place + found.count
    }

    /// Whether the line may still be a delimiter with this byte appended.
    private func extendsTail(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"): tail.isEmpty || tail == [UInt8(ascii: "-")]
        // More white space than any sender needs.
        case UInt8(ascii: " "), UInt8(ascii: "\t"):
            tail.count < 128 && tail.last != UInt8(ascii: "\r") && tail != [UInt8(ascii: "-")]
        case UInt8(ascii: "\r"): tail.last != UInt8(ascii: "\r") && tail != [UInt8(ascii: "-")]
        default: false
        }
    }

    private func isClosed(_ tail: ArraySlice<UInt8>) -> Bool { tail.starts(with: "--".utf8) }

    /// Passes the bytes on that looked like a delimiter and are content.
    private mutating func giveBack(_ take: (MultipartEvent) throws -> Void) throws {
        guard holdsReturn || matched > 0 else { return }
        var bytes: [UInt8] = holdsReturn ? [UInt8(ascii: "\r")] : []
        bytes += delimiter[..<matched].dropFirst(isLineStart ? 1 : 0)
        bytes += tail
        (holdsReturn, matched, isLineStart) = (false, 0, false)
        tail.removeAll(keepingCapacity: true)
        try pass(bytes[...], take)
    }

    /// Handles a complete delimiter.
    private mutating func endLine(at place: Int, _ take: (MultipartEvent) throws -> Void) throws {
        try endPart(take)
        if isClosed(tail[...]) {
            stage = .epilogue
        } else {
            guard parts < limits.parts else {
                throw AttachmentError(
                    .tooManyParts,
                    "The message has more than \(limits.parts) parts; raise AttachmentLimits.parts if this is wanted.",
                    offset: place)
            }
            parts += 1
            stage = .header
            header.removeAll(keepingCapacity: true)
            (headerOffset, lineStart) = (place, 0)
        }
        (holdsReturn, matched, isLineStart) = (false, 0, false)
        tail.removeAll(keepingCapacity: true)
    }

    // MARK: Parts

    /// Collects the header of a part, and begins its content after the empty line.
    private mutating func fields(
        _ bytes: [UInt8], _ start: Int, _ end: Int, _ take: (MultipartEvent) throws -> Void
    ) throws -> Int {
        let feed = bytes[start..<end].firstIndex(of: UInt8(ascii: "\n"))
        let next = feed.map { $0 + 1 } ?? end
        guard next - start <= limits.headerBytes - header.count else {
            throw AttachmentError(
                .headerTooLarge,
                "The header of a part is larger than \(limits.headerBytes) bytes; raise AttachmentLimits.headerBytes if this is wanted.",
                offset: headerOffset)
        }
        header += bytes[start..<next]
        guard feed != nil else { return next }
        let line = header[lineStart...].dropLast()
        if !takesBareLineFeeds, line.last != UInt8(ascii: "\r") {
            throw AttachmentError(
                .malformedHeader, "The header of a part has a line without a carriage return at its end.",
                offset: headerOffset)
        }
        guard line.isEmpty || line.elementsEqual([UInt8(ascii: "\r")]) else {
            lineStart = header.count
            return next
        }
        let part = try PartHeader(header[..<lineStart], offset: headerOffset, limits: limits)
        if let id = part.contentID, !ids.insert(id).inserted {
            throw AttachmentError(
                .duplicateID, "Two parts have the Content-ID “\(id.shown)”; the receiver cannot tell them apart.",
                offset: headerOffset)
        }
        decoder = TransferDecoder(part.transferEncoding)
        stage = .content
        (holdsReturn, matched, isLineStart) = (false, 1, true)
        try take(.part(part))
        return next
    }

    private mutating func pass(_ bytes: ArraySlice<UInt8>, _ take: (MultipartEvent) throws -> Void) throws {
        guard stage == .content, !bytes.isEmpty else { return }
        let content = try located { (decoder) throws(AttachmentError) in try decoder.decode(bytes) }
        if !content.isEmpty { try take(.content(content)) }
    }

    private mutating func endPart(_ take: (MultipartEvent) throws -> Void) throws {
        guard stage == .content else { return }
        let rest = try located { (decoder) throws(AttachmentError) in try decoder.finish() }
        if !rest.isEmpty { try take(.content(rest)) }
        try take(.endOfPart)
    }

    /// Adds to an error the position at which the part begins.
    private mutating func located(
        _ body: (inout TransferDecoder) throws(AttachmentError) -> ArraySlice<UInt8>
    ) throws(AttachmentError) -> ArraySlice<UInt8> {
        do throws(AttachmentError) { return try body(&decoder) } catch {
            throw AttachmentError(error.code, error.message, offset: headerOffset)
        }
    }
}

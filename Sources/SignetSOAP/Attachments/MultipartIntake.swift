/// Sorts the parts of a message into envelope and attachments.
struct MultipartIntake: Sendable {
    private let type: ParameterizedValue
    private let limits: AttachmentLimits
    private var reader: MultipartReader
    private var parts = Parts()

    init(contentType: String, limits: AttachmentLimits, spool: SpoolBudget? = nil) throws(AttachmentError) {
        do throws(ParameterDefect) { type = try ParameterizedValue(contentType) } catch {
            throw AttachmentError(.unusableContentType, "The Content-Type cannot be used: \(error.message)")
        }
        guard type.essence == "multipart/related" else {
            throw AttachmentError(
                .unusableContentType, "The message is “\(type.essence.shown)”; only multipart/related has attachments.")
        }
        guard let boundary = type["boundary"] else {
            throw AttachmentError(
                .unusableContentType,
                "The Content-Type multipart/related names no boundary, so that its parts cannot be told apart.")
        }
        reader = try MultipartReader(boundary: boundary, limits: limits)
        self.limits = limits
        parts.start = type["start"].map(ContentID.bare).flatMap { $0.isEmpty ? nil : $0 }
        parts.limits = limits
        parts.spool = spool
    }

    mutating func push(_ bytes: [UInt8]) throws {
        // Both are changed at the same time.
        try Self.push(bytes, &reader, &parts)
    }

    private static func push(_ bytes: [UInt8], _ reader: inout MultipartReader, _ parts: inout Parts) throws {
        try reader.push(bytes) { try parts.take($0) }
    }

    mutating func finish() throws -> ReceivedMessage {
        try Self.finish(&reader, &parts)
        var deviations: [String] = []
        if parts.root == nil {
            guard !parts.others.isEmpty else {
                throw AttachmentError(
                    .noRoot, "The message has no parts, and so no envelope; report it to the sender.")
            }
            deviations.append("The parameter “start” names no part; the first is taken for the envelope.")
            try parts.promoteFirst()
        }
        guard let root = parts.root else { throw AttachmentError(.noRoot, "The message has no envelope.") }
        return try message(root, deviations)
    }

    private static func finish(_ reader: inout MultipartReader, _ parts: inout Parts) throws {
        try reader.finish { try parts.take($0) }
    }

    private func message(_ root: (header: PartHeader, bytes: [UInt8]), _ deviations: [String]) throws -> ReceivedMessage
    {
        var deviations = deviations
        let own: ParameterizedValue
        do throws(ParameterDefect) { own = try ParameterizedValue(root.header.contentType) } catch {
            throw AttachmentError(.malformedHeader, error.message, offset: root.header.offset)
        }
        let isXOP = own.essence == "application/xop+xml"
        if let announced = type["type"].map({ MediaType($0).essence }), announced != own.essence {
            deviations.append(
                "The parameter “type” says “\(announced.shown)”, and the envelope's part “\(own.essence.shown)”.")
        } else if type["type"] == nil {
            deviations.append("The parameter “type” is missing.")
        }
        if !isXOP, SOAPVersion.named(byMediaType: own.essence) == nil {
            deviations.append("The envelope's part is “\(own.essence.shown)”, which is not a media type of envelopes.")
        }
        let inner = (isXOP ? own["type"] ?? type["start-info"] : nil) ?? (isXOP ? "" : root.header.contentType)
        if isXOP, inner.isEmpty { deviations.append("The XOP package does not state the type of its envelope.") }
        let innerType = MediaType(inner)
        let charset = try Self.charset(own, innerType, offset: root.header.offset)
        let action =
            innerType.action ?? own["action"] ?? type["start-info"].flatMap { MediaType($0).action }
            ?? type["action"]
        return ReceivedMessage(
            root: root.bytes, rootType: inner,
            charset: charset, action: action, isXOP: isXOP, attachments: parts.others, deviations: deviations)
    }

    /// The one charset that the envelope's part and the type inside an XOP package name; nil when neither names one.
    private static func charset(
        _ own: ParameterizedValue, _ inner: MediaType, offset: Int
    ) throws(AttachmentError) -> String? {
        if let defect = inner.defect { throw AttachmentError(.malformedHeader, defect.message, offset: offset) }
        guard let charset = own["charset"].map(MediaType.charset) else { return inner.charset }
        if let other = inner.charset, other != charset {
            throw AttachmentError(
                .malformedHeader, "The envelope's part names two charsets, “\(charset.shown)” and “\(other.shown)”.",
                offset: offset)
        }
        return charset
    }
}

extension MultipartIntake {
    /// The parts that have arrived.
    struct Parts: Sendable {
        var limits = AttachmentLimits()
        /// The budget from which the file takes its disk space.
        var spool: SpoolBudget?
        /// The identifier of the root part; nil for the first part.
        var start: String?
        private(set) var root: (header: PartHeader, bytes: [UInt8])?
        private(set) var others: [MessageAttachment] = []
        private var firstHeader: PartHeader?

        /// The header of the part that is arriving, and its content in memory.
        private var header: PartHeader?
        private var isRoot = false
        private var bytes: [UInt8] = []
        private var keptBytes = 0
        /// The file with the content of this part and of those before.
        private var file: AttachmentFile?
        private var fileStart = 0
        private var fileEnd = 0

        mutating func take(_ event: MultipartEvent) throws {
            switch event {
            case .part(let header):
                self.header = header
                isRoot = start.map { $0 == header.contentID } ?? (firstHeader == nil)
                if firstHeader == nil { firstHeader = header }
                fileStart = fileEnd
            case .content(let content): try take(content)
            case .endOfPart: try end()
            }
        }

        private mutating func take(_ content: ArraySlice<UInt8>) throws(AttachmentError) {
            if isRoot {
                guard content.count <= limits.rootBytes - bytes.count else { throw rootTooLarge }
                bytes += content
            } else if bytes.count + content.count <= limits.memoryBytesPerPart {
                bytes += content
            } else {
                try write(bytes[...])
                bytes.removeAll(keepingCapacity: true)
                // Small pieces are collected before they are written.
                if content.count < limits.memoryBytesPerPart { bytes += content } else { try write(content) }
            }
        }

        private var rootTooLarge: AttachmentError {
            AttachmentError(
                .rootTooLarge,
                "The envelope of the message is larger than \(limits.rootBytes) bytes; raise AttachmentLimits.rootBytes if this is wanted.",
                offset: (isRoot ? header : firstHeader)?.offset)
        }

        private mutating func write(_ content: ArraySlice<UInt8>) throws(AttachmentError) {
            if content.isEmpty { return }
            if file == nil { file = try .temporary(in: limits.temporaryFolder, spool) }
            try file?.write(content, at: fileEnd)
            fileEnd += content.count
        }

        private mutating func end() throws(AttachmentError) {
            guard let header else { return }
            defer {
                self.header = nil
                bytes = []
            }
            if isRoot {
                root = (header, bytes)
                return
            }
            let isSmall = fileEnd == fileStart && bytes.count <= limits.memoryBytes - keptBytes
            if isSmall { keptBytes += bytes.count } else { try write(bytes[...]) }
            let content: MessageAttachment.Content =
                if !isSmall, let file { .kept(file, start: fileStart, count: fileEnd - fileStart) } else {
                    .bytes(bytes)
                }
            others.append(
                MessageAttachment(
                    content, contentType: header.contentType, contentID: header.contentID,
                    contentLocation: header.contentLocation, fileName: header.fileName))
        }

        /// Treats the first part as the root after all.
        mutating func promoteFirst() throws(AttachmentError) {
            guard let firstHeader, let first = others.first else { return }
            guard let count = first.count, count <= limits.rootBytes else { throw rootTooLarge }
            root = (firstHeader, try first.bytes(limit: limits.rootBytes))
            others.removeFirst()
        }
    }
}

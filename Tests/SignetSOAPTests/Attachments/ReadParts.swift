@testable import SignetSOAP

/// What a reader finds in a message in pieces.
struct ReadParts: Equatable {
    struct Part: Equatable {
        var header: PartHeader
        var content: [UInt8] = []
        var isComplete = false

        var text: String { String(decoding: content, as: UTF8.self) }
    }

    var parts: [Part] = []
    var error: AttachmentError?
    var offset: Int?

    init(
        _ pieces: [[UInt8]], boundary: String = "b", limits: AttachmentLimits = .init(), takesBareLineFeeds: Bool = true
    ) {
        do {
            var reader = try MultipartReader(
                boundary: boundary, limits: limits, takesBareLineFeeds: takesBareLineFeeds)
            for piece in pieces { try reader.push(piece) { take($0) } }
            try reader.finish { take($0) }
        } catch {
            self.error = error as? AttachmentError
            offset = self.error?.offset
        }
    }

    init(_ text: String, boundary: String = "b", limits: AttachmentLimits = .init(), takesBareLineFeeds: Bool = true) {
        self.init([Array(text.utf8)], boundary: boundary, limits: limits, takesBareLineFeeds: takesBareLineFeeds)
    }

    private mutating func take(_ event: MultipartEvent) {
        switch event {
        case .part(let header): parts.append(Part(header: header))
        case .content(let bytes): parts[parts.count - 1].content += bytes
        case .endOfPart: parts[parts.count - 1].isComplete = true
        }
    }

    var texts: [String] { parts.map(\.text) }
}

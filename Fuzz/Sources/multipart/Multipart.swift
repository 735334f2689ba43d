import SignetSOAP
import Support

/// A multipart message in pieces: it has the same parts for any cuts, and no more bytes of content than the message has
/// room for. The first bytes choose the cuts and the boundary.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let isStrict = input.byte() & 1 == 1
    let cuts = input.bytes(1 + input.number(below: 6))
    let message = input.rest()

    let whole = Found([message], isStrict: isStrict)
    require(whole == Found(cut(message, cuts), isStrict: isStrict), "in pieces another message")
    if message.count < 512 {
        require(whole == Found(message.map { [$0] }, isStrict: isStrict), "byte by byte another message")
    }
    require(whole.parts.count <= Found.limits.parts, "more parts than allowed")
    require(whole.parts.reduce(0) { $0 + $1.content.count } <= message.count, "content from nowhere")
    let ids = whole.parts.compactMap(\.header.contentID)
    require(Set(ids).count == ids.count, "two parts with one identifier")
    for part in whole.parts {
        let fields = part.header.fields.flatMap { [$0.name, $0.value] } + [part.header.contentType]
        require(!fields.contains { $0.utf8.contains { $0 == 10 || $0 == 13 || $0 == 0 } }, "a field of two lines")
        require(part.header.fileName.map { !$0.utf8.contains(UInt8(ascii: "/")) } ?? true, "a path")
    }

    // A message that was read can be written and read again.
    guard
        let received = try? ReceivedMessage(
            message, contentType: "multipart/related; boundary=b; start=\"<a>\"", limits: Found.limits),
        let again = try? MultipartMessage(
            envelope: received.root, packaging: .attachments, version: .soap11, attachments: received.attachments),
        let bytes = again.body.bytes
    else { return 0 }
    guard let reread = try? ReceivedMessage(bytes, contentType: again.contentType) else {
        fatalError("what was written cannot be read")
    }
    require(reread.root == received.root, "another envelope")
    require(reread.attachments.map(Sent.init) == received.attachments.map(Sent.init), "other attachments")
    return 0
}

/// An attachment as received.
struct Sent: Equatable {
    var names: [String?]
    var content: [UInt8]?

    init(_ attachment: MessageAttachment) {
        names = [attachment.contentID, attachment.contentType, attachment.contentLocation, attachment.fileName]
        content = try? attachment.bytes()
    }
}

/// The result of a reader for a message in pieces.
struct Found: Equatable {
    struct Part: Equatable {
        var header: PartHeader
        var content: [UInt8] = []
        var isComplete = false
    }

    var parts: [Part] = []
    var error: String?

    static let limits: AttachmentLimits = {
        var limits = AttachmentLimits()
        limits.parts = 8
        limits.headerBytes = 200
        limits.headerFields = 5
        limits.totalBytes = 4000
        return limits
    }()

    init(_ pieces: [[UInt8]], isStrict: Bool) {
        do {
            var reader = try MultipartReader(boundary: "b", limits: Self.limits, takesBareLineFeeds: !isStrict)
            for piece in pieces { try reader.push(piece) { take($0) } }
            try reader.finish { take($0) }
        } catch {
            self.error = "\(error)"
        }
    }

    /// The content of a refused part is not compared: how much of it is delivered before the error depends on the cuts.
    static func == (left: Found, right: Found) -> Bool {
        guard left.error == right.error else { return false }
        return left.error == nil
            ? left.parts == right.parts
            : left.parts.filter(\.isComplete) == right.parts.filter(\.isComplete)
    }

    private mutating func take(_ event: MultipartEvent) {
        switch event {
        case .part(let header):
            require(parts.last?.isComplete ?? true, "a part in a part")
            parts.append(Part(header: header))
        case .content(let bytes):
            require(!bytes.isEmpty && parts.last?.isComplete == false, "content of nothing")
            parts[parts.count - 1].content += bytes
        case .endOfPart:
            require(parts.last?.isComplete == false, "the end of nothing")
            parts[parts.count - 1].isComplete = true
        }
    }
}

func cut(_ message: [UInt8], _ cuts: [UInt8]) -> [[UInt8]] {
    let places = [0] + cuts.map { Int($0) * message.count / 256 }.sorted() + [message.count]
    return zip(places, places.dropFirst()).map { Array(message[$0..<$1]) }
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

import SignetHTTP
import SignetTLS
import SignetTesting
import Testing

@testable import SignetNIOTransport

/// Frames that break the rules of RFC 9113, after the sections of h2spec that apply to a client.
private struct HostileFrames: Sendable {
    let name: String
    /// Whether the frames do no harm to an answer that comes with them.
    var isHarmless = false

    static let all: [HostileFrames] =
        [
            "frame-too-large", "data-on-idle-stream", "data-on-stream-0", "head-on-stream-0", "head-on-even-stream",
            "data-before-head", "reset-of-idle-stream", "reset-of-stream-0", "reset-too-short", "window-0",
            "window-overflow", "window-too-short", "settings-on-stream", "settings-of-odd-length",
            "settings-ack-with-content", "settings-push-2", "settings-window-too-large", "settings-window-lowered",
            "settings-large-table",
            "settings-frame-too-small",
            "ping-on-stream", "ping-too-short", "goaway-on-stream", "goaway-too-short", "continuation-alone",
            "continuation-of-other-stream", "data-inside-head", "push", "padding-too-long", "priority-too-short",
            "hpack-index", "hpack-cut", "hpack-table-too-large", "upper-case-name", "connection-field",
            "transfer-encoding", "no-status", "two-statuses", "late-status", "strange-pseudo-field",
            "request-pseudo-field", "status-no-number", "status-101", "line-feed-in-value", "two-heads",
            "trailers-without-end", "content-too-long", "ping-flood", "settings-flood", "empty-data-flood",
            "continuation-flood", "interim-flood", "reset-flood", "priority-flood", "large-head", "http1-answer",
            "half-frame", "random",
        ].map { HostileFrames(name: $0) }
        // The client has sent its request, so that it no longer matters how much the server would take.
        + ["window-0-of-stream", "window-overflow-of-stream", "data-after-end"].map {
            HostileFrames(name: $0, isHarmless: true)
        }
}

extension HTTP2Tests {
    @Test func hostileFramesEndTheCallAtMost() async throws {
        try await withPeer { peer, transport async throws in
            for frames in HostileFrames.all {
                do {
                    let response = try await transport.call(peer.url("/hostile/\(frames.name)")) {
                        $0.deadlines.total = .seconds(30)
                    }
                    #expect(frames.isHarmless, "\(frames.name) was answered with \(response.status)")
                } catch let error as TransportError {
                    #expect(!frames.isHarmless, "\(frames.name): \(error)")
                    // Not the deadline: the client ends the call itself.
                    let codes: [TransportError.Code] = [.malformedResponse, .responseTooLarge, .connectionClosed]
                    #expect(codes.contains(error.code), "\(frames.name): \(error)")
                    #expect(error.mayHaveBeenProcessed, "\(frames.name): \(error)")
                }
                // The harm is limited to the connection, whose end the client may not have seen yet.
                transport.renewConnections()
                #expect(try await transport.call(peer.url("/ok")).text == "ok", "\(frames.name)")
            }
            #expect(try peer.requests.filter { $0.path != "/ok" }.count == HostileFrames.all.count)
        }
    }
}

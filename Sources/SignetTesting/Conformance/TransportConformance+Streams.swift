import HTTPTypes
import SignetHTTP
import Synchronization

/// Checks of content that the caller takes while it arrives.
extension TransportConformance {
    private static let content = String(repeating: "0123456789abcdef", count: 20_000)
    private static let length = "HTTP/1.1 200 OK\r\nContent-Length: 320000\r\n\r\n"
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private static func framed(_ name: String, _ steps: [ServerStep]) -> Check {
        Check("passes on content \(name)", [steps]) { trial in
            let receiver = Receiver()
            let answer = try await trial.answer(to: trial.request { $0.contentReceiver = receiver })
            try trial.expect(answer.body.isEmpty, "\(answer.body.count) bytes were kept besides")
            try trial.expect(receiver.asked == [200], "it was asked for \(receiver.asked)")
            try trial.expect(receiver.bytes == Array(content.utf8), "the content differs")
        }
    }

    static let streams = [
        framed("of known length", [.read, .send(length + content), .stall]),
        framed("in chunks", [.read, .send(chunked + "4e200\r\n\(content)\r\n0\r\n\r\n"), .stall]),
        framed("that ends with the connection", [.read, .send("HTTP/1.1 200 OK\r\n\r\n" + content), .close]),
        Check("keeps content that the receiver does not take", [[.read, .send(ok), .stall]]) { trial in
            let receiver = Receiver(takes: false)
            let answer = try await trial.answer(to: trial.request { $0.contentReceiver = receiver })
            try trial.expect(answer.body == Array("ok".utf8), "the content differs")
            try trial.expect(
                receiver.asked == [200] && receiver.bytes.isEmpty, "it received content that it did not take")
        },
        Check(
            "does not ask the receiver about interim answers",
            [[.read, .send("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok), .stall]]
        ) { trial in
            let receiver = Receiver()
            _ = try await trial.answer(to: trial.request { $0.contentReceiver = receiver })
            try trial.expect(receiver.asked == [200], "it was asked for \(receiver.asked)")
            try trial.expect(receiver.bytes == Array("ok".utf8), "the content differs")
        },
        Check("ends a call when the receiver refuses the content", [[.read, .send(length + content), .stall]]) {
            trial in
            let receiver = Receiver { _ in throw TransportConformance.Failure(description: "the disk is full") }
            let error = try await trial.failure(of: trial.request { $0.contentReceiver = receiver }, .contentRefused)
            try trial.expect(error.cause is TransportConformance.Failure, "the cause is missing: \(error)")
            try trial.expect(error.mayHaveBeenProcessed, "the server has processed the message")
        },
        Check(
            "reports streamed content that ends too early", [[.read, .send(length + "01234"), .close]]
        ) { trial in
            try await trial.failure(of: trial.request { $0.contentReceiver = Receiver() }, .connectionClosed)
        },
        Check(
            "passes on no more bytes than allowed", needs: [.streaming],
            [[.read, .send(chunked), .flood("100\r\n\(String(repeating: "x", count: 256))\r\n")]]
        ) { trial in
            let receiver = Receiver()
            try await trial.failure(
                of: trial.request {
                    $0.contentReceiver = receiver
                    $0.maximumStreamedBytes = 100_000
                }, .responseTooLarge)
            try trial.expect(receiver.bytes.count <= 100_000, "\(receiver.bytes.count) bytes were handed on")
        },
        Check(
            "passes on more bytes than may be kept", needs: [.streaming], [[.read, .send(length + content), .stall]]
        ) { trial in
            let receiver = Receiver()
            _ = try await trial.answer(
                to: trial.request {
                    $0.contentReceiver = receiver
                    $0.maximumResponseBytes = 1_000
                })
            try trial.expect(receiver.bytes == Array(content.utf8), "the content differs")
        },
        Check(
            "does not count the receiver's time as silence", needs: [.streaming, .deadlines],
            [[.read, .send(length + content), .stall]]
        ) { trial in
            let receiver = Receiver { _ in try await Task.sleep(for: .milliseconds(300)) }
            _ = try await trial.answer(
                to: trial.request {
                    $0.contentReceiver = receiver
                    $0.deadlines.read = .milliseconds(200)
                })
            try trial.expect(receiver.bytes == Array(content.utf8), "the content differs")
        },
        Check(
            "ends a call when the receiver takes too long", needs: [.deadlines],
            [[.read, .send(length + content), .stall]]
        ) { trial in
            let receiver = Receiver { _ in await Task.detached { try? await Task.sleep(for: .seconds(10)) }.value }
            let start = ContinuousClock.now
            try await trial.failure(
                of: trial.request {
                    $0.contentReceiver = receiver
                    $0.deadlines.total = .milliseconds(500)
                }, .deadlineExceeded)
            try trial.expect(ContinuousClock.now - start < .seconds(8), "it waited for long")
        },
    ]

    private final class Receiver: ContentReceiver {
        private let wants: Bool
        private let work: @Sendable ([UInt8]) async throws -> Void
        private let state = Mutex((asked: [Int](), bytes: [UInt8]()))

        init(takes: Bool = true, _ work: @escaping @Sendable ([UInt8]) async throws -> Void = { _ in }) {
            wants = takes
            self.work = work
        }

        var asked: [Int] { state.withLock { $0.asked } }
        var bytes: [UInt8] { state.withLock { $0.bytes } }

        func takes(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool {
            state.withLock { $0.asked.append(status.code) }
            return wants
        }

        func receive(_ bytes: [UInt8]) async throws {
            try await work(bytes)
            state.withLock { $0.bytes += bytes }
        }
    }
}

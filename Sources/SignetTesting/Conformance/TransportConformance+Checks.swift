import HTTPTypes
import SignetHTTP

extension TransportConformance {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static func answer(_ text: String) -> [[ServerStep]] { [[.read, .send(text), .stall]] }

    static let all: [Check] = requests + answers + failures + repetitions + framing + bounds + streams

    private static let requests = [
        Check("sends the method, the path, the fields and the content as they are", [[.read, .echo]]) { trial in
            let answer = try await trial.answer(
                to: trial.request(.put, "<a>ü</a>") {
                    $0.path = "/service/part?x=%20y"
                    $0.fields[.contentType] = "text/xml; charset=utf-8"
                    if let name = HTTPField.Name("X-Own") { $0.fields[name] = "value" }
                })
            try trial.expect(answer.body == Array("<a>ü</a>".utf8), "the content was not sent as it is")
            let head = trial.requests.first?.head ?? ""
            let lines = head.split(separator: "\r\n").map { $0.lowercased() }
            try trial.expect(head.hasPrefix("PUT /service/part?x=%20y HTTP/1.1"), "the request line is wrong: \(head)")
            for line in [
                "content-type: text/xml; charset=utf-8", "x-own: value", "content-length: 9",
                "host: \(trial.endpoint.origin.authority)",
            ] { try trial.expect(lines.contains(line), "there is no “\(line)” in \(head)") }
        },
        Check("announces that a message has no content", [[.read, .send(ok), .stall]]) { trial in
            _ = try await trial.answer(to: trial.request(.post, ""))
            let head = trial.requests.first?.head.lowercased() ?? ""
            try trial.expect(head.contains("content-length: 0"), "RFC 9110 §8.6 wants a length of 0: \(head)")
        },
        Check("sends a large message", [[.read, .echo]]) { trial in
            let content = String(repeating: "<element>0123456789</element>", count: 40_000)
            let answer = try await trial.answer(to: trial.request(.post, content))
            try trial.expect(answer.body.count == content.utf8.count, "\(answer.body.count) bytes came back")
            try trial.expect(answer.body == Array(content.utf8), "the content was not sent as it is")
        },
        Check("sends content that is produced while it is sent", [[.read, .echo, .read, .echo]]) { trial in
            for length in [200_000, nil] {
                let answer = try await trial.answer(
                    to: trial.request {
                        $0.body = HTTPBody(length: length, isReplayable: true) { writer in
                            for _ in 0..<20 { try await writer.write(Array(repeating: 0x61, count: 10_000)) }
                        }
                    })
                try trial.expect(
                    answer.body == Array(repeating: 0x61, count: 200_000), "the content was not sent as it is")
            }
        },
        Check("reports that the content could not be produced", [[.read, .send(ok), .stall]]) { trial in
            let error = try await trial.failure(
                of: trial.request {
                    $0.body = HTTPBody(length: 10, isReplayable: false) { writer in
                        try await writer.write([0x61])
                        throw TransportConformance.Failure(description: "the file has ended")
                    }
                }, .contentFailed)
            try trial.expect(error.cause is TransportConformance.Failure, "the cause is missing: \(error)")
            try trial.expect(trial.requests.allSatisfy { $0.content.isEmpty }, "half of it was taken for all")
        },
        Check(
            "serves many calls at a time, each with its own answer",
            [Array(repeating: [.read, .echo], count: 100).flatMap { $0 }]
        ) { trial in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let answer = try await trial.answer(to: trial.request(.post, "call \(number)"))
                        return answer.body == Array("call \(number)".utf8)
                    }
                }
                for try await isOwn in group { try trial.expect(isOwn, "a call got the answer of another") }
            }
        },
    ]

    private static let answers = [
        Check(
            "gives back any status with its fields and content",
            answer("HTTP/1.1 500 No\r\nContent-Type: text/xml\r\nX-A: 1\r\nX-A: 2\r\nContent-Length: 5\r\n\r\nfault")
        ) { trial in
            let answer = try await trial.answer(to: trial.request())
            try trial.expect(answer.status.code == 500, "the status is \(answer.status.code)")
            try trial.expect(answer.fields[.contentType] == "text/xml", "fields are missing: \(answer)")
            try trial.expect(answer.body == Array("fault".utf8), "the content differs")
        },
        Check(
            "reads chunks and trailers", answer(chunked + "3;x=y\r\nabc\r\n4\r\ndefg\r\n0\r\nTrailer: t\r\n\r\n")
        ) { trial in
            let answer = try await trial.answer(to: trial.request())
            try trial.expect(answer.body == Array("abcdefg".utf8), "the content differs")
        },
        Check(
            "reads content that ends with the connection", [[.read, .send("HTTP/1.1 200 OK\r\n\r\nall of it"), .close]]
        ) { trial in
            let answer = try await trial.answer(to: trial.request())
            try trial.expect(answer.body == Array("all of it".utf8), "the content differs")
        },
        Check("skips interim answers", answer("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + ok)) { trial in
            let answer = try await trial.answer(to: trial.request())
            try trial.expect(answer.status.code == 200, "the status is \(answer.status.code)")
        },
        Check("expects no content after HEAD", answer("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")) { trial in
            let answer = try await trial.answer(to: trial.request(.head, ""))
            try trial.expect(answer.body.isEmpty, "there is content")
        },
        Check("expects no content with 204", answer("HTTP/1.1 204 No Content\r\n\r\n")) { trial in
            let answer = try await trial.answer(to: trial.request())
            try trial.expect(answer.status.code == 204 && answer.body.isEmpty, "\(answer)")
        },
        Check(
            "follows no redirect",
            [
                [.read, .send("HTTP/1.1 302 Found\r\nLocation: /else\r\nContent-Length: 0\r\n\r\n"), .stall],
                [.read, .send(ok), .stall],
            ]
        ) { trial in
            let answer = try await trial.answer(to: trial.request())
            try trial.expect(answer.status.code == 302, "the status is \(answer.status.code)")
            try trial.expect(trial.requests.count == 1, "there was a second request")
        },
        Check("reports the exchange", needs: [.reports], answer(ok)) { trial in
            let report = try await trial.answer(to: trial.request()).report
            try trial.expect(report.legs.map(\.status) == [200], "the legs are \(report.legs)")
            try trial.expect(report.connection.number > 0, "the connection has no number")
            try trial.expect(report.duration > .zero, "the exchange took no time")
        },
    ]

    private static let failures = [
        Check("reports that no server listens", [[.close]]) { trial in
            // A port below 1024 at which no server of this machine listens.
            var request = trial.request()
            request.endpoint = try Endpoint("http://127.0.0.1:1/")
            let error = try await trial.failure(of: request, .connectionRefused)
            try trial.expect(!error.mayHaveBeenProcessed, "nothing can have been processed")
        },
        Check("reports that a host has no address", [[.close]]) { trial in
            var request = trial.request()
            request.endpoint = try Endpoint("http://no-such-host.invalid/")
            let error = try await trial.failure(of: request, .unknownHost)
            try trial.expect(!error.mayHaveBeenProcessed, "nothing can have been processed")
        },
        Check("reports that the server closed before the answer", [[.read, .close]]) { trial in
            let error = try await trial.failure(of: trial.request(), .connectionClosed)
            try trial.expect(error.mayHaveBeenProcessed, "the server may have processed the message")
        },
        Check("reports that the server reset the connection", [[.read, .reset]]) { trial in
            let error = try await trial.failure(of: trial.request(), .connectionClosed)
            try trial.expect(error.mayHaveBeenProcessed, "the server may have processed the message")
        },
        Check(
            "refuses an answer that ends too early",
            [[.read, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234"), .close]]
        ) { trial in try await trial.failure(of: trial.request(), .connectionClosed) },
        Check("refuses chunks without a last chunk", [[.read, .send(chunked + "2\r\nab\r\n"), .close]]) {
            trial in try await trial.failure(of: trial.request(), .connectionClosed)
        },
        Check("reports that the answer is not HTTP", answer("SSH-2.0-OpenSSH_9.2\r\n\r\n")) { trial in
            try await trial.failure(of: trial.request(), .malformedResponse)
        },
        Check("ends with its task", [[.read, .stall]]) { trial in
            let task = Task { try await trial.failure(of: trial.request(), .cancelled) }
            let limit = ContinuousClock.now + .seconds(5)
            while trial.requests.isEmpty {
                try trial.expect(ContinuousClock.now < limit, "there was no request")
                try await Task.sleep(for: .milliseconds(5))
            }
            let start = ContinuousClock.now
            task.cancel()
            _ = try await task.value
            try trial.expect(ContinuousClock.now - start < .seconds(5), "it went on for long")
        },
        Check("does nothing for a task that has ended", [[.read, .send(ok), .stall]]) { trial in
            let task = Task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                return try await trial.failure(of: trial.request(), .cancelled)
            }
            let error = try await task.value
            try trial.expect(!error.mayHaveBeenProcessed, "nothing can have been processed")
            try trial.expect(trial.requests.isEmpty, "there was a request")
        },
        Check("refuses a call after its end", answer(ok)) { trial in
            try await trial.transport.shutdown()
            try await trial.failure(of: trial.request(), .shutDown)
        },
    ]

    private static let repetitions = [
        Check(
            "reuses a connection", needs: [.reuse, .reports], [[.read, .echo, .read, .echo, .read, .echo]]
        ) { trial in
            for number in 0..<3 {
                let answer = try await trial.answer(to: trial.request())
                try trial.expect(answer.report.connection.reused == (number > 0), "call \(number)")
            }
            try trial.expect(Set(trial.requests.map(\.connection)) == [1], "there were more connections")
        },
        Check(
            "continues when the server has closed a kept connection",
            [[.read, .send(ok), .close], [.read, .send(ok), .stall]]
        ) { trial in
            _ = try await trial.answer(to: trial.request())
            try await Task.sleep(for: .milliseconds(100))
            _ = try await trial.answer(to: trial.request())
            try trial.expect(trial.requests.count == 2, "there were \(trial.requests.count) requests")
        },
        Check(
            "never repeats a message that may have been processed", needs: [.reuse],
            [[.read, .send(ok), .read, .close], [.read, .send(ok), .stall]]
        ) { trial in
            _ = try await trial.answer(to: trial.request())
            let error = try await trial.failure(of: trial.request(), .connectionClosed)
            try trial.expect(error.mayHaveBeenProcessed, "the server may have processed the message")
            try trial.expect(trial.requests.count == 2, "there were \(trial.requests.count) requests")
        },
        Check(
            "does not give an unrequested answer to a later call", needs: [.reuse],
            [[.read, .send(ok + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"), .stall], [.read, .echo]]
        ) { trial in
            _ = try await trial.answer(to: trial.request())
            let answer = try await trial.answer(to: trial.request(.post, "mine"))
            try trial.expect(answer.body == Array("mine".utf8), "the call got what came before it")
        },
    ]

    private static let framing = [
        ("two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"),
        (
            "a length beside chunks",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        ("a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"),
        ("a field with a zero", "HTTP/1.1 200 OK\r\nA: b\0c\r\nContent-Length: 0\r\n\r\n"),
        ("a chunk without a size", chunked + "xyz\r\n"),
    ].map { name, text in
        Check("refuses \(name)", needs: [.strictFraming], answer(text)) { trial in
            try await trial.failure(of: trial.request(), .malformedResponse)
        }
    }

    private static let bounds = [
        Check(
            "refuses an answer that announces too many bytes", needs: [.limits],
            answer("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n")
        ) { trial in
            try await trial.failure(of: trial.request { $0.maximumResponseBytes = 1_000 }, .responseTooLarge)
        },
        Check(
            "refuses an answer of too many bytes", needs: [.limits],
            [[.read, .send(chunked), .flood("100\r\n\(String(repeating: "x", count: 256))\r\n")]]
        ) { trial in
            try await trial.failure(of: trial.request { $0.maximumResponseBytes = 1_000 }, .responseTooLarge)
        },
        Check("accepts an answer of the maximum size", answer(ok)) { trial in
            _ = try await trial.answer(to: trial.request { $0.maximumResponseBytes = 2 })
        },
        Check(
            "refuses endless fields", needs: [.limits], [[.read, .send("HTTP/1.1 200 OK\r\n"), .flood("A: b\r\n")]]
        ) { trial in try await trial.failure(of: trial.request(), .responseTooLarge) },
        Check("ends a call at the deadline for silence", needs: [.deadlines], [[.read, .stall]]) { trial in
            let start = ContinuousClock.now
            let error = try await trial.failure(
                of: trial.request { $0.deadlines.read = .milliseconds(300) }, .readTimeout)
            try trial.expect(error.mayHaveBeenProcessed, "the server may have processed the message")
            try trial.expect(ContinuousClock.now - start < .seconds(10), "it waited for long")
        },
        Check(
            "ends a call at the total deadline", needs: [.deadlines],
            [[.read, .send("HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n"), .drip("x", milliseconds: 20)]]
        ) { trial in
            let start = ContinuousClock.now
            try await trial.failure(
                of: trial.request { $0.deadlines.total = .milliseconds(500) }, .deadlineExceeded)
            try trial.expect(ContinuousClock.now - start < .seconds(10), "it waited for long")
        },
    ]
}

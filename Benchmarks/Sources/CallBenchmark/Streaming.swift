import CallCounters
import Foundation
import Signet

/// An answer of any length, whose entries are handed over while it arrives, and the same entries in memory.
enum Streaming {
    private static let types = "urn:signet:example:webease:types"
    private static let path = [XMLName(types, "LogEntryQueryResponse"), XMLName(types, "entry")]
    private static let input = WebEase.LogEntryQuery(patientId: "P-104711")

    /// What has been read, so that nothing can be left out.
    private struct Tally: Equatable {
        var entries = 0
        var sum: Int64 = 0

        mutating func add(_ entry: WebEase.LogEntry) {
            entries += 1
            sum &+= entry.id &+ Int64(entry.systolic)
        }
    }

    /// What work has taken, in seconds.
    private struct Cost {
        var wall = 0.0
        var processor = 0.0

        static func of(_ work: () async throws -> Void) async rethrows -> Cost {
            let (start, before) = (ContinuousClock.now, call_counters().processor)
            try await work()
            let wall = (ContinuousClock.now - start) / .seconds(1)
            return Cost(wall: wall, processor: Double(call_counters().processor - before) / 1e6)
        }
    }

    /// Prints the bytes and entries of a stream, what it has cost, its peak of memory over idle in bytes, and what it
    /// costs to read as many entries in memory, from an answer with those of the template.
    static func run(_ client: WebEase.Client, bytes: Int, template: [UInt8]) async throws -> String {
        let tally = { (bytes: Int) in
            var tally = Tally()
            var caller = client.caller
            caller.endpoint = try Endpoint("\(caller.endpoint.origin)/\(bytes)")
            let answer = try await caller.answer(
                to: WebEase.Operations.logEntryQuery, input, each: path, of: WebEase.LogEntry.self
            ) { tally.add($0) }
            guard answer.output.entry.isEmpty, !answer.output.truncated else { throw CallBenchmark.Usage() }
            return tally
        }
        // What is made once is there: the connection, and what the runtime keeps.
        _ = try await tally(4 << 20)
        let idle = try resident()
        var streamed = Tally()
        let stream = try await Cost.of { streamed = try await tally(bytes) }
        let peak = try status("VmHWM:") - idle

        let local = WebEase.Client(
            ServiceCaller(endpoint: try Endpoint("http://localhost/"), transport: Kept(template)))
        var read = Tally()
        for entry in try await local.logEntryQuery(input).entry { read.add(entry) }
        let rounds = streamed.entries / max(read.entries, 1)
        guard rounds > 0, streamed == Tally(entries: read.entries * rounds, sum: read.sum &* Int64(rounds)) else {
            throw CallBenchmark.Usage()
        }
        var again = Tally()
        let memory = try await Cost.of {
            for _ in 0..<rounds { for entry in try await local.logEntryQuery(input).entry { again.add(entry) } }
        }
        guard again == streamed else { throw CallBenchmark.Usage() }
        let figures = [stream.wall, stream.processor, memory.wall, memory.processor]
        return ([String(again.entries)] + figures.map { String(format: "%.3f", $0) } + [String(peak)]).joined(
            separator: " ")
    }

    /// Bytes that are resident now. Where the system allows it, the peak is counted from here on
    /// (proc_pid_clear_refs(5)).
    private static func resident() throws -> Int {
        try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        return try status("VmRSS:")
    }

    private static func status(_ name: String) throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first
        guard let bytes = kilobytes.flatMap({ Int($0) }) else { throw CallBenchmark.Usage() }
        return bytes << 10
    }
}

/// Answers every request with the same bytes.
private struct Kept: ClientTransport {
    let response: ClientResponse

    init(_ content: [UInt8]) {
        response = ClientResponse(status: .ok, body: content)
    }

    func send(_ request: ClientRequest) async throws -> ClientResponse { response }

    func shutdown() async throws {}
}

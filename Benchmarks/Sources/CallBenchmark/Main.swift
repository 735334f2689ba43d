import CallCounters
import Foundation
import Signet

/// One side of the call benchmark; `curl/call.c` is the other. A call is typed, from a value to a value.
///
///     call URL FOLDER CALLS OPEN      calls, so many of them open at a time; prints what one has cost
///     make FILE                       writes the request, for libcurl to send
@main struct CallBenchmark {
    struct Usage: Error {}

    static func main() async throws {
        let arguments = CommandLine.arguments
        func argument(_ index: Int) throws -> String {
            guard arguments.indices.contains(index) else { throw Usage() }
            return arguments[index]
        }
        switch try argument(1) {
        case "make": try await make(argument(2))
        case "call":
            guard let calls = Int(try argument(4)), let open = Int(try argument(5)), calls > 0, open > 0 else {
                throw Usage()
            }
            print(try await cost(of: calls, open: open, at: argument(2), folder: argument(3)))
        default: throw Usage()
        }
    }

    private static let input = WebEase.LogEntryQuery(patientId: "P-104711")

    // MARK: The request

    private static func make(_ file: String) async throws {
        let recorder = Recorder()
        let caller = ServiceCaller(endpoint: try Endpoint("http://localhost/"), transport: recorder)
        _ = try? await WebEase.Client(caller).logEntryQuery(input)
        try Data(await recorder.message).write(to: URL(filePath: file))
    }

    // MARK: The calls

    private static func cost(of calls: Int, open: Int, at url: String, folder: String) async throws -> String {
        func bytes(_ name: String) throws -> [UInt8] {
            Array(try Data(contentsOf: URL(filePath: "\(folder)/\(name)")))
        }
        var service = try ServiceConfiguration(url)
        service.identity = .fixed(try Identity(pem: bytes("client.pem"), privateKey: bytes("client.key")))
        service.trust = .anchors(try .init(pem: bytes("authority.pem")))
        service.maximumConnections = open
        let client = WebEase.Client(service)
        count_jobs()
        // What is done once is left out: connections are opened first.
        try await run(20 * open, open: open, client)
        let before = call_counters()
        try await run(calls, open: open, client)
        let after = call_counters()
        try await client.shutdown()
        func each(_ part: KeyPath<CallCounters, UInt64>) -> Double {
            Double(after[keyPath: part] - before[keyPath: part]) / Double(calls)
        }
        return String(
            format: "%.3f %.2f %.2f %.2f", each(\.processor), each(\.allocations), each(\.enqueued), each(\.switches))
    }

    private static func run(_ calls: Int, open: Int, _ client: WebEase.Client) async throws {
        guard open > 1 else { return try await run(calls, client) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<open {
                let share = calls / open + (number < calls % open ? 1 : 0)
                group.addTask { try await run(share, client) }
            }
            try await group.waitForAll()
        }
    }

    private static func run(_ calls: Int, _ client: WebEase.Client) async throws {
        for _ in 0..<calls {
            let answer = try await client.logEntryQuery(input)
            guard answer.entry.count == 2 else { throw Usage() }
        }
    }
}

/// Keeps what would be sent.
private actor Recorder: ClientTransport {
    private(set) var message: [UInt8] = []

    nonisolated func send(_ request: ClientRequest) async throws -> ClientResponse {
        await keep(request)
        throw TransportError(.connectionRefused, "Nothing is sent.")
    }

    nonisolated func shutdown() async throws {}

    private func keep(_ request: ClientRequest) { message = request.body.bytes ?? [] }
}

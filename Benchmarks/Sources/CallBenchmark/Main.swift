import CallCost
import Foundation
import Signet

/// Signet's side of the call benchmark. A call is typed, from a value to a value.
///
///     call URL FOLDER CALLS OPEN      calls, so many of them open at a time; prints what one has cost
///     new URL FOLDER CALLS OPEN       the same, where the server closes the connection after each answer
///     idle URL FOLDER CONNECTIONS     prints what an idle connection costs
///     serve PORT FOLDER               the other end: serves the operation until it is killed
///     make FILE [ENTRIES]             writes the request, for the others to send, and how many entries it asks for
///     stream URL FOLDER BYTES FILE    one call with an answer of so many bytes at least, made of the entries of a
///                                     file; prints what it has cost, and what the same entries cost in memory
@main struct CallBenchmark {
    struct Usage: Error {}
    struct BadAnswer: Error {}

    static func main() async throws {
        let arguments = CommandLine.arguments
        func argument(_ index: Int) throws -> String {
            guard arguments.indices.contains(index) else { throw Usage() }
            return arguments[index]
        }
        func number(_ index: Int) throws -> Int {
            guard let number = Int(try argument(index)), number > 0 else { throw Usage() }
            return number
        }
        switch try argument(1) {
        case "make": try await make(argument(2), entries: arguments.count > 3 ? Int32(number(3)) : nil)
        case "serve": try await Diary.serve(port: number(2), folder: argument(3))
        case "call", "new":
            let open = try number(5)
            let client = try client(at: argument(2), folder: argument(3), connections: open)
            try await printCost(of: number(4), open: open) { _ in try await call(client) }
            try await client.shutdown()
        case "idle":
            let connections = try number(4)
            let client = try client(at: argument(2), folder: argument(3), connections: connections)
            try await printIdleCost(of: connections) { count in
                try await client.warmUp(connections: count)
                try await withThrowingTaskGroup { group in
                    for _ in 0..<count { group.addTask { try await call(client) } }
                    try await group.waitForAll()
                }
            }
            try await client.shutdown()
        case "stream":
            print(try await stream(of: number(4), at: argument(2), folder: argument(3), template: argument(5)))
        default: throw Usage()
        }
    }

    private static let input = WebEase.LogEntryQuery(patientId: "P-104711")

    // MARK: The request

    private static func make(_ file: String, entries: Int32?) async throws {
        var input = input
        input.limit = entries
        let recorder = Recorder()
        let caller = ServiceCaller(endpoint: try Endpoint("http://localhost/"), transport: recorder)
        _ = try? await WebEase.Client(caller).logEntryQuery(input)
        try Data(await recorder.message).write(to: URL(filePath: file))
    }

    // MARK: The calls

    private static func client(at url: String, folder: String, connections: Int) throws -> WebEase.Client {
        func bytes(_ name: String) throws -> [UInt8] { try contents(of: "\(folder)/\(name)") }
        var service = try ServiceConfiguration(url)
        service.identity = .fixed(try Identity(pem: bytes("client.pem"), privateKey: bytes("client.key")))
        service.trust = .anchors(try .init(pem: bytes("authority.pem")))
        service.maximumConnections = connections
        service.maximumConnectionsInTotal = connections
        service.deadlines.total = .seconds(3600)
        return WebEase.Client(service)
    }

    private static func call(_ client: WebEase.Client) async throws {
        guard try await client.logEntryQuery(input).entry.count == 2 else { throw BadAnswer() }
    }

    private static func contents(of file: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: file))) }

    // MARK: A stream

    private static func stream(of bytes: Int, at url: String, folder: String, template: String) async throws -> String {
        let client = try client(at: url, folder: folder, connections: 1)
        let result = try await Streaming.run(client, bytes: bytes, template: contents(of: template))
        try await client.shutdown()
        return result
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

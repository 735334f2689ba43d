import CallCost
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
        let result = try await CallCost.cost(of: calls, open: open) { _ in
            guard try await client.logEntryQuery(input).entry.count == 2 else { throw Usage() }
        }
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

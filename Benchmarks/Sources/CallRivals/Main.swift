import CallCost
import Foundation

/// Two clients in Swift that send what Signet sends and leave the XML of the answer alone.
///
///     bare COMMAND…       SwiftNIO, its TLS, and framing for this one answer: the least that a client can do
///     ahc COMMAND…        AsyncHTTPClient
///
/// The commands are those of `CallBenchmark`: `call`, `new` and `idle`. `bare serve PORT FOLDER` is a server, with the answer of the file
/// `answer.xml`.
@main struct CallRivals {
    struct Usage: Error {}
    struct BadAnswer: Error {}

    static func main() async throws {
        let arguments = CommandLine.arguments
        if arguments.count == 5, arguments[1...2] == ["bare", "serve"], let port = Int(arguments[3]) {
            return try await BareServer.run(port: port, folder: arguments[4])
        }
        guard arguments.count > 5, let url = URL(string: arguments[3]), let number = Int(arguments[5]), number > 0
        else { throw Usage() }
        let files = try Files(folder: arguments[4])
        switch arguments[2] {
        case "call", "new":
            guard arguments.count == 7, let open = Int(arguments[6]), open > 0 else { throw Usage() }
            let client = try client(arguments[1], url, files, connections: open, keepsThem: arguments[2] == "call")
            try await printCost(of: number, open: open) {
                guard try await client.call($0) > 500 else { throw BadAnswer() }
            }
            try await client.close()
        case "idle":
            let client = try client(arguments[1], url, files, connections: number, keepsThem: true)
            try await printIdleCost(of: number) { try await client.open($0) }
            try await client.close()
        default: throw Usage()
        }
    }

    private static func client(
        _ name: String, _ url: URL, _ files: Files, connections: Int, keepsThem: Bool
    ) throws -> any Rival {
        switch name {
        case "bare": try BareClient(url, files, connections: connections, keepsThem: keepsThem)
        case "ahc": try AsyncHTTPRival(url, files, connections: connections)
        default: throw Usage()
        }
    }
}

/// What the other client needs, which the benchmark's script has made.
struct Files {
    let request: [UInt8]
    let certificate, key, authority: String

    init(folder: String) throws {
        request = Array(try Data(contentsOf: URL(filePath: "\(folder)/request.xml")))
        (certificate, key, authority) = ("\(folder)/client.pem", "\(folder)/client.key", "\(folder)/authority.pem")
    }
}

protocol Rival: Sendable {
    /// Makes one call.
    ///
    /// - Parameter number: of the task, from zero: no two calls of one number overlap.
    /// - Returns: How many bytes the content of the answer has.
    func call(_ number: Int) async throws -> Int
    /// Sees to it that so many connections are open, those that it has opened before among them, and that each has
    /// carried a call.
    func open(_ connections: Int) async throws
    func close() async throws
}

import CallCost
import Foundation

/// Two clients in Swift that send what Signet sends and leave the XML of the answer alone.
///
///     bare URL FOLDER CALLS OPEN      SwiftNIO, its TLS, and framing of our own that fits this one answer: what no client can do without
///     ahc URL FOLDER CALLS OPEN       AsyncHTTPClient
///
/// Each prints what one call has cost, as `CallBenchmark` does.
@main struct CallRivals {
    struct Usage: Error {}
    struct BadAnswer: Error {}

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let url = URL(string: arguments[2]), let calls = Int(arguments[4]),
            let open = Int(arguments[5]), calls > 0, open > 0
        else { throw Usage() }
        let files = try Files(folder: arguments[3])
        let client: any Rival =
            switch arguments[1] {
            case "bare": try await BareClient(url, files, connections: open)
            case "ahc": try AsyncHTTPRival(url, files, connections: open)
            default: throw Usage()
            }
        let result = try await cost(of: calls, open: open) {
            guard try await client.call($0) > 500 else { throw BadAnswer() }
        }
        try await client.close()
        print(result)
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
    func close() async throws
}

import Foundation
import Signet
import SignetTesting

/// Checks two transports of a program's own by the rules that every transport must keep, and says which of them each does not
/// keep.
@main enum OtherTransports {
    static func main() async throws {
        var isConforming = true
        for adapter in [Adapter.asyncHTTPClient, .foundation] {
            print(adapter.name)
            var passed = 0
            for check in TransportConformance.checks(for: adapter.capabilities) {
                if let deviation = adapter.deviations[check.description] {
                    print("  left out", check, "–", deviation)
                    continue
                }
                do {
                    try await check.run { _ in adapter.make() }
                    print("  ok      ", check)
                    passed += 1
                } catch {
                    print("  WRONG   ", check, "–", error)
                    isConforming = false
                }
            }
            print("  \(passed) of \(TransportConformance.checks().count) checks pass.")
            for missing in adapter.missing {
                let checks = TransportConformance.checks().filter { $0.needs.contains(missing) }
                print("  It lacks \(missing): \(checks.count) checks.")
            }
            for limit in adapter.limits { print("  It has no", limit) }
        }
        exit(isConforming ? 0 : 1)
    }
}

/// A transport, and what it does not do.
struct Adapter {
    let name: String
    let capabilities: Set<TransportConformance.Capability>
    /// Checks that it does not pass although it has what they need, and the reasons.
    var deviations: [String: String] = [:]
    /// What it does not have and no check looks for.
    let limits: [String]
    let make: @Sendable () -> any ClientTransport

    /// The capabilities that it does not have.
    var missing: [TransportConformance.Capability] {
        TransportConformance.Capability.all.subtracting(capabilities).sorted { $0.description < $1.description }
    }

    static let asyncHTTPClient = Adapter(
        name: "AsyncHTTPClient", capabilities: TransportConformance.Capability.all.subtracting([.reports]),
        deviations: [
            "does not give an unrequested answer to a later call":
                "the later call can find the connection while it is being closed, and fails"
        ],
        limits: ["HTTP authentication; identities and trust are those of its own configuration."],
        make: { AsyncHTTPClientTransport() })

    static let foundation = Adapter(
        name: "URLSession", capabilities: foundationHas, deviations: foundationDeviations,
        limits: ["client certificates, trust policies or HTTP authentication."], make: { FoundationTransport() })

    #if canImport(FoundationNetworking)
    private static let foundationHas: Set<TransportConformance.Capability> = [.deadlines]
    private static let foundationDeviations = [
        "reads chunks and trailers": "a trailer ends the process",
        "reports that the server closed before the answer": "an empty answer and nonsense are one error here",
        "reports that the answer is not HTTP": "an answer that ended and nonsense are one error here",
    ]
    #else
    private static let foundationHas: Set<TransportConformance.Capability> = [.deadlines, .limits, .reuse]
    private static let foundationDeviations: [String: String] = [:]
    #endif
}

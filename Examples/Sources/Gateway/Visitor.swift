import Foundation
import ServiceLifecycle
import SignetEnrollment

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Asks the gateway when it has its first identity and when it has renewed it; its end ends the program.
struct Visitor: Service {
    let ports: AsyncStream<Int>
    let events: AsyncStream<IdentityManager.Event>

    func run() async throws {
        guard let port = await ports.first(where: { _ in true }),
            let url = URL(string: "http://127.0.0.1:\(port)/patients/4711/entries")
        else { return }
        var renewals = 0
        for await event in events.cancelOnGracefulShutdown() {
            switch event {
            case .renewed:
                let (json, _) = try await URLSession.shared.data(from: url)
                print(
                    renewals == 0 ? "with the first identity:" : "after the renewal:      ",
                    String(decoding: json, as: UTF8.self))
                renewals += 1
                if renewals == 2 { return }
            case .failed(let error, _): throw error
            default: break
            }
        }
    }
}

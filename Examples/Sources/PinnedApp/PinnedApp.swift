import Foundation
import SignetSOAP
import SignetURLSession

/// Calls a service as an app on Apple's systems does: with an identity that device management or a card has put into
/// the Keychain, whose key never leaves it, and with two pins for the server.
///
///     PinnedApp URL ISSUER PIN RESERVE
///
/// ISSUER is the issuer of the identity's certificate, such as `CN=Devices, O=Example`; `signet identity show` prints
/// the pins. It calls an operation `whoAmI` without parameters, and prints the answer.
@main enum PinnedApp {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 4 else {
            print("Usage: PinnedApp URL ISSUER PIN RESERVE")
            exit(2)
        }
        do { print(try await answer(Array(arguments))) } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    #if canImport(Security)
    private static func answer(_ arguments: [String]) async throws -> String {
        let (endpoint, issuer) = (try Endpoint(arguments[0]), arguments[1])
        var connection = ConnectionConfiguration()
        connection.identity = .keychain { $0.issuer == issuer }
        connection.trust = .system.pinned(to: arguments[2...].map { .publicKey(sha256: $0) })

        let transport = try URLSessionTransport(to: endpoint.origin, connection)
        let caller = ServiceCaller(endpoint: endpoint, transport: transport)
        let whoAmI = ServiceOperation<XMLAny, XMLAny>(
            name: "whoAmI", soapAction: "", version: .soap11, input: XMLName("urn:example", "whoAmI"),
            output: XMLName("urn:example", "you"))
        let answer = try await caller.call(whoAmI, XMLAny()).text
        try await transport.shutdown()
        return answer
    }
    #else
    private struct NoKeychain: Error, CustomStringConvertible {
        let description =
            "This system has no Keychain. Run PinnedApp on a system of Apple's; see SmartCard for others."
    }

    private static func answer(_ arguments: [String]) async throws -> String { throw NoKeychain() }
    #endif
}

import Foundation
import Signet

/// Calls a service with a key in a smart card or a security module, which the key never leaves:
///
///     SmartCard MODULE TOKEN KEY PIN-FILE CERTIFICATES AUTHORITY URL
///
/// It calls an operation `whoAmI` without parameters, and prints the answer.
@main enum SmartCard {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 7 else {
            print("Usage: SmartCard MODULE TOKEN KEY PIN-FILE CERTIFICATES AUTHORITY URL")
            exit(2)
        }
        do { print(try await answer(Array(arguments))) } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func answer(_ arguments: [String]) async throws -> String {
        func bytes(_ index: Int) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: arguments[index]))) }
        // A secret among the arguments would be visible in the list of processes.
        let pin = String(decoding: try bytes(3), as: UTF8.self).trimmingCharacters(in: .newlines)
        let token = try Token(module: arguments[0], label: arguments[1], pin: pin)
        let identity = try Identity(
            certificates: CertificateBundle(pem: bytes(4)).certificates, signingKey: token.key(label: arguments[2]))

        var service = try ServiceConfiguration(arguments[6])
        service.identity = .fixed(identity)
        service.trust = .anchors(try CertificateBundle(pem: bytes(5)))
        service.deadlines.connect = .seconds(20)
        let caller = ServiceCaller(service)
        let whoAmI = ServiceOperation<XMLAny, XMLAny>(
            name: "whoAmI", soapAction: "", version: .soap11, input: XMLName("urn:example", "whoAmI"),
            output: XMLName("urn:example", "you"))
        let answer = try await caller.call(whoAmI, XMLAny()).text
        try await caller.transport.shutdown()
        return answer
    }
}

import Foundation
import Signet
import SignetTesting

@testable import SignetDemo

/// The demo's service, running in this process, and the files that a user of it has.
struct WebEaseFixture {
    let world: World
    let program: Program
    let authority: String
    let distribution: String
    let distributionPassword: String
    let userPassword: String

    static func use(_ body: (WebEaseFixture) async throws -> Void) async throws {
        let program = try Program()
        let fixture = try await WebEaseFixture(program)
        let result: Result<Void, any Error>
        do { result = .success(try await body(fixture)) } catch { result = .failure(error) }
        await fixture.world.close()
        program.removeFiles()
        try result.get()
    }

    private init(_ program: Program) async throws {
        self.program = program
        world = try await World()
        authority = try program.write(Self.pem(world.serverAuthority.bundle), to: "authority.pem")
        distribution = world.folder.appending(path: "distribution.p12").path(percentEncoded: false)
        distributionPassword = try program.write("\(world.distributionPassword)\n", to: "distribution.password")
        userPassword = try program.write(world.servicePassword, to: "user.password")
    }

    static func pem(_ bundle: CertificateBundle) -> String {
        bundle.certificates.map { certificate in
            "-----BEGIN CERTIFICATE-----\n"
                + Data(certificate.der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
                + "\n-----END CERTIFICATE-----\n"
        }.joined()
    }

    /// What every call needs that is to come through with this identity.
    func arguments(identity: String, password: String) -> [String] {
        [
            "--endpoint", world.address, "--ca", authority, "--identity", identity, "--identity-password-file",
            password,
            "--user", World.serviceUser, "--password-file", userPassword,
        ]
    }

    var asDistribution: [String] { arguments(identity: distribution, password: distributionPassword) }

    func call(
        _ operation: String, _ arguments: [String], as identity: [String], input: String = ""
    ) async throws -> Program.Outcome {
        try await program.run(
            Program.path(), ["call", Program.wsdl, operation] + arguments + identity, input: input)
    }

    /// Registers a device, and gives what its calls need.
    func registeredDevice() async throws -> [String] {
        let outcome = try await call("Register", ["--set", "serialNumber=WE-1"], as: asDistribution)
        guard outcome.status == 0 else { throw Demonstration.Failure(outcome.error) }
        struct Answer: Decodable {
            var label: String
            var identity: Data
            var password: String
        }
        let answer = try JSONDecoder().decode(Answer.self, from: Data(outcome.output.utf8))
        return arguments(
            identity: try program.write(answer.identity, to: "device.p12"),
            password: try program.write(answer.password, to: "device.password"))
    }
}

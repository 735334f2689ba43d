import ArgumentParser
import Foundation
import Signet

/// Where the service is, and who is calling.
struct ConnectionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The address of the service.", valueName: "url")) var endpoint: String
    @Option(help: ArgumentHelp("A PKCS#12 file with the certificate and its key.", valueName: "file"))
    var identity: String?
    @Option(help: ArgumentHelp("A file with the password of the identity.", valueName: "file"))
    var passwordFile: String?
    @Option(help: ArgumentHelp("The environment variable with that password.", valueName: "name"))
    var passwordVariable: String?
    @Option(help: ArgumentHelp("A PEM file with the authority of the service.", valueName: "file")) var authority:
        String?
    @Flag(help: "Prints the answer, or the diagnosis of a failure, as JSON.") var json = false

    /// Makes a call, and closes the connection.
    ///
    /// - Throws: `ValidationError` for options that cannot be used; `ExitCode` for a call that failed, after its error and its
    ///   diagnosis were printed.
    func call<Answer: Sendable>(_ work: (WebEase.Client) async throws -> Answer) async throws -> Answer {
        let service: ServiceConfiguration
        do { service = try configuration() } catch { throw ValidationError("\(error)") }
        let webEase = WebEase.Client(service)
        let result: Result<Answer, any Error>
        do { result = .success(try await work(webEase)) } catch { result = .failure(error) }
        try? await webEase.shutdown()
        do { return try result.get() } catch {
            Tool.write("\(error)", to: .standardError)
            if let diagnosis = error.diagnosis {
                Tool.write(json ? diagnosis.json : diagnosis.text, to: .standardError)
            }
            throw ExitCode.failure
        }
    }

    func print(_ answer: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        Swift.print(String(decoding: try encoder.encode(answer), as: UTF8.self))
    }

    private func configuration() throws -> ServiceConfiguration {
        var service = try ServiceConfiguration(endpoint)
        if let authority { service.trust = .anchors(try CertificateBundle(pem: [UInt8](contentsOfFile: authority))) }
        if let identity {
            let file = try [UInt8](contentsOfFile: identity)
            service.identity = .fixed(try Identity(pkcs12: file, password: try password()))
        }
        return service
    }

    /// The password, which is never an argument: every user of the machine can read those.
    private func password() throws -> String {
        if let passwordFile {
            return String(decoding: try [UInt8](contentsOfFile: passwordFile), as: UTF8.self)
                .trimmingCharacters(in: .newlines)
        }
        if let passwordVariable {
            guard let password = ProcessInfo.processInfo.environment[passwordVariable] else {
                throw ValidationError("The environment has no variable \(passwordVariable).")
            }
            return password
        }
        // It does not show what is typed.
        guard let typed = getpass("Password of the identity: ") else {
            throw ValidationError(
                "There is no terminal to ask for the password; give --password-file or --password-variable.")
        }
        return String(cString: typed)
    }
}

#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetCredentials
import SignetEnrollment

struct EnrollSCEPCommand: EnrollingCommand {
    static let configuration = CommandConfiguration(
        commandName: "scep",
        abstract: "Obtain an identity from a SCEP server (RFC 8894), or renew it.",
        discussion: """
            Makes an RSA key, requests a certificate for it, and keeps both in the store under --label. When the store has an \
            identity with this label, it is renewed: where the server supports it, that identity signs the request. The key never \
            leaves the store. When the authority decides later, or the command is ended, the next run asks for the decision on the \
            same request.

            Messages are signed and encrypted, so that the address may begin with http://. --fingerprint proves the authority: \
            compare it with what its operator tells you.

            The status is 0 when the identity was obtained, 1 when not, 2 for wrong usage.

            Examples:
              signet enroll scep http://ca.example/scep --fingerprint 4d2c…e1 --challenge-file challenge \\
                --subject "CN=device 7, O=Bank" --label device --key-file store.key --unproved
              signet enroll scep http://ca.example/certsrv/mscep/mscep.dll --fingerprint 4d2c…e1 --challenge-env CHALLENGE \\
                --subject "CN=device 7" --label device --key-file store.key --prove https://api.example/soap --prove-ca api.pem
            """)

    @Argument(help: "The address of the SCEP server; /cgi-bin/pkiclient.exe is added when it has no path.")
    var url: String

    @Option(
        help: ArgumentHelp(
            "SHA-256 of the authority's certificate in hexadecimal; once more for a registration authority, whose certificate may not say that it is one.",
            valueName: "hex"), transform: CertificateFingerprint.init)
    var fingerprint: [CertificateFingerprint] = []

    @Option(
        help: ArgumentHelp("A file that holds the challenge password alone.", valueName: "file"), completion: .file())
    var challengeFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds the challenge password.", valueName: "name"))
    var challengeEnv: String?

    @Option(help: ArgumentHelp("The name of the authority, where the server has several.", valueName: "name"))
    var caName: String?

    @Flag(help: "Accept answers that are signed over SHA-1 or encrypted with DES, which old servers send.")
    var acceptWeakAnswers = false

    @OptionGroup var enrollment: EnrollmentOptions
    @OptionGroup var replacement: ReplacementOptions
    @OptionGroup(title: "The store") var store: StoreOptions
    @OptionGroup var authority: AuthorityOptions

    func validate() throws {
        if fingerprint.isEmpty { throw ValidationError("Give --fingerprint, which proves the authority.") }
        if caName?.isEmpty == true { throw ValidationError("--ca-name is empty.") }
        if challengeFile != nil, challengeEnv != nil {
            throw ValidationError("Give either --challenge-file or --challenge-env.")
        }
        if try endpoint().origin.scheme == .http, authority.identity.identity != nil {
            throw ValidationError("--identity cannot be shown at an address with http://.")
        }
    }

    func endpoint() throws -> Endpoint { try Endpoint(argument: url) }

    func enroller(at endpoint: Endpoint) async throws -> any Enroller {
        let policy = endpoint.origin.scheme == .https ? try authority.trust.loadPolicy() : nil
        var enroller = try SCEPEnroller(
            at: endpoint, fingerprints: Set(fingerprint.map(\.bytes)), trust: policy,
            over: try authority.transport(to: endpoint))
        enroller.challengePassword = try challenge()
        enroller.authorityName = caName
        enroller.acceptsWeakAnswers = acceptWeakAnswers
        return enroller
    }

    private func challenge() throws -> SecretBytes? {
        guard challengeFile != nil || challengeEnv != nil else { return nil }
        let source = SecretSource(
            purpose: "the challenge password", options: "--challenge-file or --challenge-env", file: challengeFile,
            environmentVariable: challengeEnv)
        return SecretBytes(try source.read(environment: ProcessInfo.processInfo.environment))
    }
}

/// SHA-256 of a certificate: 64 hexadecimal digits, with or without colons.
struct CertificateFingerprint {
    let bytes: [UInt8]

    @Sendable init(_ argument: String) throws {
        let digits = argument.filter { $0 != ":" && $0 != " " }.lowercased()
        guard let bytes = Text.bytes(hexadecimal: digits), bytes.count == 32 else {
            throw ValidationError("A fingerprint is SHA-256 in 64 hexadecimal digits, with or without colons.")
        }
        self.bytes = bytes
    }
}
#endif

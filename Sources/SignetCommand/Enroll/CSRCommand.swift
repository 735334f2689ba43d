#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetWSDL

/// `signet csr`: a key and a request, for an authority that is reached by another way.
struct CSRCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "csr",
        abstract: "Make a request for a certificate (PKCS#10), and its key unless there is one.",
        discussion: """
            The private key is not in the request. Send the request to the authority, and put its answer (PEM) into one file with the key: \
            `(umask 077; cat device.key answer.pem > device.pem)`. `signet identity show device.pem` then says whether they fit; \
            `signet identity convert` makes PKCS#12 of them. Files that are there are not replaced.

            Examples:
              signet csr device.csr --subject "CN=device 7, O=Bank" --new-key device.key --new-password-file device.password
              signet csr device.csr --subject "CN=api.example" --dns api.example --server --key old.pem
            """)

    @Argument(help: "The file to write the request into, in PEM.", completion: .file())
    var output: String

    @Option(help: ArgumentHelp("The subject that is asked for, as in RFC 4514.", valueName: "name"))
    var subject: String

    @Option(help: ArgumentHelp("A host that the certificate is to name as well; may be repeated.", valueName: "name"))
    var dns: [String] = []

    @Flag(help: "The certificate is for servers, in place of clients.")
    var server = false

    @Option(
        help: ArgumentHelp("Make a key, and write it into this file.", valueName: "file"), completion: .file())
    var newKey: String?

    @Option(
        help: ArgumentHelp("The kind of the new key: p256, p384, p521, ed25519 or rsa:BITS.", valueName: "kind"))
    var keyType: KeyTypeOption?

    @OptionGroup(title: "The new key") var newPassword: NewPasswordOptions

    @Option(help: ArgumentHelp("An identity whose key signs the request.", valueName: "file"), completion: .file())
    var key: String?

    @Option(
        help: ArgumentHelp("A file that holds that identity's password alone.", valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds that identity's password.", valueName: "name"))
    var passwordEnv: String?

    private static let otherFile = "Name another file."

    func validate() throws {
        if (newKey == nil) == (key == nil) { throw ValidationError("Give either --new-key or --key.") }
        if key != nil, keyType != nil || newPassword.isGiven {
            throw ValidationError("--key-type and the new password are about a new key; give --new-key.")
        }
        if newKey != nil, passwordFile != nil || passwordEnv != nil {
            throw ValidationError("--password-file and --password-env are about --key.")
        }
        if passwordFile != nil, passwordEnv != nil {
            throw ValidationError("Give either --password-file or --password-env.")
        }
        if newPassword.samePassword { throw ValidationError("--same-password: a new key has no password yet.") }
        do { _ = try SubjectName(subject) } catch { throw ValidationError("--subject: \(error.message)") }
    }

    func run() async throws {
        let pair: KeyPair
        if let key {
            let password = SecretSource(
                purpose: "the password of \(key)", options: "--password-file or --password-env", file: passwordFile,
                environmentVariable: passwordEnv)
            pair = KeyPair(of: try Identity(file: key, password: password))
        } else {
            pair = try KeyPair.generate(keyType?.kind ?? .p256)
        }
        let request = try await CertificateSigningRequest(
            subject: try SubjectName(subject), alternativeNames: dns.map { .dns($0) },
            purposes: [server ? .server : .client], key: pair)
        if let newKey {
            // The key first: a request without its key is worth nothing.
            let password = try newPassword.read(for: newKey, old: nil)
            try KeyOutput.write(try pair.pem(password: password), to: newKey, replaces: false, advice: Self.otherFile)
        }
        do { try KeyOutput.write(request.pem, to: output, replaces: false, advice: Self.otherFile) } catch {
            // No request was made for the new key, and the next run makes another one.
            if let newKey { try? FileManager.default.removeItem(atPath: newKey) }
            throw error
        }
    }
}
#endif

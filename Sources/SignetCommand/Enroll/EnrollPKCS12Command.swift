#if CommandLine
import ArgumentParser
import Foundation
import HTTPTypes
import Signet
import SignetCredentialsSQLite
import SignetDynamic
import SignetEnrollment
import Synchronization

struct EnrollPKCS12Command: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pkcs12",
        abstract: "Obtain an identity from a service that makes the key, too, and sends both as PKCS#12.",
        discussion: """
            Fetches the file, or its base64, from an address, or calls an operation of a WSDL that answers with it, and keeps the identity in the store \
            under --label. The service knows the client by the identity in the store, or by --identity before there is one, and by \
            credentials. Prefer the other commands where the service allows it: their keys never leave the store.

            Before the new identity takes the place of the one in use, it is checked: its key, validity and use, its subject with \
            --subject, its authority with --issuer, and with --prove that the service accepts it.

            The file's password is agreed upon beforehand (--pkcs12-password-file, --pkcs12-password-env, or the terminal asks), or \
            it is in the answer (--password-field). The store keeps the answer until an identity of it is in use: after a wrong \
            password or an unexpected subject, run the command again with the right one. `signet identity renew` does not run this \
            command. Values of --set are in the list of processes: put secrets into --input.

            The status is 0 when the identity was obtained, 1 when not, 2 for wrong usage.

            Examples:
              signet enroll pkcs12 https://registration.example/identity --label device --key-file store.key --ca authority.pem \\
                --user device --password-file password --pkcs12-password-file agreed --prove https://api.example/soap
              signet enroll pkcs12 WebEase.wsdl --operation Register --set serialNumber=WE-0815 --identity-field identity \\
                --password-field password --label device --key-file store.key --identity distribution.p12 --unproved
            """)

    @Argument(help: "The address of the file, which begins with https://; or the WSDL, with --operation.")
    var source: String

    @Option(
        help: ArgumentHelp("Send this file's content (POST) to get the answer.", valueName: "file"), completion: .file()
    )
    var content: String?

    @Option(help: ArgumentHelp("The media type of --content.", valueName: "type"))
    var contentType: String?

    @Option(help: ArgumentHelp("The operation, by its name in the WSDL.", valueName: "name"))
    var operation: String?

    @Option(help: ArgumentHelp("Where in the answer the file is, such as a.b.", valueName: "path"))
    var identityField: String?

    @Option(help: ArgumentHelp("Where in the answer the file's password is.", valueName: "path"))
    var passwordField: String?

    @Option(
        help: ArgumentHelp("A file that holds the password of the answered file alone.", valueName: "file"),
        completion: .file())
    var pkcs12PasswordFile: String?

    @Option(
        help: ArgumentHelp("The environment variable that holds the password of the answered file.", valueName: "name"))
    var pkcs12PasswordEnv: String?

    @Option(help: ArgumentHelp("The subject that the identity must have, as in RFC 4514.", valueName: "name"))
    var subject: String?

    @Option(
        help: ArgumentHelp("An authority that must have issued the identity; may be repeated.", valueName: "file"),
        completion: .file())
    var issuer: [String] = []

    @Flag(help: "Ask the service again, although the store has kept an answer.")
    var again = false

    @OptionGroup var replacement: ReplacementOptions
    @OptionGroup(title: "The store") var store: StoreOptions
    @OptionGroup var authority: AuthorityOptions
    @OptionGroup(title: "The call, with --operation") var call: OperationOptions
    @OptionGroup(title: "The request, with --operation") var request: RequestOptions
    @OptionGroup(title: "In the message (WS-Security), with --operation") var messageUser: MessageUserOptions

    func validate() throws {
        if let subject {
            do { _ = try SubjectName(subject) } catch { throw ValidationError("--subject: \(error.message)") }
        }
        if [passwordField, pkcs12PasswordFile, pkcs12PasswordEnv].count(where: { $0 != nil }) > 1 {
            throw ValidationError("Give one of --password-field, --pkcs12-password-file and --pkcs12-password-env.")
        }
        try authority.checkHTTPS(messageUser)
        try messageUser.checkPlaintext()
        guard operation == nil else {
            if identityField == nil { throw ValidationError("Give --identity-field: where in the answer the file is.") }
            if content != nil || contentType != nil {
                throw ValidationError("--content and --content-type are about an address; leave them out.")
            }
            try OperationOptions.check(path: identityField, "--identity-field")
            try OperationOptions.check(path: passwordField, "--password-field")
            return
        }
        if identityField != nil || passwordField != nil {
            throw ValidationError("--identity-field and --password-field are about --operation; give it too.")
        }
        if let given = call.given(request, messageUser) {
            throw ValidationError("\(given) is about the call of an operation; give --operation too.")
        }
        if contentType != nil, content == nil {
            throw ValidationError("--content-type is about --content; give it too.")
        }
        guard let endpoint = try? Endpoint(source) else {
            throw ValidationError("“\(source)” is no address with https://. For a WSDL, give --operation.")
        }
        if endpoint.origin.scheme != .https {
            throw ValidationError("The file holds a private key: fetch it from an address with https://.")
        }
    }

    func run() async throws {
        let (identity, isNew) = try await store.withStore { database in
            let identities = SQLiteIdentityStore(database)
            var replaced = try replacement.replacement(authority, in: identities)
            if let subject { replaced.requirements.subject = try SubjectName(subject) }
            if !issuer.isEmpty { replaced.requirements.authorities = try TrustPolicy(anchors: issuer) }
            let first = try await replacement.firstIdentity(authority, in: identities)
            let label = replacement.label
            let before = try await identities.identity(label: label)
            let used = Mutex<SQLiteIdentityStore.ReceivedFile?>(nil)
            let identity: Identity
            do {
                identity = try await replaced.replace(unlessValidFor: replacement.leastValidity) { [replaced] current in
                    let (file, identity) = try await obtain(
                        for: replaced, replacing: current, showing: current ?? first, in: identities)
                    used.withLock { $0 = file }
                    return identity
                }
            } catch {
                if let kept = try? await identities.receivedFile(label: label), kept.source == origin {
                    print(
                        "The store keeps the answer of the service: run the command again with what fits, or with --again to ask the service again.",
                        to: &standardError)
                }
                throw error
            }
            // Another process may have kept a later one.
            try await identities.exclusively(label: label) {
                guard let file = used.withLock({ $0 }), try await identities.receivedFile(label: label) == file else {
                    return
                }
                try await identities.keep(received: nil, label: label)
            }
            // One that was kept is renewed as it was obtained.
            if identity != before {
                try await identities.keep(recipe: EnrollmentRecipe.ofThisProcess.encoded(), label: replacement.label)
            }
            return (identity, identity != before)
        }
        try StoredIdentityEntry(label: replacement.label, identity).report(json: replacement.json, isNew: isNew)
    }

    /// Where the answer is from: one that was kept is used for the same question only.
    private var origin: String { [source, operation].compactMap(\.self).joined(separator: " ") }

    /// Alone with this label.
    private func obtain(
        for replaced: IdentityReplacement, replacing current: Identity?, showing shown: Identity?,
        in store: SQLiteIdentityStore
    ) async throws -> (SQLiteIdentityStore.ReceivedFile, Identity) {
        let label = replaced.label
        guard try await store.identity(label: replaced.requestLabel) == nil else {
            throw CommandError(
                "A key waits under “\(replaced.requestLabel)” for its certificate. Run the signet enroll that requested it again, or give it up with signet identity remove \(replaced.requestLabel)."
            )
        }
        // Before the call: the service may give the identity only once.
        let agreed = try agreedPassword()
        if !again, let kept = try await store.receivedFile(label: label) {
            guard kept.source == origin else {
                // A query may have a secret.
                let source = kept.source.prefix { $0 != "?" }
                throw CommandError(
                    "The store keeps an answer of “\(source)” for “\(label)”, from which no identity in use has come. Enroll there again, or give the answer up with --again."
                )
            }
            let identity = try identity(kept.bytes, agreed ?? kept.password, "The answer that the store has kept")
            let isOver = (identity.leaf.notAfter ?? .max) < Int64(Date().timeIntervalSince1970)
            if identity != current, !isOver { return (kept, identity) }
        }
        let (file, name) = try await file(showing: shown)
        let opened = Result { try self.identity(file.bytes, agreed ?? file.password, name) }
        // What is not PKCS#12, such as a web page, takes the place of no answer that was kept.
        if case .failure(let error as UnusableKeyFile) = opened, error.cause.code == .damaged { throw error }
        try await store.keep(received: file, label: label)
        return (file, try opened.get())
    }

    /// What the service answers, and where it is from.
    private func file(showing identity: Identity?) async throws -> (SQLiteIdentityStore.ReceivedFile, name: String) {
        guard let operation, let identityField else { return try await fetch(showing: identity) }
        let call = try call.prepared(wsdl: source, operation, request, messageUser, authority)
        for path in [identityField, passwordField] { try call.checkAnswer(has: path) }
        let answer = try await call(showing: identity)
        let name = "The answer of \(operation)"
        guard let text = try answer.text(at: identityField), let file = Text.bytes(base64: text.utf8) else {
            throw CommandError("\(name) has no base64 at \(identityField). Its content: \(answer.names).")
        }
        let password = try passwordField.map { path in
            guard let password = try answer.text(at: path) else {
                throw CommandError("\(name) has no text at \(path). Its content: \(answer.names).")
            }
            return password
        }
        return (.init(from: origin, bytes: file, password: password), name)
    }

    /// The password that was agreed upon; nil when it is in the answer, or when the user typed none.
    private func agreedPassword() throws -> String? {
        guard passwordField == nil else { return nil }
        let password = try SecretSource(
            purpose: "the password of the identity that the service sends",
            options: "--pkcs12-password-file or --pkcs12-password-env", file: pkcs12PasswordFile,
            environmentVariable: pkcs12PasswordEnv
        ).read()
        return password.isEmpty ? nil : password
    }

    private func fetch(showing identity: Identity?) async throws -> (SQLiteIdentityStore.ReceivedFile, name: String) {
        let endpoint = try Endpoint(source)
        var request = ClientRequest(endpoint, method: .get, maximumResponseBytes: KeyFile.maximumBytes)
        if let content {
            let bytes = try BoundedFile.read(content, name: "The file “\(content)”", maximumBytes: 16 << 20)
            request = ClientRequest(
                endpoint, method: .post, body: HTTPBody(bytes), maximumResponseBytes: KeyFile.maximumBytes)
            request.fields[.contentType] = contentType ?? "application/octet-stream"
        }
        let response = try await withConnections(
            to: endpoint.origin, showing: identity, trusting: try authority.trust.loadPolicy(),
            over: try authority.transport(to: endpoint)
        ) { [request] in try await $0.send(request) }
        guard response.status.kind == .successful, !response.body.isEmpty else {
            throw CommandError(
                "\(endpoint.origin) answered with \(response.status), and no identity. The store was not changed.")
        }
        let bytes = response.body
        // Some services send the file in base64.
        let file = bytes.first == 0x30 ? bytes : Text.bytes(base64: bytes) ?? bytes
        return (.init(from: origin, bytes: file, password: nil), "The answer of \(endpoint.origin)")
    }

    private func identity(_ file: [UInt8], _ password: String?, _ name: String) throws -> Identity {
        let content: KeyFile
        do { content = try KeyFile(file, password: password) } catch {
            throw UnusableKeyFile(name: name, cause: error)
        }
        let identities = try content.identities()
        guard let identity = identities.first, identities.count == 1 else {
            throw CommandError(
                "\(name) holds \(identities.count) identities, and one is expected.")
        }
        return identity
    }
}
#endif

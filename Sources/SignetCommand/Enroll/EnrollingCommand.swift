#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetCredentialsSQLite
import SignetEnrollment
import SignetWSDL

/// A command of `signet enroll` that requests a certificate.
protocol EnrollingCommand: AsyncParsableCommand, Sendable {
    var enrollment: EnrollmentOptions { get }
    var replacement: ReplacementOptions { get }
    var store: StoreOptions { get }
    var authority: AuthorityOptions { get }

    /// The address of the authority.
    func endpoint() throws -> Endpoint

    /// Reads files and passwords, asks for those that are not given, and makes the enroller.
    func enroller(at endpoint: Endpoint) async throws -> any Enroller
}

extension EnrollingCommand {
    /// What the options ask for, with a store. Passwords are read, and the authority is asked, only when an identity is obtained:
    /// one that is valid for long needs neither.
    func prepared(_ identities: any IdentityStore) async throws -> Enrollment {
        let endpoint = try endpoint()
        try authority.trust.check(for: endpoint)
        let first = try await replacement.firstIdentity(authority, in: identities)
        let enroller = DeferredEnroller { try await self.enroller(at: endpoint) }
        return try enrollment.enrollment(
            with: enroller, first: first, into: try replacement.replacement(authority, in: identities))
    }

    func run() async throws {
        let (identity, isNew) = try await store.withStore { database in
            let identities = SQLiteIdentityStore(database)
            let enrollment = try await prepared(identities)
            let before = try await identities.identity(label: replacement.label)
            try checkSubject(of: before, for: enrollment)
            let identity = try await enrollment.run(unlessValidFor: replacement.leastValidity)
            try await identities.keep(recipe: EnrollmentRecipe.ofThisProcess.encoded(), label: replacement.label)
            return (identity, identity != before)
        }
        try StoredIdentityEntry(label: replacement.label, identity).report(json: replacement.json, isNew: isNew)
    }

    /// A renewal keeps the subject, so that another one would have no effect.
    private func checkSubject(of current: Identity?, for enrollment: Enrollment) throws {
        guard let leaf = current?.leaf, (leaf.notAfter ?? .min) >= enrollment.replacement.now(),
            !enrollment.acceptsOtherSubject, !enrollment.subject.isSubject(of: leaf)
        else { return }
        throw CommandError(
            "The identity “\(replacement.label)” is for “\(leaf.subject)”, and its renewal keeps that subject. To renew it, leave --subject as it is there; for another subject, enroll under another --label."
        )
    }
}

/// Is made anew for each identity that is obtained, from what the files say then.
private actor DeferredEnroller: Enroller {
    private let make: @Sendable () async throws -> any Enroller
    private var made: (any Enroller)?

    init(_ make: @escaping @Sendable () async throws -> any Enroller) { self.make = make }

    func demands(_ identity: Identity?) async throws -> EnrollmentDemands {
        let enroller = try await make()
        made = enroller
        return try await enroller.demands(identity)
    }

    func enroll(_ request: EnrollmentRequest) async throws -> EnrollmentAnswer {
        guard let made else { return try await make().enroll(request) }
        return try await made.enroll(request)
    }
}

/// How an identity in a store was obtained: a command line, which holds no secret, for options name files and variables.
struct EnrollmentRecipe: Codable {
    var arguments: [String]
    /// The folder from which files are named.
    var folder: String

    /// What this process was started with.
    static var ofThisProcess: EnrollmentRecipe {
        EnrollmentRecipe(
            arguments: Array(CommandLine.arguments.dropFirst()), folder: FileManager.default.currentDirectoryPath)
    }

    func encoded() throws -> [UInt8] { Array(try JSONEncoder().encode(self)) }

    /// The recipe of the identity under `label`.
    init(of label: String, in store: SQLiteIdentityStore) async throws {
        guard let bytes = try await store.recipe(label: label) else {
            if try await store.identity(label: "\(label).requested") != nil {
                throw CommandError(
                    "The identity “\(label)” was requested, and the authority has not issued it. Run the same signet enroll again."
                )
            }
            guard try await store.identity(label: label) != nil else {
                throw CommandError(
                    "The store has no identity “\(label)”. signet identity list names those that it has.")
            }
            throw CommandError(
                "The identity “\(label)” was not obtained by signet enroll, so that it cannot be renewed in the same way. Enroll once with this label."
            )
        }
        self = try JSONDecoder().decode(Self.self, from: Data(bytes))
    }

    private init(arguments: [String], folder: String) {
        self.arguments = arguments
        self.folder = folder
    }

    /// The command that obtained the identity. From then on, the process is in its folder.
    func command() throws -> any EnrollingCommand {
        guard FileManager.default.changeCurrentDirectoryPath(folder) else {
            throw CommandError(
                "The folder “\(folder)”, in which signet enroll was run, is not there. Enroll once from another one.")
        }
        let parsed: (any ParsableCommand)?
        do { parsed = try SignetCommand.parseAsRoot(arguments) } catch {
            throw CommandError(
                "The options with which the identity was obtained cannot be read any more: \(SignetCommand.message(for: error)). Enroll once with others."
            )
        }
        if parsed is EnrollPKCS12Command {
            throw CommandError(
                "The identity was sent as PKCS#12 by a service, which may demand something new for another one. Run signet enroll pkcs12 again."
            )
        }
        guard let command = parsed as? any EnrollingCommand else {
            throw CommandError("The identity was not obtained by a command of signet enroll.")
        }
        return command
    }
}

extension StoredIdentityEntry {
    /// Prints the entry.
    func report(json: Bool, isNew: Bool) throws {
        var entry = self
        entry.isNew = isNew
        if json { try Output.report(entry) } else { print(TerminalText.block(entry.text)) }
    }
}
#endif

#if CommandLine
import Foundation
import Signet
import SignetCredentialsSQLite
import SignetDynamic
import Synchronization

/// Who calls: the identities and credentials that the command's options gave, and those that were added on the page. They stay in
/// memory.
final class ConsoleAccess: Sendable {
    /// The choice of what the options gave, and of nothing.
    static let given = "given", none = "none"
    private static let maximumChoices = 200

    private enum IdentityChoice: Sendable, Equatable {
        case loaded(Identity)
        /// A file that is read when it is chosen first.
        case file(path: String, password: String?)
    }

    private enum CredentialChoice: Sendable, Equatable {
        case given(AuthenticationPolicy)
        case added(Credentials, isPlaintextAllowed: Bool)

        /// What the options give is given once.
        static func == (left: Self, right: Self) -> Bool {
            if case .added(let one, let oneAllowed) = left, case .added(let other, let otherAllowed) = right {
                one == other && oneAllowed == otherAllowed
            } else {
                false
            }
        }
    }

    private struct Entry<Choice: Sendable>: Sendable {
        var id: String
        var label: String
        var choice: Choice
        /// The options of `signet call` that choose the same.
        var arguments: [String]
    }

    private struct State {
        var identities: [Entry<IdentityChoice>] = []
        var credentials: [Entry<CredentialChoice>] = []
        var lastNumber = 0
    }

    private let options: AccessOptions
    private let state: Mutex<State>
    private let store: EncryptedDatabase?

    /// Loads what the options name; asks for passwords that no option gives.
    ///
    /// - Parameter endpoint: the address of the calls; nil when the WSDL has none that can be used.
    init(_ options: AccessOptions, endpoint: Endpoint?, store: EncryptedDatabase?) throws {
        (self.options, self.store) = (options, store)
        var first = State()
        if let identity = try options.identity.loadIdentity() {
            let file = options.identity.identity.map { URL(filePath: $0).lastPathComponent } ?? ""
            first.identities.append(
                .init(
                    id: Self.given, label: "\(identity.leaf.subject) (\(file))", choice: .loaded(identity),
                    arguments: []
                ))
        }
        if options.credentials.isGiven {
            guard let endpoint else {
                throw CommandError("The WSDL has no address for the credentials. Give one with --endpoint.")
            }
            let policy = try options.credentials.load(for: endpoint, store)
            let label = options.credentials.user.map { "user \($0)" } ?? "as the options say"
            first.credentials.append(.init(id: Self.given, label: label, choice: .given(policy), arguments: []))
        }
        state = Mutex(first)
    }

    // MARK: Choices

    var identities: DynamicValue { Self.json(state.withLock { $0.identities }, none: "No certificate") }
    var credentials: DynamicValue { Self.json(state.withLock { $0.credentials }, none: "No credentials") }

    /// What is chosen first.
    var chosen: DynamicValue {
        state.withLock { state in
            [
                "identity": .string(state.identities.contains { $0.id == Self.given } ? Self.given : Self.none),
                "credentials": .string(state.credentials.contains { $0.id == Self.given } ? Self.given : Self.none),
            ]
        }
    }

    private static func json<Choice>(_ entries: [Entry<Choice>], none: String) -> DynamicValue {
        .array(
            [["id": .string(Self.none), "label": .string(none)]]
                + entries.map { ["id": .string($0.id), "label": .string($0.label)] })
    }

    /// Reads the only identity of a file and adds it.
    func addIdentity(path: String, password: String?) throws -> DynamicValue {
        let identity = try Self.identity(path, password)
        let label = "\(identity.leaf.subject) (\(URL(filePath: path).lastPathComponent))"
        return try add(.loaded(identity), label: label, arguments: ["--identity", path], to: \.identities)
    }

    /// Adds a file that is read when it is chosen first.
    func addIdentity(later path: String, password: String?, label: String) throws -> DynamicValue {
        try add(
            .file(path: path, password: password), label: label, arguments: ["--identity", path], isImported: true,
            to: \.identities)
    }

    /// - Parameter origin: the collection that names them; nil for those that were typed.
    func addCredentials(_ request: DynamicValue, of origin: String? = nil) throws(CommandError) -> DynamicValue {
        let isPlaintextAllowed = request["plaintext"] == .bool(true)
        func text(_ name: String, maximum: Int = 64 << 10) throws(CommandError) -> String {
            let text = request[name]?.text ?? ""
            guard text.utf8.count <= maximum, !text.contains(where: \.isNewline) else {
                throw CommandError("The \(name) has several lines, or is too long.")
            }
            return text
        }
        let plaintext = isPlaintextAllowed ? ["--allow-plaintext"] : []
        if request["kind"]?.text == "bearer" {
            let token = try text("token")
            guard !token.isEmpty else { throw CommandError("The token is empty. Type or paste it.") }
            return try add(
                .added(.bearer(token), isPlaintextAllowed: isPlaintextAllowed), label: "bearer token",
                arguments: ["--token-env", "TOKEN"] + plaintext, to: \.credentials)
        }
        let (user, domain) = (try text("user"), try text("domain"))
        guard !user.isEmpty, !user.contains(":") else {
            throw CommandError("A user name has no colon and is not empty (RFC 7617 §2).")
        }
        return try add(
            .added(
                .account(user: user, password: try text("password"), domain: domain),
                isPlaintextAllowed: isPlaintextAllowed),
            label: "user \(user)\(origin.map { " of \($0)" } ?? "")",
            arguments: ["--user", user] + (domain.isEmpty ? [] : ["--domain", domain]) + plaintext,
            isImported: origin != nil, to: \.credentials)
    }

    /// - Parameter isImported: whether a collection names it. The same user can then have several passwords; a person who types another one
    ///   corrects it.
    private func add<Choice: Sendable & Equatable>(
        _ choice: Choice, label: String, arguments: [String], isImported: Bool = false,
        to list: WritableKeyPath<State, [Entry<Choice>]>
    ) throws(CommandError) -> DynamicValue {
        let id = state.withLock { state -> String? in
            let place = state[keyPath: list].firstIndex {
                // A file that is imported twice adds nothing.
                $0.label == label && $0.arguments == arguments && (!isImported || $0.choice == choice)
            }
            if let place {
                state[keyPath: list][place].choice = choice
                return state[keyPath: list][place].id
            }
            guard state.identities.count + state.credentials.count < Self.maximumChoices else { return nil }
            state.lastNumber += 1
            let id = String(state.lastNumber)
            state[keyPath: list].append(.init(id: id, label: label, choice: choice, arguments: arguments))
            return id
        }
        guard let id else {
            throw CommandError("The console keeps \(Self.maximumChoices) identities and credentials. Start it again.")
        }
        return ["id": .string(id), "label": .string(label)]
    }

    private static func identity(_ path: String, _ password: String?) throws -> Identity {
        let name = "The file “\(path)”"
        // A pipe would keep the console waiting, and with it all calls.
        let attributes = try? FileManager.default.attributesOfItem(
            atPath: URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false))
        guard path.hasPrefix("/"), attributes?[.type] as? FileAttributeType == .typeRegular else {
            throw CommandError(
                "\(name) is not there, or is no file. Give its whole path, which begins with a slash, on the machine of the console."
            )
        }
        let bytes = try BoundedFile.read(path, name: name, maximumBytes: 16 << 20)
        let identities: [Identity]
        do { identities = try KeyFile(bytes, password: password).identities() } catch {
            throw UnusableKeyFile(name: name, cause: error)
        }
        guard let identity = identities.first, identities.count == 1 else {
            throw CommandError(
                "“\(path)” holds \(identities.count) identities. Take one out with signet identity convert --pick.")
        }
        return identity
    }

    // MARK: Calls

    /// What a call is made with.
    struct Chosen {
        var configuration: ServiceConfiguration
        /// Its label; nil without one.
        var identity: String?
        var credentials: String?
        /// What policies demand and nothing gives.
        var missing: [String]
    }

    /// The configuration for calls of an operation.
    ///
    /// - Parameters:
    ///   - endpoint: the address; nil for that of the WSDL or the options.
    func configuration(
        for operation: DynamicOperation, _ service: DynamicService, endpoint: String?, identity: String,
        credentials: String
    ) throws -> Chosen {
        let target = CallTarget(service, endpoint: endpoint ?? options.request.endpoint, request: options.request)
        let (shown, user) = (try self.identity(identity), try entry(credentials, in: \.credentials))
        var (configuration, missing) = try options.configuration(
            for: operation, target, hasIdentity: shown != nil, hasCredentials: user != nil)
        configuration.identity = shown.map { .fixed($0.identity) }
        try options.addOtherProofs(to: &configuration, for: operation, target)
        let host = configuration.endpoint.origin.host
        switch user?.choice {
        case nil: break
        case .given(let policy):
            // Each host has an entry of its own in .netrc.
            let hasHosts = options.credentials.netrc || options.credentials.netrcFile != nil
            configuration.authentication =
                hasHosts ? try options.credentials.load(for: configuration.endpoint, store) : policy
            configuration.authentication.enableConnectionSchemes(at: host)
        case .added(let credentials, let isPlaintextAllowed):
            var policy = AuthenticationPolicy(allowsPlaintext: isPlaintextAllowed)
            policy.credentials = .fixed(credentials)
            if let schemes = try CredentialOptions.schemes(named: options.credentials.schemes, option: "--auth") {
                policy.schemes = schemes
            }
            policy.enableConnectionSchemes(at: host)
            configuration.authentication = policy
        }
        return Chosen(
            configuration: configuration, identity: shown?.label, credentials: user?.label, missing: missing)
    }

    /// The options of `signet call` for these choices, in the place of those that were given; nil for those.
    func arguments(
        identity: String, credentials: String
    ) throws(CommandError) -> (identity: [String]?, credentials: [String]?) {
        let (shown, user) = (try entry(identity, in: \.identities), try entry(credentials, in: \.credentials))
        return (
            identity == Self.given ? nil : shown?.arguments ?? [],
            credentials == Self.given ? nil : user?.arguments ?? []
        )
    }

    private func identity(_ id: String) throws -> (identity: Identity, label: String)? {
        guard let entry = try entry(id, in: \.identities) else { return nil }
        switch entry.choice {
        case .loaded(let identity): return (identity, entry.label)
        case .file(let path, let password):
            let identity = try Self.identity(path, password)
            state.withLock { state in
                guard let place = state.identities.firstIndex(where: { $0.id == id }) else { return }
                state.identities[place].choice = .loaded(identity)
            }
            return (identity, entry.label)
        }
    }

    private func entry<Choice>(
        _ id: String, in list: KeyPath<State, [Entry<Choice>]>
    ) throws(CommandError) -> Entry<Choice>? {
        if id == Self.none { return nil }
        guard let entry = state.withLock({ $0[keyPath: list].first { $0.id == id } }) else {
            throw CommandError("What was chosen is not there any more. Load the page again.")
        }
        return entry
    }
}
#endif

#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetDoctor
import SignetWSDL

struct RehearseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearse",
        abstract:
            "Try the next identity, other authorities or a later date at many services, and say what will break.",
        discussion: """
            Examines each service of a list twice, as doctor does: with what the client uses today, and with what it \
            will use. Says which services will break and why, and who has to act. Nothing is sent beyond what doctor \
            sends.

            The list is YAML. Each service has a ‘url’, and may have a ‘name’, ‘ca’ (a file of authorities, or a list \
            of files), ‘proxy’, ‘identity’ (the present one) and ‘identity-password-file’. Paths start at the folder of \
            the list.

              - url: https://api.example/soap
                name: Bank
                ca: bank-authority.pem
                identity: present.p12
                identity-password-file: present.password

            A later date is a matter of certificates only: the servers are asked today, and all certificates, theirs \
            too, are judged for that date.

            The status is 0 when no service will break, 1 when one will, 2 for wrong usage.

            Examples:
              signet rehearse endpoints.yaml --identity next.p12 --identity-password-file next.password
              signet rehearse endpoints.yaml --identity next.p12 --at 2027-03-01
              signet rehearse endpoints.yaml --ca next-authority.pem
              signet rehearse endpoints.yaml --identity next.p12 --json | jq '.services[] | select(.outcome == "will-break")'
            """)

    @Argument(help: "The list of services, in YAML.", completion: .file(extensions: ["yaml", "yml"]))
    var list: String

    @Option(
        help: ArgumentHelp(
            "An authority that the services' certificates will have to come from, in PEM or DER, in place of those in the list; may be repeated.",
            valueName: "file"), completion: .file())
    var ca: [String] = []

    @Option(
        help: ArgumentHelp(
            "Judge certificates for this later date, its first second in UTC, or for a time as in 2027-03-01T12:00:00Z.",
            valueName: "date"), transform: Self.time)
    var at: Int64?

    @Option(help: ArgumentHelp("How long each connection may take.", valueName: "seconds"))
    var timeout = 8

    @Flag(help: "Print the report as JSON.")
    var json = false

    @OptionGroup(title: "Who we will be") var identity: IdentityOptions
    @OptionGroup(title: "The way there, for services without a proxy in the list") var proxy: ProxyOptions

    private static func time(_ text: String) throws -> Int64 {
        let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle().year().month().day()]
        // Foundation does not look at what follows a date.
        let dates = styles.lazy.compactMap { style in (try? style.parse(text)).map { (date: $0, style: style) } }
        guard let date = dates.first(where: { $0.style.format($0.date) == text })?.date else {
            throw ValidationError("“\(text)” is no date: write it as in 2027-03-01, or 2027-03-01T12:00:00Z.")
        }
        let seconds = Int64(date.timeIntervalSince1970.rounded(.down))
        guard seconds > Self.now() else {
            throw ValidationError("“\(text)” is over: --at is for a date to come.")
        }
        return seconds
    }

    @Sendable private static func now() -> Int64 { Int64(Date().timeIntervalSince1970) }

    func validate() throws {
        if identity.identity == nil, ca.isEmpty, at == nil {
            throw ValidationError("Say what will change: give --identity, --ca or --at.")
        }
        if identity.identityAnyway {
            throw ValidationError("--identity-anyway is left out: the report says what is wrong with the identity.")
        }
        if !(1...120).contains(timeout) { throw ValidationError("--timeout is from 1 to 120 seconds.") }
    }

    func run() async throws {
        let list = try EndpointList(file: list)
        let next = try identity.loadIdentity()
        let anchors = ca.isEmpty ? nil : try TrustPolicy(anchors: ca)
        let proxy = try proxy.load()
        var present = PresentIdentities()
        var subjects: [Rehearsal.Subject] = []
        for entry in list.entries {
            var connection = ConnectionConfiguration()
            connection.trust = try entry.trust()
            connection.proxy = entry.proxy.map { ProxyConfiguration(ProxyRules($0)) } ?? proxy
            var today = Examination(of: entry.endpoint, connection, now: Self.now)
            today.stepLimit = .seconds(timeout)
            var then = today
            switch try present.identity(of: entry) {
            case .success(let own)?:
                today.use(own)
                then.use(own)
            case .failure(let problem)?:
                today.identityFile = IdentityFileProblem(problem)
                then.identityFile = today.identityFile
            case nil: break
            }
            if let next {
                then.identityFile = nil
                then.use(next, isShownLate: identity.identityLate)
            }
            if let anchors { then.connection.trust = anchors }
            then.judgedAt = at
            subjects.append(Rehearsal.Subject(entry.name, today: today, next: then))
        }
        var rehearsal = Rehearsal(subjects)
        if isatty(STDERR_FILENO) == 1 {
            rehearsal.progress = { print("\(TerminalText.line($0)) …", to: &standardError) }
        }
        let report = try await rehearsal.run()
        print(json ? TerminalText.json(report.json) : TerminalText.block(report.text))
        if report.count(.willBreak) > 0 { throw ExitCode(1) }
    }
}

/// The identities of today, each file read once.
private struct PresentIdentities {
    private var known: [[String?]: Result<Identity, IdentityError>] = [:]

    /// The identity of an entry, or why its file cannot be used; nil when the entry names none.
    ///
    /// - Throws: ``CommandError`` with the place in the list, when the file cannot be read.
    mutating func identity(of entry: EndpointList.Entry) throws -> Result<Identity, IdentityError>? {
        guard let file = entry.identity else { return nil }
        let key = [file.text, entry.passwordFile?.text]
        if let found = known[key] { return found }
        let source = SecretSource(
            purpose: "the password of \(file.text)", options: "‘identity-password-file’ in the list",
            file: entry.passwordFile?.text)
        let found: Result<Identity, IdentityError>
        do { found = .success(try Identity(file: file.text, password: source)) } catch {
            guard let problem = IdentityError(ofKeyFile: error) else {
                throw CommandError("\(file.place): error: \(error)")
            }
            found = .failure(problem)
        }
        known[key] = found
        return found
    }
}

extension EndpointList.Entry {
    /// The anchors of today.
    ///
    /// - Throws: ``CommandError`` with the place in the list.
    fileprivate func trust() throws -> TrustPolicy {
        do { return try TrustPolicy(anchors: authorities.map(\.text)) } catch {
            guard let place = authorities.first?.place else { throw error }
            throw CommandError("\(place): error: \(error)")
        }
    }
}
#endif

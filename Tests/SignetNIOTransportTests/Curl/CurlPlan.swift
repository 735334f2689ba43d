import Foundation
import HTTPTypes
import SignetAuthentication
import SignetHTTP

/// How a case is played with the transport.
struct CurlPlan: Sendable {
    /// The calls of one operation, over one transport.
    struct Step: Sendable {
        let operation: CurlOperation
        let endpoints: [Endpoint]
        let rules: ProxyRules
        let fields: HTTPFields
    }

    /// What the client can do of what a case may ask for, in small letters.
    static let features: Set<String> = [
        "cookies", "crypto", "digest", "http", "http-auth", "https", "large-size", "large-time", "largefile",
        "local-http", "mime", "ntlm", "override-dns", "proxy", "sha512-256", "ssl", "verbose-strings",
    ]

    let steps: [Step]
    /// By user names.
    let passwords: [String: String]

    /// - Throws: ``NotApplicable`` with the first thing that a case needs and there is nothing for.
    init(_ test: CurlCase) throws {
        try Self.checkProgram(test)
        try Self.checkServer(test)
        let command = try CurlCommand(test.command, file: test.file)
        // Behind the options, which say more of why.
        try Self.checkFeatures(test)
        let steps = try command.operations.map { try Self.step($0, test) }
        try Self.checkExchange(test, steps)
        var passwords: [String: String] = [:]
        for login in steps.flatMap({ [$0.operation.login, $0.operation.proxyLogin] }) {
            if let user = login.user { passwords[user] = login.password }
        }
        self.steps = steps
        self.passwords = passwords
    }

    // MARK: What a case needs

    private static func checkProgram(_ test: CurlCase) throws {
        if let tool = test.values("client/tool").first {
            throw NotApplicable("it runs a program of curl's against its library (\(tool))")
        }
        let attributes = test.sections["client/command"]?.attributes ?? [:]
        if let type = attributes["type"] { throw NotApplicable("its command is a script (\(type))") }
        guard !test.command.isEmpty else { throw NotApplicable("it has no command") }
    }

    private static func checkFeatures(_ test: CurlCase) throws {
        let source = CurlSource(variables: [:], features: features)
        if let missing = test.features.first(where: { !source.isThere($0) }) {
            throw NotApplicable(
                missing.hasPrefix("!")
                    ? "it is for clients without \(missing.dropFirst())" : "it needs the feature \(missing)")
        }
    }

    private static func checkServer(_ test: CurlCase) throws {
        let spoken = ["http", "https", "http-proxy", "none"]
        if let other = test.servers.first(where: { !spoken.contains($0) }) {
            throw NotApplicable("it needs a server for \(other)")
        }
        let commands = ["idle", "stream", "skip:", "upgrade", "rtp:"]
        for line in test.values("reply/servercmd") {
            guard let command = commands.first(where: { line.hasPrefix($0) }) else { continue }
            throw NotApplicable("its server is told to do something odd (\(command))")
        }
    }

    private static func checkExchange(_ test: CurlCase, _ steps: [Step]) throws {
        let isSecure = steps.flatMap(\.endpoints).contains { $0.origin.scheme == .https }
        if isSecure {
            let opens = test.replies.contains {
                $0.name.hasPrefix("connect") && String(latin1: $0.section.bytes).contains(#/^HTTP/1\.[01] 2/#)
            }
            let isTunnelled = steps.allSatisfy {
                $0.endpoints.allSatisfy { $0.origin.scheme == .http } || $0.rules.https != nil
            }
            if !isTunnelled || opens {
                throw NotApplicable("it needs TLS, which the server of the runner does not speak")
            }
        } else if test.servers.contains("https") {
            throw NotApplicable("it goes on to a server with TLS, which the server of the runner does not speak")
        }
        if test.sections["verify/proxy"] != nil {
            throw NotApplicable("it has a proxy beside the server, which is tunnelled through")
        }
        if let text = test.protocolText {
            let expected = CurlRequest.all(in: text)
            if expected.isEmpty, !text.isEmpty { throw NotApplicable("what it expects is no HTTP") }
            if expected.contains(where: { $0.value("Expect") != nil }) {
                throw NotApplicable("curl waits for leave to send its content (Expect), which is never asked for here")
            }
        }
        for step in steps where step.operation.follows && !["GET", "HEAD"].contains(step.operation.effectiveMethod) {
            let text = test.replies.map { String(latin1: $0.section.bytes) }
            if text.contains(where: { $0.contains(#/^HTTP/1\.[01] 30[123]/#) }) {
                throw NotApplicable("a redirect makes a GET of a message, which would lose it")
            }
        }
    }

    // MARK: Addresses

    private static func step(_ operation: CurlOperation, _ test: CurlCase) throws -> Step {
        var operation = operation
        var endpoints: [Endpoint] = []
        var logins: Set<[String?]> = []
        let original = operation.login
        for url in operation.urls {
            var login = original
            endpoints.append(try endpoint(url, operation, &login))
            logins.insert([login.user, login.password])
            operation.login = login
        }
        if logins.count > 1 { throw NotApplicable("one command has several accounts") }
        let hasLogin = operation.login.user != nil || operation.login.token != nil
        if hasLogin, Set(endpoints.map(\.origin)).count > 1 {
            throw NotApplicable("one command calls several origins; a transport has credentials for one")
        }
        let rules = try rules(&operation, test)
        if operation.tunnels, endpoints.contains(where: { $0.origin.scheme == .http }) {
            throw NotApplicable("--proxytunnel: a plain http origin is never tunnelled to")
        }
        return Step(operation: operation, endpoints: endpoints, rules: rules, fields: try fields(operation))
    }

    private static func endpoint(
        _ url: String, _ operation: CurlOperation, _ login: inout CurlOperation.Login
    ) throws -> Endpoint {
        if let variable = url.firstMatch(of: #/%[A-Z][A-Z0-9]{4,}/#) {
            throw NotApplicable("it needs what \(variable.output) stands for")
        }
        var (scheme, authority, path) = split(url)
        if let at = authority.lastIndex(of: "@") {
            login.set(fromURL: authority[..<at])
            authority = authority[authority.index(after: at)...]
        }
        if let upload = operation.upload, path.isEmpty || path.hasSuffix("/") {
            path = "\(path.isEmpty ? "/" : path)\(upload.split(separator: "/").last ?? "")"
        }
        if operation.putsBodyIntoQuery, let body = operation.body {
            path += (path.contains("?") ? "&" : "?") + String(decoding: body, as: UTF8.self)
        }
        scheme = scheme.isEmpty ? "http" : scheme
        do throws(EndpointError) { return try Endpoint("\(scheme)://\(authority)\(path)") } catch {
            throw NotApplicable("an address is refused: \(error.message)")
        }
    }

    /// Scheme, authority and the rest of an address, without a fragment.
    private static func split(_ url: String) -> (scheme: String, authority: Substring, path: String) {
        var rest = url[...]
        var scheme = ""
        if let separator = url.range(of: "://") {
            scheme = url[..<separator.lowerBound].lowercased()
            rest = url[separator.upperBound...]
        }
        rest = rest.prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        return (scheme, authority, String(rest[authority.endIndex...]))
    }

    private static func rules(_ operation: inout CurlOperation, _ test: CurlCase) throws -> ProxyRules {
        do throws(EndpointError) {
            guard let text = operation.proxy else {
                let (rules, logins) = try ProxyRules.environment(test.environment)
                if let login = logins.first(where: { $0.proxy == rules.http }), operation.proxyLogin.user == nil {
                    operation.proxyLogin.user = login.user
                    operation.proxyLogin.password = login.password
                }
                return rules
            }
            guard !text.isEmpty else { return .direct }
            var (scheme, authority, _) = split(text)
            if let at = authority.lastIndex(of: "@") {
                operation.proxyLogin.set(fromURL: authority[..<at])
                authority = authority[authority.index(after: at)...]
            }
            scheme = scheme.isEmpty ? "http" : scheme
            let rules = ProxyRules(
                try Proxy("\(scheme)://\(authority)"), exceptions: ProxyExceptions(operation.exceptions))
            if scheme == "http" { return rules }
        } catch { throw NotApplicable("a proxy is refused: \(error.message)") }
        throw NotApplicable("it needs a proxy with TLS")
    }

    /// Those of the command; the rest of what curl sends is not compared.
    private static func fields(_ operation: CurlOperation) throws -> HTTPFields {
        let reserved = ["connection", "host", "proxy-authorization", "proxy-connection", "te", "transfer-encoding"]
        var result = HTTPFields()
        if let type = operation.contentType { result[.contentType] = type }
        for field in operation.fields where field.name.lowercased() != "content-length" {
            guard let name = HTTPField.Name(field.name) else {
                throw NotApplicable("a field of the name “\(field.name)” cannot be sent")
            }
            guard !reserved.contains(name.canonicalName) else {
                throw NotApplicable("the field \(name.canonicalName) is the transport's")
            }
            if name == .contentType { result[.contentType] = nil }
            result.append(HTTPField(name: name, value: field.value))
        }
        return result
    }
}

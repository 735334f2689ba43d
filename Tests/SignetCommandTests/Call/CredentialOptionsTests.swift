import ArgumentParser
import Foundation
import Signet
import Testing

@testable import SignetCommand

@Suite struct CredentialOptionsTests {
    private let endpoint = Result { try Endpoint("https://service.example/x") }

    private func policy(
        _ arguments: [String], environment: [String: String] = ["P": "canary"]
    ) throws -> AuthenticationPolicy {
        let options = try CredentialOptions.parse(arguments)
        return try options.load(for: try endpoint.get(), nil, environment: environment)
    }

    @Test func optionsBecomeAPolicy() throws {
        let account = try policy(["--user", "app", "--password-env", "P", "--domain", "D"])
        #expect("\(account.credentials)".contains("D\\app"))
        #expect(account.schemes == AuthenticationPolicy().schemes && account.ntlmHosts.isEmpty)
        #expect(account.kerberos == nil)
        let token = try policy(["--token-env", "P", "--preemptive"])
        #expect("\(token.credentials)" == "fixed a bearer token" && token.sendsWithoutChallenge)
        let ticket = try policy(["--ticket"])
        #expect(ticket.schemes == [.negotiate] && ticket.kerberos != nil && ticket.ntlmHosts.isEmpty)
        let wide = try policy(["--user", "app", "--password-env", "P", "--auth", "Negotiate, ntlm,digest"])
        #expect(wide.schemes == [.negotiate, .ntlm, .digest])
        #expect(wide.ntlmHosts == ["service.example"] && wide.kerberos != nil)
        #expect(try policy([]).credentials.description == "no credentials")
        #expect(!account.allowsPlaintext && !account.allowsDigestWithoutQop)
        let open = try policy(["--user", "app", "--password-env", "P", "--allow-digest-without-qop"])
        #expect(open.allowsDigestWithoutQop && !open.allowsPlaintext)
        for policy in [account, token, ticket, wide] {
            var dumped = ""
            dump(policy, to: &dumped)
            #expect(!"\(policy)\(dumped)".contains("canary"))
        }
    }

    @Test(arguments: [
        ["--user", "a:canary"], ["--user", "a", "--ticket"], ["--netrc", "--token-env", "P"], ["--preemptive"],
        ["--auth", "digest"], ["--user", "a", "--auth", "kerberos"], ["--user", "a", "--auth", ","], ["--domain", "D"],
        ["--token-env", "A", "--token-file", "B"], ["--user", "a", "--auth", "oauth"], ["--stored", "--ticket"],
        ["--allow-digest-without-qop"], ["--ticket", "--allow-digest-without-qop"],
        ["--user", "a", "--auth", "basic", "--allow-digest-without-qop"], ["--user", "a", "--auth", "bearer"],
        ["--user", "a", "--domain", "D", "--auth", "basic,digest"],
    ])
    func conflictingOptionsAreRefused(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try policy(arguments) }
        #expect(error.map { CredentialOptions.message(for: $0) }?.contains("canary") == false)
    }

    /// It may be about a field `Authorization` in a file.
    @Test func leaveForPlainHTTPIsAboutSomething() throws {
        let store = try StoreOptions.parse([])
        let alone = try CredentialOptions.parse(["--allow-plaintext"])
        #expect(throws: ValidationError.self) { try alone.check(store) }
        try alone.check(store, fieldFiles: ["fields"])
        try CredentialOptions.parse(["--user", "a", "--allow-plaintext"]).check(store)
    }

    private func file(_ text: String, mode: Int = 0o600) throws -> String {
        let path = FileManager.default.temporaryDirectory.appending(path: "netrc-\(UUID().uuidString)")
            .path(percentEncoded: false)
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: mode]))
        return path
    }

    @Test func loginsComeFromTheFile() throws {
        let path = try file(
            "machine other.example login a password b\nmachine Service.example login app password canary\n")
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect("\(try policy(["--netrc-file", path]).credentials)".contains("app"))
        #expect("\(try policy(["--netrc"], environment: ["NETRC": path]).credentials)".contains("app"))
        let none = try file("machine other.example login a password canary")
        defer { try? FileManager.default.removeItem(atPath: none) }
        let error = #expect(throws: CommandError.self) { try policy(["--netrc-file", none]) }
        #expect(error?.message.contains("service.example") == true && error?.message.contains("canary") == false)
        let open = try file("machine service.example login a password canary", mode: 0o640)
        defer { try? FileManager.default.removeItem(atPath: open) }
        let refused = #expect(throws: CommandError.self) { try policy(["--netrc-file", open]) }
        #expect(refused?.message.contains("640") == true)
    }
}

@Suite struct NetrcTests {
    private func login(_ text: String, _ host: String = "h") throws -> Netrc.Login? {
        try Netrc(text: text, "f").login(host: host)
    }

    @Test func loginsAreReadInAllTheirForms() throws {
        let wanted = Netrc.Login(user: "u", password: "p")
        #expect(try login("machine h login u password p") == wanted)
        #expect(try login("machine h\n\tlogin u\n\tpassword p\n") == wanted)
        #expect(try login("# a comment\nmachine x login a password b # more\nmachine h password p login u") == wanted)
        #expect(try login("default login u password p") == wanted)
        #expect(try login("default login d password e\nmachine h login u password p") == wanted)
        #expect(
            try login("macdef init\ncd /pub\nmachine h login no password no\n\nmachine h login u password p") == wanted)
        #expect(try login("machine h login u account x password p") == wanted)
        #expect(try login(#"machine h login "u" password "a \"b\" \\ # c""#)?.password == #"a "b" \ # c"#)
        #expect(try login("machine h login u password p#1")?.password == "p#1")
        #expect(try login("") == nil)
        #expect(try login("machine h login x\nmachine h login u password p") == wanted)
        #expect(try login("machine x login u password p") == nil)
    }

    /// A login without a password is not taken from somewhere else.
    @Test(arguments: [
        ("machine h login u", "password"), ("machine x login a password b\nmachine h login canary\n", "password"),
        ("machine h password canary", "login"), ("default login canary", "password"),
        ("machine h login canary\ndefault login d password e", "password"), ("machine h\ndefault login d", "login"),
    ])
    func incompleteLoginsAreRefused(text: String, lack: String) {
        let error = #expect(throws: CommandError.self) { try login(text) }
        #expect(error?.message.contains("has no \(lack)") == true && error?.message.contains("line ") == true)
        #expect(error?.message.contains("canary") == false)
    }

    @Test func filesFromWindowsAreRead() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "netrc-\(UUID().uuidString)")
        let path = file.path(percentEncoded: false)
        defer { try? FileManager.default.removeItem(at: file) }
        let text = Array("machine h login u password p\r\n".utf8)
        let marked: [UInt8] = [0xEF, 0xBB, 0xBF] + text
        let wide: [UInt8] = [0xFF, 0xFE] + text.flatMap { (byte) -> [UInt8] in [byte, 0] }
        for bytes in [marked, wide] {
            #expect(
                FileManager.default.createFile(
                    atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600]))
            #expect(try Netrc(file: path).login(host: "h") == Netrc.Login(user: "u", password: "p"))
        }
    }

    @Test(arguments: ["machine", "machine h login", "login u", "machine h canary", "machine h login u password"])
    func malformedFilesAreRefusedWithTheLineNumber(text: String) {
        let error = #expect(throws: CommandError.self) { try login(text) }
        #expect(error?.message.contains("line 1") == true)
        #expect(error?.message.contains("canary") == false)
    }
}

import Foundation
import SignetAuthentication

/// The options of curl that mean something here, those that do not matter, and those that there is nothing for.
enum CurlOption {
    /// By their letters.
    private static let letters: [String: String] = [
        "-0": "--http1.0", "-A": "--user-agent", "-C": "--continue-at", "-D": "--dump-header", "-E": "--cert",
        "-F": "--form", "-G": "--get", "-H": "--header", "-I": "--head", "-J": "--remote-header-name",
        "-K": "--config", "-L": "--location", "-N": "--no-buffer", "-O": "--remote-name", "-R": "--remote-time",
        "-S": "--show-error", "-T": "--upload-file", "-U": "--proxy-user", "-X": "--request", "-Z": "--parallel",
        "-b": "--cookie", "-c": "--cookie-jar", "-d": "--data", "-e": "--referer", "-f": "--fail", "-g": "--globoff",
        "-i": "--include", "-k": "--insecure", "-m": "--max-time", "-n": "--netrc", "-o": "--output",
        "-p": "--proxytunnel", "-q": "--disable", "-r": "--range", "-s": "--silent", "-u": "--user",
        "-v": "--verbose", "-w": "--write-out", "-x": "--proxy",
    ]

    /// They change nothing of what is compared.
    private static let ignored: Set<String> = [
        "--include", "--no-include", "--verbose", "--silent", "--show-error", "--insecure", "--proxy-insecure",
        "--globoff", "--no-buffer", "--disable", "--remote-name", "--remote-header-name", "--remote-time", "--raw",
        "--path-as-is", "--compressed", "--tcp-nodelay", "--no-keepalive", "--http1.1", "--trace-time",
        "--no-progress-meter", "--fail-early", "--show-headers", "--create-dirs", "--no-sessionid", "--ipv4",
        "--junk-session-cookies",
    ]

    /// The same, with an argument. Names are resolved to the server of the case anyway, and cookies are no credentials.
    private static let ignoredWithArgument: Set<String> = [
        "--user-agent", "--dump-header", "--output", "--output-dir", "--write-out", "--max-time", "--connect-timeout",
        "--cookie", "--cookie-jar", "--referer", "--resolve", "--connect-to", "--trace", "--trace-ascii", "--stderr",
        "--keepalive-time", "--limit-rate", "--expect100-timeout", "--libcurl",
    ]

    /// What a case asks for that there is nothing for. The rest is unknown.
    private static let unsupported: [String: String] = [
        "--netrc": "no netrc file is read", "--netrc-optional": "no netrc file is read",
        "--netrc-file": "no netrc file is read",
        "--location-trusted": "credentials never follow a redirect to another origin",
        "--http1.0": "HTTP/1.0 is not sent", "--proxy1.0": "HTTP/1.0 is not sent to a proxy",
        "--http2": "HTTP/2 is not spoken", "--http3": "HTTP/3 is not spoken",
        "--http2-prior-knowledge": "HTTP/2 is not spoken", "--http0.9": "HTTP/0.9 is not read",
        "--aws-sigv4": "requests are not signed as AWS wants it", "--continue-at": "no transfer is resumed",
        "--negotiate": "Kerberos needs a realm; curl's own is a stub in its debug build",
        "--proxy-negotiate": "Kerberos needs a realm; curl's own is a stub in its debug build",
        "--parallel": "several transfers at once come in no certain order", "--config": "no file of options is read",
        "--cert": "it is a test of TLS", "--alt-svc": "no alternative services are kept",
        "--hsts": "no list of hosts with HSTS is kept", "--request-target": "a target is the path of an address",
        "--proxy-header": "no fields for a proxy are taken", "--unix-socket": "the server has a port",
        "--ipv6": "the server has an address of version 4", "--retry": "no call is repeated for its status",
        "--haproxy-protocol": "nothing is said of the client's address", "--preproxy": "there is one proxy at most",
        "--socks4": "no SOCKS is spoken", "--socks4a": "no SOCKS is spoken", "--socks5": "no SOCKS is spoken",
        "--socks5-hostname": "no SOCKS is spoken", "--doh-url": "names are not resolved with HTTPS",
        "--follow": "no redirect makes another method of a method",
        "--post301": "a redirect never makes a GET of a message",
        "--post302": "a redirect never makes a GET of a message",
        "--post303": "a redirect never makes a GET of a message",
    ]

    /// The names in a word, and the argument behind a sign of equality.
    static func split(_ word: String) -> (names: [String], value: String?) {
        guard word.hasPrefix("--") else { return (word.dropFirst().map { "-\($0)" }, nil) }
        guard let equals = word.firstIndex(of: "=") else { return ([word], nil) }
        return ([String(word[..<equals])], String(word[word.index(after: equals)...]))
    }

    /// - Parameter argument: takes the argument, if the option wants one.
    static func apply(
        _ name: String, to operation: inout CurlOperation, file: (String) -> [UInt8]?, argument: () throws -> String
    ) throws {
        let option = letters[name] ?? name
        if ignored.contains(option) { return }
        if ignoredWithArgument.contains(option) {
            _ = try argument()
            return
        }
        if let reason = unsupported[option] { throw NotApplicable("\(option): \(reason)") }
        if try applyLogin(option, to: &operation, argument: argument) { return }
        if try applyBody(option, to: &operation, file: file, argument: argument) { return }
        switch option {
        case "--url": operation.urls.append(try argument())
        case "--proxy": operation.proxy = try argument()
        case "--noproxy": operation.exceptions = try argument()
        case "--proxytunnel": operation.tunnels = true
        case "--request": operation.method = try argument()
        case "--head": operation.asksForHead = true
        case "--location": operation.follows = true
        case "--max-redirs": operation.maximumRedirects = Int(try argument()) ?? 0
        case "--fail", "--fail-with-body": operation.failsOnError = true
        case "--range":
            let range = try argument()
            operation.fields.append((name: "Range", value: "bytes=\(range)"))
        case "--header": try addField(try argument(), to: &operation)
        default: throw NotApplicable("\(option): the runner does not know this option")
        }
    }

    private static func applyLogin(
        _ option: String, to operation: inout CurlOperation, argument: () throws -> String
    ) throws -> Bool {
        switch option {
        case "--user": operation.login.set(try argument())
        case "--proxy-user": operation.proxyLogin.set(try argument())
        case "--oauth2-bearer":
            operation.login.token = try argument()
            operation.login.schemes.insert(.bearer)
        case "--basic": operation.login.schemes.insert(.basic)
        case "--digest": operation.login.schemes.insert(.digest)
        case "--ntlm": operation.login.schemes.insert(.ntlm)
        case "--anyauth": operation.login.isAny = true
        case "--proxy-basic": operation.proxyLogin.schemes.insert(.basic)
        case "--proxy-digest": operation.proxyLogin.schemes.insert(.digest)
        case "--proxy-ntlm": operation.proxyLogin.schemes.insert(.ntlm)
        case "--proxy-anyauth": operation.proxyLogin.isAny = true
        default: return false
        }
        return true
    }

    private static func applyBody(
        _ option: String, to operation: inout CurlOperation, file: (String) -> [UInt8]?, argument: () throws -> String
    ) throws -> Bool {
        switch option {
        case "--data", "--data-ascii", "--data-binary", "--data-raw", "--data-urlencode", "--json":
            let text = try argument()
            var bytes = Array(text.utf8)
            if text.hasPrefix("@"), option != "--data-raw" {
                guard let content = file(String(text.dropFirst())) else {
                    throw NotApplicable("\(option): no such file")
                }
                bytes = content
            }
            operation.body = operation.body.map { $0 + [UInt8(ascii: "&")] + bytes } ?? bytes
            operation.contentType = option == "--json" ? "application/json" : "application/x-www-form-urlencoded"
        case "--form", "--form-string":
            let part = try argument()
            operation.body = (operation.body ?? []) + Array("\(part)\r\n".utf8)
            operation.contentType = "multipart/form-data; boundary=form"
        case "--upload-file":
            let name = try argument()
            guard name != "-", name != "." else { throw NotApplicable("\(option): content has to be there in full") }
            guard let content = file(name) else { throw NotApplicable("\(option): no such file") }
            operation.upload = name
            operation.body = content
        case "--get": operation.putsBodyIntoQuery = true
        default: return false
        }
        return true
    }

    /// Of `Name: value`; `Name:` takes a field of curl's own away, `Name;` has no value.
    private static func addField(_ text: String, to operation: inout CurlOperation) throws {
        if text.hasSuffix(";"), !text.contains(":") {
            operation.fields.append((name: String(text.dropLast()), value: ""))
            return
        }
        guard let colon = text.firstIndex(of: ":") else { throw NotApplicable("--header: no field can be read in it") }
        let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        if !value.isEmpty { operation.fields.append((name: String(text[..<colon]), value: value)) }
    }
}

extension CurlOperation.Login {
    /// - Parameter text: `user:password`
    mutating func set(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        user = String(parts.first ?? "")
        password = parts.count == 2 ? String(parts.last ?? "") : ""
    }

    /// As it stands in an address; what stood in the command already has the last word.
    mutating func set(fromURL text: Substring) {
        guard user == nil else { return }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        user = Self.decoded(parts.first ?? "")
        password = parts.count == 2 ? Self.decoded(parts.last ?? "") : ""
    }

    private static func decoded(_ text: Substring) -> String {
        String(decoding: CurlSource.decoded(String(text)).latin1, as: UTF8.self)
    }
}

/// A user name and a password for a proxy, from the environment. No description shows the password.
public struct ProxyLogin: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The proxy in whose address the login was.
    public let proxy: Proxy
    /// The user name, percent-decoded; never empty.
    public let user: String
    /// The password, percent-decoded; empty when the address contained only a user name.
    public let password: String

    public var description: String { "login of “\(user)” at \(proxy)" }
    public var customMirror: Mirror { Mirror(self, children: ["proxy": proxy, "user": user]) }
}

extension ProxyRules {
    /// Reads the variables with which users name a proxy: `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`, or
    /// the same in capitals; the lower-case ones take precedence.
    ///
    /// `HTTP_PROXY` is ignored when `REQUEST_METHOD` is set: in a CGI program, a client could choose the proxy with a
    /// field called `Proxy`.
    ///
    /// - Returns: the rules, and the logins in the addresses (`http://user:password@proxy:3128`, percent-encoded).
    /// - Throws: ``EndpointError`` that names the variable, but never text that may contain a login.
    public static func environment(
        _ variables: [String: String]
    ) throws(EndpointError) -> (rules: ProxyRules, logins: [ProxyLogin]) {
        var logins: [ProxyLogin] = []
        func value(_ name: String) -> (name: String, value: String)? {
            let names = [name, name.uppercased()].filter { $0 != "HTTP_PROXY" || variables["REQUEST_METHOD"] == nil }
            for name in names {
                if let value = variables[name], !value.allSatisfy(\.isWhitespace) { return (name, value) }
            }
            return nil
        }
        func proxy(_ name: String) throws(EndpointError) -> Proxy? {
            guard let (name, text) = value(name) ?? value("all_proxy") else { return nil }
            let (proxy, login) = try read(text, of: name)
            if let login, !logins.contains(login) { logins.append(login) }
            return proxy
        }
        var rules = ProxyRules()
        rules.https = try proxy("https_proxy")
        rules.http = try proxy("http_proxy")
        rules.exceptions = ProxyExceptions(value("no_proxy")?.value ?? "")
        return (rules, logins)
    }

    private static func read(_ text: String, of variable: String) throws(EndpointError) -> (Proxy, ProxyLogin?) {
        func wrong(_ what: String) -> EndpointError {
            EndpointError(url: "$\(variable)", message: what)
        }
        let separator = "://"
        var rest = text[...]
        var scheme = "http"
        if let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix(separator) {
            scheme = text[..<colon].lowercased()
            rest = text[colon...].dropFirst(separator.count)
        }
        guard scheme == "http" || scheme == "https" else {
            throw wrong("the address of a proxy begins with http:// or https://, not with “\(scheme.prefix(16))”")
        }
        var login: (user: String, password: String)?
        if let at = rest.lastIndex(of: "@") {
            let parts = rest[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let user = parts.first.flatMap({ percentDecoded($0) }), !user.isEmpty,
                let password = percentDecoded(parts.count == 2 ? parts[1] : "")
            else { throw wrong("its user name or password is not percent-encoded UTF-8") }
            login = (user, password)
            rest = rest[rest.index(after: at)...]
        }
        let proxy: Proxy
        do { proxy = try Proxy("\(scheme)://\(rest)") } catch { throw wrong(error.message) }
        return (proxy, login.map { ProxyLogin(proxy: proxy, user: $0.user, password: $0.password) })
    }

    private static func percentDecoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}

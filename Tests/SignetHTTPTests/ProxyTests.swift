import SignetHTTP
import Testing

@Suite struct ProxyTests {
    private func origin(_ url: String) throws -> Origin { try Endpoint(url).origin }

    @Test(arguments: [
        ("http://proxy.example:3128", "http://proxy.example:3128"), ("https://proxy.example", "https://proxy.example"),
        ("http://[2001:db8::1]:8080/", "http://[2001:db8::1]:8080"),
    ])
    func readsAddresses(url: String, text: String) throws {
        #expect(try Proxy(url).description == text)
    }

    @Test(arguments: [
        "http://proxy.example/path", "socks5://proxy.example", "proxy.example", "http://user:geheim@proxy.example",
    ])
    func invalidProxyAddressesAreRefused(url: String) {
        let error = #expect(throws: EndpointError.self) { try Proxy(url) }
        #expect(error?.description.contains("geheim") == false)
    }

    @Test func choosesBySchemeAndException() throws {
        var rules = ProxyRules(try Proxy("http://a:1"), exceptions: "intern.example")
        #expect(rules.proxy(for: try origin("https://x.example"))?.description == "http://a:1")
        #expect(rules.proxy(for: try origin("https://x.intern.example")) == nil)
        rules.http = nil
        #expect(rules.proxy(for: try origin("http://x.example")) == nil)
        #expect(ProxyRules.direct.proxy(for: try origin("https://x.example")) == nil)
    }

    @Test(arguments: [
        // list, URL, whether it is an exception
        ("example.com", "https://example.com", true), ("example.com", "https://a.b.example.com", true),
        ("example.com", "https://badexample.com", false), (".example.com", "https://example.com", true),
        (".example.com", "https://a.example.com", true), ("*.example.com", "https://a.example.com", true),
        ("EXAMPLE.com.", "https://Example.COM", true), ("a.com b.com\tc.com", "https://b.com", true),
        ("a.com,,b.com", "https://b.com", true), ("*", "https://anything.example", true), ("", "https://a", false),
        ("example.com:8443", "https://example.com:8443", true), ("example.com:8443", "https://example.com", false),
        ("example.com:443", "https://example.com", true), ("*.com:x", "https://a.com", false),
        ("192.0.2.7", "https://192.0.2.7", true), ("192.0.2.7", "https://192.0.2.70", false),
        ("192.0.2.7:80", "http://192.0.2.7", true), ("192.0.2.7:80", "https://192.0.2.7", false),
        ("192.0.2.0/24", "https://192.0.2.255", true), ("192.0.2.0/24", "https://192.0.3.0", false),
        ("192.0.2.128/25", "https://192.0.2.127", false), ("192.0.2.128/25", "https://192.0.2.129", true),
        ("0.0.0.0/0", "https://8.8.8.8", true), ("0.0.0.0/0", "https://[::1]", false),
        ("0.0.0.0/0", "https://example.com", false), ("192.0.2.0/33", "https://192.0.2.0", false),
        ("2001:db8::/33", "https://[2001:db8:7fff::1]", true), ("2001:db8::/33", "https://[2001:db8:8000::1]", false),
        ("2001:db8::1", "https://[2001:db8:0:0:0:0:0:1]", true), ("[::1]:8443", "https://[::1]:8443", true),
        ("[::1]:8443", "https://[::1]", false), ("::1", "https://[::1]", true),
        ("127.0.0.1", "https://[::ffff:127.0.0.1]", true), ("2.7", "https://192.0.2.7", false),
        ("127.1", "https://127.0.0.1", false),
    ])
    func exceptions(list: String, url: String, isException: Bool) throws {
        #expect(ProxyExceptions(list).contains(try origin(url)) == isException)
    }

    /// An invalid entry excepts no host, and causes no error.
    @Test(arguments: [
        "[", "]", "[]", "[]:", "[:]:1", ":", "::::::", "/", "//", "1.2.3.4/", "1.2.3.4/-1", "1.2.3.4/x", "/8", "*:80",
        "[::1]x:80", "[::1]:x", "::1%eth0", "[::1", ".", "..", "*.", "a:99999999999999999999",
        "1.2.3.4/99999999999999999999", "\0",
        "a\0.example",
        "\u{301}", "127.0.0.1\u{301}", String(repeating: "a.", count: 10_000), String(repeating: ":", count: 10_000),
    ])
    func nonsenseIsNoException(list: String) throws {
        for url in ["https://service.example", "https://127.0.0.1:8443", "https://[::1]"] {
            #expect(!ProxyExceptions(list).contains(try origin(url)), "\(url)")
        }
    }

    // MARK: The environment

    @Test func smallNamesGoFirst() throws {
        let (rules, logins) = try ProxyRules.environment([
            "https_proxy": "http://small:1", "HTTPS_PROXY": "http://large:1", "HTTP_PROXY": "plain:2",
            "no_proxy": "a.b",
            "NO_PROXY": "c.d",
        ])
        #expect(rules.https?.description == "http://small:1")
        #expect(rules.http?.description == "http://plain:2")
        #expect(rules.exceptions == "a.b")
        #expect(logins.isEmpty)
    }

    @Test func allProxyAppliesWhereNoOtherIsSet() throws {
        let (rules, _) = try ProxyRules.environment([
            "ALL_PROXY": "https://p", "http_proxy": "http://q:8080", "https_proxy": " ",
        ])
        #expect(rules.https?.description == "https://p")
        #expect(rules.http?.description == "http://q:8080")
        #expect(try ProxyRules.environment([:]).rules == .direct)
    }

    @Test func aRequestDoesNotChooseTheProxy() throws {
        let variables = ["HTTP_PROXY": "http://attacker:1", "REQUEST_METHOD": "GET"]
        #expect(try ProxyRules.environment(variables).rules.http == nil)
        #expect(try ProxyRules.environment(["http_proxy": "http://mine:1", "REQUEST_METHOD": "GET"]).rules.http != nil)
    }

    @Test func loginsAreValues() throws {
        let (rules, logins) = try ProxyRules.environment([
            "https_proxy": "http://J%C3%A4ger:p%40ss:w@proxy.example:3128",
            "http_proxy": "http://J%C3%A4ger:p%40ss:w@proxy.example:3128",
        ])
        #expect(rules.https?.description == "http://proxy.example:3128")
        #expect(logins.map(\.user) == ["Jäger"])
        #expect(logins.map(\.password) == ["p@ss:w"])
        #expect(!"\(logins)".contains("p@ss"))
        var dumped = ""
        dump(logins, to: &dumped)
        #expect(!dumped.contains("p@ss"))
    }

    @Test(arguments: [
        "socks5://user:geheim@proxy", "http://user:geheim%zz@proxy", "http://user:geheim@",
        "http://user:geheim@proxy:99999",
        "http://:geheim@proxy", "http://user:geheim%ff@proxy", "http://user:geheim%",
        "http://user:geheim%e2%28%a1@proxy",
        "http://user:geheim@[::1", "http://user:geheim@proxy/path", "http://user:geheim@proxy#f",
        "http://user:geheim@a b",
        "://user:geheim@proxy", "http://user:geheim@pro\u{301}xy", "http://user:geheim@@",
    ])
    func aWrongVariableIsNamedWithoutItsValue(value: String) {
        let error = #expect(throws: EndpointError.self) { try ProxyRules.environment(["HTTPS_PROXY": value]) }
        #expect(error?.description.contains("$HTTPS_PROXY") == true)
        #expect(error?.description.contains("geheim") == false)
    }
}

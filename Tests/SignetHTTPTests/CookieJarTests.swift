import HTTPTypes
import Testing

@testable import SignetHTTP

@Suite struct CookieJarTests {
    static let now: Int64 = 1_700_000_000

    /// What is sent to `to` after `from` has set the cookies.
    func sent(_ cookies: [String], from: String = "https://host/a/b", to: String? = nil, after: Int64 = 0) throws
        -> String?
    {
        let jar = CookieJar()
        let fields = HTTPFields(cookies.map { HTTPField(name: .setCookie, value: $0) })
        jar.store(fields, from: try Endpoint(from), now: Self.now)
        return jar.field(for: try Endpoint(to ?? from), now: Self.now + after)
    }

    @Test(
        arguments: [
            ("a=b", "a=b"), (" a = b c ; Secure", "a=b c"), ("a=", "a="), ("a=b=c", "a=b=c"), ("a=\"b\"", "a=\"b\""),
            ("a=b; HttpOnly; SameSite=Lax; Unknown", "a=b"),
            ("", nil), ("a", nil), ("=b", nil), (";a=b", nil),
        ] as [(String, String?)])
    func nameAndValue(line: String, field: String?) throws {
        #expect(try sent([line]) == field)
    }

    /// RFC 6265 §5.1.3, and no other origin ever.
    @Test(arguments: [
        ("https://host/", true), ("https://host:443/x", true), ("https://host:8443/", false), ("http://host/", false),
        ("https://a.host/", false), ("https://other/", false),
    ])
    func origins(to: String, isSent: Bool) throws {
        #expect(try sent(["a=b; Path=/"], to: to) == (isSent ? "a=b" : nil))
        #expect(try sent(["a=b; Path=/; Domain=host"], to: to) == (isSent ? "a=b" : nil))
    }

    @Test(arguments: [
        ("a.example.com", "example.com", true), ("a.example.com", ".Example.COM", true),
        ("a.example.com", "a.example.com", true), ("a.example.com", "b.example.com", false),
        ("aexample.com", "example.com", false), ("a.com", "com", false), ("com", "com", true),
        ("1.2.3.4", "3.4", false), ("1.2.3.4", "1.2.3.4", true), ("a.example.com", "", true),
    ])
    func domains(host: String, domain: String, isKept: Bool) throws {
        #expect(try sent(["a=b; Domain=\(domain)"], from: "https://\(host)/") == (isKept ? "a=b" : nil))
    }

    /// RFC 6265 §5.1.4.
    @Test(
        arguments: [
            ("/a/b", nil, "/a/b", true), ("/a/b", nil, "/a", true), ("/a/b", nil, "/a/c?d", true),
            ("/a/b", nil, "/ab", false),
            ("/a/b", nil, "/", false), ("/a/", nil, "/a/x", true), ("/a", nil, "/x", true), ("/a?b/c", nil, "/x", true),
            ("/a/b", "/", "/x", true), ("/a/b", "/x", "/x/y", true), ("/a/b", "/x/", "/x", false),
            ("/a/b", "x", "/a/c", true), ("/a/b", "x", "/x", false),
        ] as [(String, String?, String, Bool)])
    func paths(from: String, path: String?, to: String, isSent: Bool) throws {
        let line = "a=b" + (path.map { "; Path=\($0)" } ?? "")
        #expect(try sent([line], from: "https://host\(from)", to: "https://host\(to)") == (isSent ? "a=b" : nil))
    }

    @Test(
        arguments: [
            ("Max-Age=10", 9, true), ("Max-Age=10", 10, false), ("max-age=0", 0, false), ("Max-Age=-5", 0, false),
            ("Max-Age=99999999999999999999", 1 << 40, true), ("Max-Age=x", 1 << 40, true), ("Max-Age=", 1 << 40, true),
            ("Expires=Tue, 14 Nov 2023 22:13:30 GMT", 9, true), ("Expires=Tue, 14 Nov 2023 22:13:30 GMT", 10, false),
            ("Expires=never", 1 << 40, true), ("Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT", 9, true),
        ] as [(String, Int64, Bool)])
    func expiry(attribute: String, after: Int64, isSent: Bool) throws {
        #expect(try sent(["a=b; \(attribute)"], after: after) == (isSent ? "a=b" : nil))
    }

    @Test(arguments: [
        ("http", "a=b; Secure", false), ("https", "a=b; Secure", true), ("http", "a=b", true),
        ("https", "__Secure-a=b", false), ("https", "__Secure-a=b; Secure", true),
        ("https", "__Host-a=b; Secure; Path=/", true), ("https", "__host-a=b; Secure; Path=/x", false),
        ("https", "__Host-a=b; Secure; Path=/; Domain=host", false), ("https", "__Host-a=b; Path=/", false),
    ])
    func secureCookiesNeedHTTPS(scheme: String, line: String, isKept: Bool) throws {
        #expect(try (sent([line], from: "\(scheme)://host/") != nil) == isKept)
    }

    @Test func orderAndReplacement() throws {
        #expect(try sent(["a=1; Path=/", "b=2", "c=3", "a=4; Path=/"], to: "https://host/a/c") == "b=2; c=3; a=4")
        #expect(try sent(["a=1", "a=2; Max-Age=0"]) == nil)
        #expect(try sent(["a=1; Path=/", "a=2"], to: "https://host/a/b") == "a=2; a=1")
    }

    @Test func limits() throws {
        let many = try sent((0..<60).map { "c\($0)=\($0)" })
        #expect(many?.split(separator: ";").count == 50)
        #expect(many?.hasPrefix("c10=10; ") == true)
        #expect(try sent(["a=\(String(repeating: "x", count: 4095))"]) != nil)
        #expect(try sent(["a=\(String(repeating: "x", count: 4096))"]) == nil)
        let jar = CookieJar()
        for number in 1...100 {
            jar.store([.setCookie: "a=b"], from: try Endpoint("https://h\(number)/"), now: Self.now)
        }
        #expect(jar.count == 32)
        #expect(jar.field(for: try Endpoint("https://h100/"), now: Self.now) == "a=b")
        jar.removeAll()
        #expect(jar.count == 0)
    }

    @Test func valuesAreNotShown() throws {
        let jar = CookieJar()
        jar.store([.setCookie: "a=hunter2"], from: try Endpoint("https://host/"), now: Self.now)
        var text = "\(jar) \(String(reflecting: jar))"
        dump(jar, to: &text)
        #expect(text.contains("1 cookies"))
        #expect(!text.contains("hunter2"))
    }

    /// RFC 6265 §5.1.1, with instants computed elsewhere.
    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("6 nov 1994 8:49:37abc", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
            ("29 Feb 2000 00:00:00", 951_782_400), ("01 Mar 1900 00:00:00", -2_203_891_200),
            ("01-Jan-69 00:00:00", 3_124_224_000), ("29 Feb 1900 00:00:00", nil), ("31 Apr 2000 00:00:00", nil),
            ("01 Jan 1600 00:00:00", nil), ("01 Jan 2000 24:00:00", nil), ("01 Jan 2000", nil), ("", nil),
            ("01 Jan 20000 00:00:00", nil), ("32 Jan 2000 00:00:00", nil), ("01 Foo 2000 00:00:00", nil),
        ] as [(String, Int64?)])
    func dates(text: String, seconds: Int64?) {
        #expect(CookieDate.seconds(text) == seconds)
    }
}

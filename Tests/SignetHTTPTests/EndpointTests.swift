import SignetHTTP
import Testing

@Suite struct EndpointTests {
    @Test(arguments: [
        ("https://Example.COM", "https://example.com", "/", 443), ("HTTP://h:8080?a=b", "http://h:8080", "/?a=b", 8080),
        ("https://h:/x", "https://h", "/x", 443), ("https://[::1]:8443/a/b?c", "https://[::1]:8443", "/a/b?c", 8443),
        ("https://h.example./x", "https://h.example", "/x", 443), ("http://h:80/%20", "http://h", "/%20", 80),
    ])
    func reads(url: String, origin: String, path: String, port: Int) throws {
        let endpoint = try Endpoint(url)
        #expect(endpoint.origin.description == origin)
        #expect(endpoint.path == path)
        #expect(endpoint.origin.port == port)
    }

    /// A query may hold a key.
    @Test(arguments: [
        ("https://h/a?apikey=hunter2&b=&c", "https://h/a?apikey=…&b=…&…"), ("https://h/a?", "https://h/a?…"),
        ("https://h/a", "https://h/a"), ("https://h?hunter2", "https://h/?…"),
        ("https://h/?a=b=hunter2?", "https://h/?a=…"),
    ])
    func descriptionsHideTheValuesOfAQuery(url: String, shown: String) throws {
        #expect("\(try Endpoint(url))" == shown)
        #expect(try Endpoint(url).url == (url.contains("h?") ? url.replacing("h?", with: "h/?") : url))
        let error = #expect(throws: EndpointError.self) { try Endpoint("\(url)#x") }
        #expect(error.map { "\($0)".contains("hunter2") } == false)
    }

    @Test(arguments: [
        "", "example.com", "ftp://h", "https://", "https:///x", "https://h:0", "https://h:65536",
        "https://h:99999999999999999999",
        "https://h:x", "https://h/a b", "https://h/\r\nX: y", "https://h/ä", "https://h/#f", "https://::1/",
        "https://[::1",
        "https://[::1]x", "https://[x]/", "https://a..b", "https://.a", "https://h:1:2", "https://h/\"", "://h",
        "https://a_b!c",
        "https://h:+80", "https://[]/",
    ])
    func refuses(url: String) {
        #expect(throws: EndpointError.self) { try Endpoint(url) }
    }

    /// The examples of RFC 3492 §7.1 are labels; Python's codec agrees with the others.
    @Test(arguments: [
        ("https://bücher.example/x", "“ü” (U+00FC)", "xn--bcher-kva.example"),
        ("https://BÜCHER.example:8443", "“Ü” (U+00DC)", "xn--bcher-kva.example:8443"),
        ("https://a.мойдомен.рф", "“м” (U+043C)", "a.xn--d1acklchcc.xn--p1ai"),
        ("https://他们为什么不说中文.example", "“他” (U+4ED6)", "xn--ihqwcrb4cv8a8dqg056pqjye.example"),
        ("https://mañana.example", "“ñ” (U+00F1)", "xn--maana-pta.example"),
    ])
    func hostsInOtherLettersAreNamed(url: String, character: String, ascii: String) throws {
        let error = #expect(throws: EndpointError.self) { try Endpoint(url) }
        #expect(
            error?.message.contains(character) == true && error?.message.contains(ascii) == true,
            "\(error?.message ?? "")")
        #expect(throws: Never.self) { try Endpoint("https://\(ascii)/") }
    }

    /// What would have to be mapped first is named and not guessed.
    @Test(arguments: [
        "https://bu\u{308}cher.example", "https://h\u{AD}.example", "https://a。b", "https://\u{202E}x.example",
    ])
    func ambiguousHostNamesAreRefusedWithoutASuggestion(url: String) throws {
        let error = #expect(throws: EndpointError.self) { try Endpoint(url) }
        #expect(error?.message.contains("U+") == true && error?.message.contains("xn--") == false)
    }

    @Test func userInformationIsRefusedAndNotRepeated() {
        let error = #expect(throws: EndpointError.self) { try Endpoint("https://service:canary-1@h/x") }
        #expect(error?.description.contains("canary") == false)
    }
}

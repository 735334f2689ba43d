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

    @Test func userInformationIsRefusedAndNotRepeated() {
        let error = #expect(throws: EndpointError.self) { try Endpoint("https://service:canary-1@h/x") }
        #expect(error?.description.contains("canary") == false)
    }
}

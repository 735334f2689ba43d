import SignetWSDL
import Testing

@Suite struct WebAddressTests {
    /// RFC 3986 §5.4, with the query kept.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"),
        ("g#s", "http://a/b/c/g"), (";x", "http://a/b/c/;x"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"),
        ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("HTTPS://Host:8443/x", "https://host:8443/x"),
    ])
    func referencesAreResolved(reference: String, expected: String) throws {
        let base = try #require(WebAddress("http://a/b/c/d;p?q"))
        #expect(base.resolving(reference)?.description == expected)
    }

    @Test(arguments: ["urn:x", "mailto:a@b", "file:a", "C:\\x"])
    func referencesWithOtherSchemesAreNotResolved(reference: String) throws {
        #expect(try #require(WebAddress("http://a/b")).resolving(reference) == nil)
    }

    @Test(arguments: ["", "a", "/a", "//a", "http:", "http:/a", "http://", "1http://a", ":a", "http:///x"])
    func invalidAddressesAreRefused(text: String) { #expect(WebAddress(text) == nil) }

    /// Passwords that a document wrote into an address are not repeated in messages.
    @Test(arguments: ["https://user:secret@h/x?y", "https://a@user:secret@h/x?y"])
    func userInformationIsNotShown(text: String) throws {
        let address = try #require(WebAddress(text))
        #expect("\(address)" == "https://…@h/x?y")
        #expect(try #require(address.resolving("../z")).description == "https://…@h/z")
    }

    @Test func theOriginTellsPortsApart() {
        #expect(WebAddress("http://A:80/x")?.origin == "http://a:80")
        #expect(WebAddress("https://user@h/x")?.origin == "https://user@h")
    }
}

import HTTPTypes
import Testing

@testable import SignetHTTP

/// The value of a field without an index is the one that the subscript gives.
@Suite struct FieldValueTests {
    @Test(
        arguments: [
            [], [("Content-Type", "text/xml")], [("X-Other", "1"), ("content-type", "text/xml")],
            [("Content-Type", "text/xml"), ("CONTENT-TYPE", "a/b"), ("X-Other", "1")],
            [("Cookie", "a=1"), ("Cookie", "b=2"), ("Content-Type", "")],
        ] as [[(String, String)]])
    func valueEqualsTheSubscript(_ lines: [(String, String)]) throws {
        var fields = HTTPFields()
        for (name, value) in lines { fields.append(HTTPField(name: try #require(.init(name)), value: value)) }
        for name in [HTTPField.Name.contentType, .cookie, .accept] { #expect(fields.value(of: name) == fields[name]) }
    }
}

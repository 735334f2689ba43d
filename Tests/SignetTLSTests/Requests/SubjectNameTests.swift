import SwiftASN1
import Testing

@testable import SignetTLS

@Suite struct SubjectNameTests {
    @Test(arguments: [
        ("CN=device 7", "CN=device 7"), ("cn=a,o=b , C=DE", "CN=a, O=b, C=DE"), ("CN=a+UID=b,O=c", "CN=a+UID=b, O=c"),
        (#"CN=Müller\, Söhne, O=A\+B"#, #"CN=Müller\, Söhne, O=A\+B"#), (#"CN=\20a\20"#, #"CN=\ a\ "#),
        (#"CN=a\C3\BC"#, "CN=aü"), ("2.5.4.65=nick", "2.5.4.65=nick"), ("2.5.4.3=a", "2.5.4.3=a"), ("", ""),
        ("CN=a=b", #"CN=a\=b"#),
    ]) func namesAreReadAsRFC4514WritesThem(text: String, shown: String) throws {
        #expect(try SubjectName(text).description == shown)
    }

    @Test(arguments: [
        "CN", "CN=", "=a", "CN=a,", "CN=a,,O=b", "XY=a", "CN=a;O=b", "CN=#0401", #"CN=a\"#, #"CN=a\G0"#, "CN=\"a\"",
        "C=Germany", "DC=exämple", "serialNumber=a_b", "9.1.2=a", "1.40.1=a", "1.2=a", #"CN=\FF"#,
        "CN=" + String(repeating: "x", count: 65), "O=" + String(repeating: "x", count: 1025),
        Array(repeating: "OU=a", count: 65).joined(separator: ","), "CN=a\u{0}b",
    ]) func otherTextIsRefused(text: String) {
        #expect(throws: IdentityError(.invalidRequest, "")) { try SubjectName(text) }
    }

    @Test func theEncodingIsReadBack() throws {
        let text = #"CN=device\, 7+UID=x, OU=Ö, O=Bank, DC=example, C=DE"#
        var coder = DER.Serializer()
        try SubjectName(text).serialize(into: &coder)
        // The attributes of one part stand in the order of their encodings.
        let read = try DistinguishedName(try DER.parse(coder.serializedBytes)).text
        #expect(read == #"0.9.2342.19200300.100.1.1=x+CN=device\, 7, OU=Ö, O=Bank, DC=example, C=DE"#)
    }
}

import GreetingService
import HTTPTypes
import SignetSOAP
import Testing

/// One `Content-Type` means the same as a field of HTTP and as a field of the envelope's part (RFC 9110 §8.3.1, RFC
/// 2045 §5.1).
@Suite struct ContentTypeAgreementTests {
    /// What a caller gets: the text with a letter that UTF-8 and Latin-1 encode differently, or a refusal.
    private enum Outcome: Equatable {
        case read(String)
        case refused
    }

    private static let body = envelope("<g:Greeted><g:text>Jörg</g:text></g:Greeted>")

    private typealias Encode = @Sendable (String) -> [UInt8]

    @Sendable private static func latin1(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    private func outcome(_ contentType: String, _ body: String, _ encode: Encode) async throws -> Outcome {
        let transport = CannedTransport(contentType: contentType, body, encode: encode)
        let caller = ServiceCaller(endpoint: try Endpoint("http://localhost/soap"), transport: transport)
        do { return .read(try await Greeting.Client(caller).greet(.init(name: "you")).text) } catch is ServiceError {
            return .refused
        }
    }

    private func asField(_ contentType: String, _ encode: Encode) async throws -> Outcome {
        try await outcome(contentType, Self.body, encode)
    }

    private func asPart(_ contentType: String, _ encode: Encode) async throws -> Outcome {
        let parts = "--b\r\nContent-Type: \(contentType)\r\n\r\n\(Self.body)\r\n--b--\r\n"
        return try await outcome("multipart/related; boundary=b; type=\"text/xml\"", parts, encode)
    }

    @Test(arguments: [
        "text/xml", "text/xml; charset=iso-8859-1", "text/xml;charset=utf-8", "TEXT/XML ;CHARSET=ISO-8859-1",
        "text/xml; charset = iso-8859-1", "text/xml; charset=\"iso-8859-1\"", "text/xml; charset='iso-8859-1'",
        "text/xml; charset=iso-8859-1 (a comment)", "text/xml (a comment); charset=iso-8859-1",
        "text/xml;;; charset=iso-8859-1;", "text/xml; =x; charset=iso-8859-1", "text/xml; charset; charset=iso-8859-1",
        "text/xml; x=\"; charset=utf-8\"; charset=iso-8859-1", "text/xml; charset=iso-8859-1; charset=ISO-8859-1",
        "text/xml; charset=iso-8859-1; charset=utf-8", "text/xml; charset=utf-8; charset=iso-8859-1",
        "text/xml; charset=\"iso-8859-1", "text/xml; charset=\"iso-8859-\\1\"", "text/xml; charset=\"iso-8859-1\" x",
        "text/xml; x=a\"; charset=iso-8859-1;\"", "text/xml\"; charset=iso-8859-1", "text/xml; x y=z",
        "text/xml; charset*=us-ascii''iso-8859-1", "text/xml; charset=iso-8859-1(c)", "text/xml; charset=\"\"",
        "text/xml; charset=no-such-charset", "text/html; charset=iso-8859-1", "text/xml charset=iso-8859-1",
        "text/xml; charset=iso-8859-1, text/xml",
    ])
    func aFieldAndAPartAgree(_ contentType: String) async throws {
        for encode in [Self.latin1, { Array($0.utf8) }] as [Encode] {
            #expect(try await asField(contentType, encode) == asPart(contentType, encode))
        }
    }

    /// Shows that both outcomes occur: two readers that refuse everything would agree too.
    @Test func bothOutcomesOccur() async throws {
        #expect(try await asPart("text/xml; charset=\"iso-8859-1\"", Self.latin1) == .read("Jörg"))
        #expect(try await asField("text/xml; charset=iso-8859-1 (c)", Self.latin1) == .read("Jörg"))
        #expect(try await asPart("text/xml; charset=utf-8; charset=iso-8859-1", Self.latin1) == .refused)
        #expect(try await asField("text/xml; charset=utf-8; charset=iso-8859-1", Self.latin1) == .refused)
    }

    /// A multipart message whose parameters cannot be read is refused with the reason, not taken for something else.
    @Test func theErrorHoldsTheReason() async throws {
        let transport = CannedTransport(contentType: "multipart/related; boundary=a; boundary=b", Self.body)
        let caller = ServiceCaller(endpoint: try Endpoint("http://localhost/soap"), transport: transport)
        let error = await #expect(throws: ServiceError.self) {
            try await Greeting.Client(caller).greet(.init(name: "you"))
        }
        #expect((error?.cause as? AttachmentError)?.code == .unusableContentType)
    }
}

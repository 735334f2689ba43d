import Foundation
import HTTPTypes
import SignetDynamic
import SignetSOAP
import SignetWSDL
import Testing

/// Ports that are bound to HTTP without SOAP (WSDL 1.1 §4, §5).
@Suite struct PlainCallTests {
    private static let answer =
        #"<Received xmlns="urn:example:plain"><method>GET</method><parameter name="a">b</parameter></Received>"#

    private func service(_ name: String) throws -> DynamicService {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../ReferenceServices/\(name)/\(name).wsdl").standardized
        return try DynamicService(contentsOfFile: file.path(percentEncoded: false))
    }

    @Test func aQueryIsAskedAndItsAnswerRead() async throws {
        let service = try service("PlainQueries")
        #expect(service.version == nil)
        #expect(service.port.binding == "HTTP without SOAP")
        #expect(service.operations.allSatisfy { $0.reasonNotCallable == nil })
        let transport = TestTransport(.ok, Self.answer)
        let client = try DynamicClient(service, transport: transport)
        let output = try await client.call("Search", ["text": "a&b", "limit": 3, "tag": ["x", "y"]])
        #expect(output.json() == ##"{"method":"GET","parameter":[{"@name":"a","#text":"b"}]}"##)
        let request = try #require(transport.lastRequest)
        #expect(request.path == "/soap/Search?text=a%26b&limit=3&tag=x&tag=y")
        #expect(request.method == .get)
        _ = try await client.call("Find", ["shelf": "a/b", "book": "1", "format": "f"])
        #expect(transport.lastRequest?.path == "/soap/shelves/a%2Fb/books/1?format=f")
        _ = try await client.call("Ping")
        #expect(transport.lastRequest?.path == "/soap/Ping")
    }

    @Test func aFormAndAnElementAreSent() async throws {
        let transport = TestTransport(.ok, Self.answer)
        var client = try DynamicClient(try service("PlainForms"), transport: transport)
        // Says nothing about what has no envelope.
        client.caller.version = .soap12
        func body() -> String { String(decoding: transport.lastRequest?.body.bytes ?? [], as: UTF8.self) }
        // TestTransport answers with the media type of the request, which a form's is not.
        let error = await #expect(throws: ServiceError.self) {
            try await client.call("Order", ["article": "a b", "count": 1, "express": true])
        }
        #expect(error?.code == .notSOAP)
        #expect(body() == "article=a+b&count=1&express=true")
        _ = try await client.call("Review", ["text": "<good>"])
        #expect(body().hasPrefix("<") && body().contains("text>&lt;good&gt;</"))
    }

    @Test func valuesAreCheckedAgainstTheSchema() async throws {
        let transport = TestTransport()
        let client = try DynamicClient(try service("PlainQueries"), transport: transport)
        let missing = await #expect(throws: DynamicError.self) { try await client.call("Search", ["text": "a"]) }
        #expect(missing?.code == .missing)
        let wrong = await #expect(throws: DynamicError.self) {
            try await client.call("Search", ["text": "a", "limit": 101])
        }
        #expect(wrong?.code == .invalidValue)
        let blocks = await #expect(throws: DynamicError.self) {
            try await client.call("Ping", headers: ["{urn:x}Session": "1"])
        }
        #expect(blocks?.code == .notSupported)
        #expect(throws: DynamicError.self) { try client.envelope(of: "Ping") }
        #expect(transport.lastRequest == nil)
    }

    @Test func aSampleHasThePartsOfTheMessage() throws {
        let sample = try service("PlainQueries").sample(of: "Search")
        #expect(sample["text"] != nil && sample["limit"] != nil)
        #expect(sample["tag"]?[0] != nil)
    }
}

import Foundation
import ReferenceServices
import Signet
import Testing

/// HTTP without SOAP, as PHP reads it: by generated clients, and by `signet call`.
@Suite(.serialized) struct PlainPeerTests {
    /// What must arrive as it was, and as nothing else.
    private static let hostile = [
        "a/b", "a\\b", "?x=1", "#x", "a&text=b", "a;b=c", "%2F%00", "a+b c", "a\r\nHost: b", "Grüße 閉 😀", "~*'()",
        "(shelf)",
        " a ", "<a>&amp;", "\u{7F}",
    ]

    private static func wsdl(_ name: String) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../ReferenceServices/\(name)/\(name).wsdl").standardized
    }

    @Test func generatedQueries() async throws {
        try await PHPService(script: "plain_server.php", wsdl: Self.wsdl("PlainQueries")).run { port in
            let client = PlainQueries.Client(
                try ServiceConfiguration(PlainQueries.Ports.plainQueriesGet, address: "http://127.0.0.1:\(port)/plain"))
            for value in Self.hostile {
                let found = try await client.search(.init(text: value, limit: 7, tag: [value, "", "x"]))
                #expect(found.method == "GET")
                #expect(found.segment == ["plain", "Search"])
                #expect(found.parameter.map(\.name) == ["text", "limit", "tag", "tag", "tag"])
                #expect(found.parameter.map(\.value) == [value, "7", value, "", "x"])
                let book = try await client.find(.init(shelf: value, book: value, format: value))
                #expect(book.segment == ["plain", "shelves", value, "books", value])
                #expect(book.parameter == [.init(name: "format", value: value)])
            }
            #expect(try await client.ping(.init()).parameter.isEmpty)
            try await client.shutdown()
        }
    }

    @Test func generatedClientsSendForms() async throws {
        try await PHPService(script: "plain_server.php", wsdl: Self.wsdl("PlainForms")).run { port in
            let client = PlainForms.Client(
                try ServiceConfiguration(PlainForms.Ports.plainFormsPost, address: "http://127.0.0.1:\(port)/plain"))
            for value in Self.hostile {
                let input = PlainForms.Order(article: value, count: -1, express: true)
                let ordered = try await client.order(input)
                #expect(ordered.method == "POST")
                #expect(ordered.segment == ["plain", "Order"])
                #expect(ordered.parameter.map(\.value) == [value, "-1", "true"])
                #expect(ordered.content == nil)
            }
            let marked = try await client.mark(.init(article: "a&b", count: 1, express: false))
            #expect(marked.parameter.map(\.value) == ["a&b", "1", "false"])
            let reviewed = try await client.review(.init(text: "a < b", stars: 5))
            let content = try #require(reviewed.content)
            #expect(content.hasPrefix("application/xml; charset=utf-8: <") && content.contains("a &lt; b"))
            try await client.shutdown()
        }
    }

    @Test func signetCall() async throws {
        try await PHPService(script: "plain_server.php", wsdl: Self.wsdl("PlainQueries")).run { port in
            let address = ["--endpoint", "http://127.0.0.1:\(port)/plain"]
            let queries = try SignetProgram(Self.wsdl("PlainQueries"), options: address)
            let found = try await queries.answer(
                "Search", ["--set", "text=a&limit=9 ü", "--set", "limit=7", "--set", "tag[]=x", "--set", "tag[]=y"])
            #expect(found["parameter"].count == 4, "\(found)")
            #expect(found["parameter"][0].description.contains("a&limit=9 ü"))
            let book = try await queries.answer(
                "Find", ["--set", "shelf=a/b", "--set", "book=1", "--set", "format=x"])
            #expect(book["segment"][2].text == "a/b", "\(book)")
            let lost = try await queries.call("Find", ["--set", "shelf=..", "--set", "book=1", "--set", "format=x"])
            #expect(lost.status == 1)
            #expect(lost.error.contains("would lead out of it"), "\(lost.error)")
            let traced = try await queries.call(
                "Search", ["--set", "text=hunter2", "--set", "limit=7", "--verbose", "--trace"])
            #expect(traced.status == 0)
            #expect(!traced.error.contains("Search?"), "\(traced.error)")
            let forms = try SignetProgram(Self.wsdl("PlainForms"), options: address)
            let ordered = try await forms.answer(
                "Order", json: #"{"article": "a=b&c", "count": 2, "express": true}"#)
            #expect(ordered["method"].text == "POST", "\(ordered)")
            #expect(ordered["parameter"].count == 3)
            let reviewed = try await forms.answer("Review", json: #"{"text": "a < b"}"#)
            #expect(reviewed["content"].text?.contains("a &lt; b") == true, "\(reviewed)")
        }
    }

    @Test func dryRunsShowWhatWouldBeSent() async throws {
        let queries = try SignetProgram(Self.wsdl("PlainQueries"))
        let search = try await queries.call("Search", ["--set", "text=a b", "--set", "limit=7", "--dry-run"])
        #expect(search.output == "http://localhost:8080/plain/Search?text=a+b&limit=7\n", "\(search)")
        #expect(search.error.contains("GET http://localhost:8080/plain\n"), "\(search)")
        let forms = try SignetProgram(Self.wsdl("PlainForms"))
        let order = try await forms.call(
            "Order", ["--set", "article=a b", "--set", "count=1", "--set", "express=true", "--dry-run"])
        #expect(order.output == "article=a+b&count=1&express=true\n", "\(order)")
        let soap = try await forms.call("Order", ["--soap", "1.1", "--dry-run"])
        #expect(soap.status == 1)
        #expect(soap.error.contains("without SOAP"), "\(soap)")
    }
}

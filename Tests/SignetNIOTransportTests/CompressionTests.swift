import HTTPTypes
import NIOCore
import NIOHTTP1
import SignetHTTP
import Testing

@testable import SignetNIOTransport

/// Answers that come compressed.
@Suite(.timeLimit(.minutes(5))) struct CompressionTests {
    private static let text = String(repeating: "hello ", count: 10_000)

    @Test(arguments: ["gzip", "deflate", "identity", "x-gzip", "bare", "stored"]) func contentIsDecoded(coding: String)
        async throws
    {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/coded/\(coding)"
        try await withTransport(url) { transport async throws in
            for isReused in [false, true] {
                let answer = try await transport.call(url, .get)
                #expect(answer.text == Self.text)
                #expect(answer.fields[.contentEncoding] == nil)
                #expect(answer.fields[.contentLength] == (coding == "identity" ? "60000" : nil))
                #expect(answer.report.connection.reused == isReused)
            }
            #expect(try await transport.call(url, .head).body.isEmpty)
        }
        let asked = try peer.requests.map { $0.fields?["accept-encoding"] }
        #expect(asked == ["gzip", "gzip", "identity"])
    }

    @Test(arguments: [
        ("wrong", TransportError.Code.malformedResponse), ("half", .malformedResponse), ("more", .malformedResponse),
        ("bare-half", .malformedResponse), ("bare-more", .malformedResponse), ("br", .malformedResponse),
        ("twice", .malformedResponse), ("bomb", .responseTooLarge),
    ])
    func contentThatDoesNotMatchItsCodingIsRefused(kind: String, code: TransportError.Code) async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/coded/\(kind)"
        try await withTransport(url) { transport async throws in
            let error = try await transport.failure(url, .get) { $0.maximumResponseBytes = 1_000_000 }
            #expect(error?.code == code, "\(String(describing: error))")
            // What follows goes over another connection.
            let next = try await transport.call("http://127.0.0.1:\(peer.port)/ok")
            #expect(next.text == "hello ")
            #expect(!next.report.connection.reused)
        }
    }

    /// Where the last match goes beyond what is inflated at a time.
    @Test func aBareStreamMayEndAnywhere() async throws {
        let peer = try Peer()
        let base = "http://127.0.0.1:\(peer.port)/bare/"
        try await withTransport(base) { transport async throws in
            for size in [1, 2, 16_383, 16_384, 16_385, 16_484, 32_768 + 257, 65_536 + 1] {
                #expect(try await transport.call(base + "\(size)", .get).body.count == size)
            }
        }
    }

    @Test func anotherCodingIsNamed() async throws {
        let peer = try Peer()
        let base = "http://127.0.0.1:\(peer.port)/coded/"
        try await withTransport(base) { transport async throws in
            let error = try #require(await transport.failure(base + "br", .get))
            #expect(error.message.contains("“br” (Content-Encoding)"), "\(error)")
            // Without content there is nothing to read.
            #expect(try await transport.call(base + "empty", .get).body.isEmpty)
            #expect(try await transport.call(base + "br", .head).body.isEmpty)
            // A program that asks for a coding itself reads it itself.
            #expect(try await transport.call(base + "br", .get, fields: [.acceptEncoding: "br"]).body == [0x0B])
            #expect(
                try await transport.call(base + "br", .get, fields: [.acceptEncoding: "br"]).fields[.contentEncoding]
                    == "br")
        }
    }

    /// A byte at a time, where a format has to be known by its first two.
    @Test(arguments: ["deflate", "bare"]) func codedContentIsDecodedByteByByte(kind: String) throws {
        let zlib: [UInt8] = [0x78, 0x9C, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x06, 0x2C, 0x02, 0x15]
        let bytes = kind == "bare" ? Array(zlib.dropFirst(2).dropLast(4)) : zlib
        let decoder = try ContentDecoder(
            .init(version: .http1_1, status: .ok, headers: ["Content-Encoding": "deflate"]))
        var text = ""
        for byte in bytes {
            for piece in try decoder.decode(ByteBuffer(bytes: [byte])) { text += String(buffer: piece) }
        }
        for piece in try decoder.finish() { text += String(buffer: piece) }
        #expect(text == "hello")
    }

    @Test func theClientDoesNotRequestDisabledCompression() async throws {
        let peer = try Peer()
        let url = "http://127.0.0.1:\(peer.port)/coded/gzip"
        try await withTransport(url, { $0.acceptsCompression = false }) { transport async throws in
            let answer = try await transport.call(url, .get)
            #expect(answer.fields[.contentEncoding] == "gzip")
            #expect(answer.body.count < 1_000)
        }
        #expect(try peer.requests.first?.fields?["accept-encoding"] == nil)
    }
}

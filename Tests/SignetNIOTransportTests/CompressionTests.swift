import HTTPTypes
import SignetHTTP
import Testing

@testable import SignetNIOTransport

/// Answers that come compressed.
@Suite(.timeLimit(.minutes(5))) struct CompressionTests {
    private static let text = String(repeating: "hello ", count: 10_000)

    @Test(arguments: ["gzip", "deflate", "identity"]) func comesOutAsItWas(coding: String) async throws {
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
        ("bomb", .responseTooLarge),
    ])
    func isRefusedWhereItIsNotWhatItSays(kind: String, code: TransportError.Code) async throws {
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

    @Test func isNotAskedForWhereItIsNotWanted() async throws {
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

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOSSL

/// AsyncHTTPClient, as its documentation has it.
struct AsyncHTTPRival: Rival {
    private let client: HTTPClient
    private let url: String
    private let request: ByteBuffer

    init(_ url: URL, _ files: Files, connections: Int) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .file(files.authority)
        tls.certificateChain = try NIOSSLCertificate.fromPEMFile(files.certificate).map { .certificate($0) }
        tls.privateKey = .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem))
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        client = HTTPClient(configuration: configuration)
        self.url = url.absoluteString
        request = ByteBuffer(bytes: files.request)
    }

    func call(_ number: Int) async throws -> Int {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "text/xml; charset=utf-8")
        request.headers.add(name: "SOAPAction", value: "\"\"")
        request.body = .bytes(self.request)
        let response = try await client.execute(request, timeout: .seconds(60))
        guard response.status == .ok else { throw CallRivals.BadAnswer() }
        return try await response.body.collect(upTo: 1 << 20).readableBytes
    }

    func close() async throws { try await client.shutdown() }
}

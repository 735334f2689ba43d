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

    func call(_ number: Int) async throws -> Int { try await call(.bytes(request)) }

    /// Nothing but calls opens a connection, and only calls that overlap open more than one: none sends its content
    /// before all have a connection.
    func open(_ connections: Int) async throws {
        let gate = Gate(connections)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<connections {
                let content = HTTPClientRequest.Body.stream(
                    GatedContent(bytes: request, gate: gate), length: .known(Int64(request.readableBytes)))
                group.addTask {
                    guard try await call(content) > 500 else { throw CallRivals.BadAnswer() }
                }
            }
            try await group.waitForAll()
        }
    }

    private func call(_ body: HTTPClientRequest.Body) async throws -> Int {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "text/xml; charset=utf-8")
        request.headers.add(name: "SOAPAction", value: "\"\"")
        request.body = body
        let response = try await client.execute(request, timeout: .seconds(60))
        guard response.status == .ok else { throw CallRivals.BadAnswer() }
        return try await response.body.collect(upTo: 1 << 20).readableBytes
    }

    func close() async throws { try await client.shutdown() }
}

/// Content that is sent when all have arrived at the gate. It is asked for when there is a connection for it.
private struct GatedContent: AsyncSequence, AsyncIteratorProtocol {
    let bytes: ByteBuffer
    let gate: Gate
    private var isSent = false

    init(bytes: ByteBuffer, gate: Gate) { (self.bytes, self.gate) = (bytes, gate) }

    func makeAsyncIterator() -> Self { self }

    mutating func next() async -> ByteBuffer? {
        guard !isSent else { return nil }
        isSent = true
        await gate.arrive()
        return bytes
    }
}

/// Opens when as many have arrived as it waits for.
private actor Gate {
    private var missing: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ missing: Int) { self.missing = missing }

    func arrive() async {
        missing -= 1
        if missing > 0 { return await withCheckedContinuation { waiting.append($0) } }
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}

import Foundation
import HTTPTypes
import Testing

@testable import SignetSOAP

@Suite(.timeLimit(.minutes(10))) struct ContentAnswerTests {
    private static let upload: ServiceOperation<Journal.Upload, Journal.Upload> = Journal.operation("Upload")
    private static let path = [XMLName(Journal.namespace, "Upload"), XMLName(Journal.namespace, "content")]

    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
    }

    private static func text(_ content: String) -> String {
        envelope("<j:Upload xmlns:j=\"urn:journal\"><j:name>n</j:name>\n<j:content>\(content)</j:content></j:Upload>")
    }

    private func call(
        _ transport: PiecewiseTransport
    ) async throws -> (bytes: [UInt8], answer: Result<ServiceAnswer<Journal.Upload>, any Error>) {
        var bytes: [UInt8] = []
        do {
            let answer = try await ServiceCaller(transport).answer(
                to: Self.upload, .init(name: "q"), base64: Self.path
            ) { bytes += $0 }
            return (bytes, .success(answer))
        } catch { return (bytes, .failure(error)) }
    }

    @Test(arguments: [0, 1, 2, 3, 1000], [1, 3, 64, 100_000]) func contentComesDecoded(
        count: Int, pieceBytes: Int
    ) async throws {
        let letters = XSDBase64Binary(Self.bytes(count)).lexicalForm
        let (bytes, result) = try await call(PiecewiseTransport(Self.text(letters), pieceBytes: pieceBytes))
        #expect(bytes == Self.bytes(count))
        #expect(try result.get().output == Journal.Upload(name: "n"))
    }

    @Test func whiteSpaceMayStandAnywhere() async throws {
        let transport = PiecewiseTransport(Self.text(" S\tG V&#xD;&#10;\n s bG8=\r\n"), pieceBytes: 2)
        let (bytes, result) = try await call(transport)
        #expect(String(decoding: bytes, as: UTF8.self) == "Hello")
        _ = try result.get()
    }

    @Test(arguments: [
        "SGVs\nbG8", "SGVs\nb*8=", "SGVs\nbG8=SGVs", "SGVs\n=bG8", "SGVs\nbG9=", "SGVs\n&amp;", "SGVs\nbG8==",
    ])
    func damageNamesItsPlace(letters: String) async throws {
        let (bytes, result) = try await call(PiecewiseTransport(Self.text(letters), pieceBytes: 5))
        #expect(bytes.starts(with: Array("Hel".utf8)))
        let error = try #require(throws: ServiceError.self) { try result.get() }
        #expect(error.code == .malformedAnswer)
        let cause = try #require(error.cause as? XMLError)
        #expect(cause.code == .invalidValue)
        #expect(cause.line == 3)
        #expect(cause.path.hasSuffix("content"))
    }

    @Test(arguments: ["SGVs<j:a/>bG8=", "<!-- a -->SGVsbG8=", "<![CDATA[SGVsbG8=]]>"]) func markupIsRefused(
        content: String
    ) async throws {
        let (_, result) = try await call(PiecewiseTransport(Self.text(content)))
        let error = try #require(throws: ServiceError.self) { try result.get() }
        #expect((error.cause as? XMLError)?.code == .unexpected)
    }

    @Test(arguments: ["<j:content>SGVs</j:content>", "<j:content/>"]) func aSecondElementIsRefused(
        second: String
    ) async throws {
        let text = Self.text("SGVs").replacingOccurrences(of: "</j:content>", with: "</j:content>\(second)")
        let (bytes, result) = try await call(PiecewiseTransport(text))
        #expect(bytes == Array("Hel".utf8))
        let error = try #require(throws: ServiceError.self) { try result.get() }
        #expect((error.cause as? XMLError)?.code == .unexpected)
    }

    /// Where the content goes is looked at before anything is sent.
    @Test(arguments: ["/nonexistent/folder/content", "/", "", "/tmp", "/tmp/", "/tmp/a\0b"])
    func aFileThatCannotBe(file: String) async throws {
        let transport = PiecewiseTransport(Self.text("SGVs"))
        await #expect(throws: AttachmentError.self) {
            _ = try await ServiceCaller(transport).answer(
                to: Self.upload, .init(name: "q"), base64: Self.path, savingTo: file, replacing: true)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func defectsAfterTheContentHaveTheirLine() async throws {
        let text = Self.text("SGVs\n\nSGVs").replacingOccurrences(of: "</j:Upload>", with: "\n</j:Upload><oops>")
        let (_, result) = try await call(PiecewiseTransport(text))
        let error = try #require(throws: ServiceError.self) { try result.get() }
        #expect((error.cause as? XMLError)?.line == 5)
    }

    @Test func headerBlocksAreCheckedFirst() async throws {
        let text = Self.text("SGVs").replacingOccurrences(
            of: "<s:Body>",
            with: "<s:Header><h:a xmlns:h=\"urn:h\" s:mustUnderstand=\"1\">x</h:a></s:Header><s:Body>")
        let (bytes, result) = try await call(PiecewiseTransport(text))
        #expect(bytes.isEmpty)
        #expect(throws: ServiceError(.headerNotUnderstood, "")) { try result.get() }
    }

    @Test func aFileIsThereWhenTheAnswerWasRead() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "content").path(percentEncoded: false)
        let letters = XSDBase64Binary(Self.bytes(200_000)).lexicalForm
        func save(_ text: String, replacing: Bool = false) async throws {
            _ = try await ServiceCaller(PiecewiseTransport(text, pieceBytes: 16 << 10)).answer(
                to: Self.upload, .init(name: "q"), base64: Self.path, savingTo: file, replacing: replacing)
        }
        await #expect(throws: ServiceError(.malformedAnswer, "")) { try await save(Self.text(letters + "*")) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        try await save(Self.text(letters))
        #expect(FileManager.default.contents(atPath: file) == Data(Self.bytes(200_000)))
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        await #expect(throws: AttachmentError.self) { try await save(Self.text("SGVs")) }
        try await save(Self.text("SGVs"), replacing: true)
        #expect(FileManager.default.contents(atPath: file) == Data("Hel".utf8))
        // Nothing is no reason to lose what is there.
        for content in [Self.text(""), Self.text("").replacing("<j:content></j:content>", with: "")] {
            await #expect(throws: ServiceError(.malformedAnswer, "")) { try await save(content, replacing: true) }
        }
        #expect(FileManager.default.contents(atPath: file) == Data("Hel".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["content"])
    }
}

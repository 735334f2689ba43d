import CorpusFiles
import Foundation
import Testing

/// What `signet call --dry-run` would send for the input that `--sample` prints, judged by libxml2 with the WSDL's own
/// schemas.
@Suite(.serialized) struct DryRunTests {
    /// Judges the envelopes of all operations of a WSDL, which lies in a folder that may be written to.
    ///
    /// - Parameter only: the operations of the service, where the WSDL has several services.
    private func judge(_ wsdl: URL, _ options: [String], only: [String]? = nil, count: Int) async throws {
        let signet = try SignetProgram(wsdl, options: options)
        let operations = try only ?? signet.operations()
        #expect(operations.count == count)
        var envelopes: [String] = []
        // A few processes at a time.
        let width = 4
        for start in stride(from: 0, to: operations.count, by: width) {
            envelopes += try await withThrowingTaskGroup { group in
                for operation in operations[start..<min(start + width, operations.count)] {
                    group.addTask { try await Self.envelope(signet, operation) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        let result = try await PeerProcess.output(
            of: .init(
                program: Tool.python,
                arguments: [PeerFile.url("validate.py").path(percentEncoded: false), wsdl.path(percentEncoded: false)]
                    + envelopes))
        #expect(result.status == 0, "\(result.error)")
        #expect(result.output.isEmpty, "\(result.output)")

        // The validator works: it finds an element that the schema does not have.
        let first = try #require(envelopes.first)
        let text = try String(contentsOfFile: first, encoding: .utf8)
        try signet.files.write(text.replacing("</soap:Body>", with: "<x/></soap:Body>"), as: "bad.xml")
        let bad = try await PeerProcess.output(
            of: .init(
                program: Tool.python,
                arguments: [
                    PeerFile.url("validate.py").path(percentEncoded: false), wsdl.path(percentEncoded: false),
                    signet.files.path("bad.xml"),
                ]))
        #expect(!bad.output.isEmpty)
    }

    /// The path of the file with an operation's envelope.
    private static func envelope(_ signet: SignetProgram, _ operation: String) async throws -> String {
        let sample = try await signet.call(operation, ["--sample"])
        #expect(sample.status == 0, "\(operation): \(sample.error)")
        let dryRun = try await signet.call(operation, json: sample.output, ["--dry-run"])
        #expect(dryRun.status == 0, "\(operation): \(dryRun.error)")
        try signet.files.write(dryRun.output, as: "\(operation).xml")
        return signet.files.path("\(operation).xml")
    }

    @Test(arguments: WebEasePeerTests.versions.map(\.number)) func webEase(version: String) async throws {
        let files = try IdentityFiles()
        let wsdl = files.folder.appending(path: "WebEase.wsdl")
        try FileManager.default.copyItem(at: WebEasePeer.wsdl, to: wsdl)
        try await judge(wsdl, ["--soap", version], count: 5)
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func verifactu() async throws {
        let original = try CorpusPeer.verifactu.original
        let copy = try CorpusCopy(original)
        try await judge(copy.file(CorpusPeer.verifactu.path), ["--service", "sfVerifactu"], count: 2)
        try await judge(
            copy.file(CorpusPeer.verifactu.path), ["--service", "sfRequerimiento"],
            only: ["RegFactuSistemaFacturacion"], count: 1)
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func ptz() async throws {
        let original = try CorpusPeer.ptz.original
        let copy = try CorpusCopy(original)
        // The wildcards make content models ambiguous (XML Schema Part 1 §3.8.6), which libxml2 refuses; samples leave
        // them empty.
        let paths = try FileManager.default.subpathsOfDirectory(atPath: copy.folder.path(percentEncoded: false))
        for path in paths where path.hasSuffix(".xsd") || path.hasSuffix(".wsdl") {
            let schema = try String(contentsOf: copy.file(path), encoding: .utf8)
            try Data(schema.replacing(/<xsd?:any\s[^>]*\/>/, with: "").utf8).write(to: copy.file(path))
        }
        try await judge(
            copy.file(CorpusPeer.ptz.path),
            ["--root", copy.folder.path(percentEncoded: false), "--endpoint", "https://camera.invalid/onvif/ptz"],
            count: 29)
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func partner() async throws {
        let original = try CorpusPeer.partner.original
        let copy = try CorpusCopy(original)
        try await judge(copy.file(CorpusPeer.partner.path), [], count: 63)
    }
}

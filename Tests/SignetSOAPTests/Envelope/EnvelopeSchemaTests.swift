import CorpusFiles
import Foundation
import GreetingService
import SignetSOAP
import Testing

/// The envelopes that the library writes, checked by xmllint with the schema that the W3C publishes for SOAP 1.2. The
/// schema is not part of this package.
@Suite struct EnvelopeSchemaTests {
    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func envelopesAreValid() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-envelopes-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let published = try Corpus.file("wsdl/onvif-device/_ext/www.w3.org")
        var schema = try String(contentsOf: published.appending(path: "2003/05/soap-envelope"), encoding: .utf8)
        schema.replace(
            "http://www.w3.org/2001/xml.xsd",
            with: published.appending(path: "2001/xml.xsd").path(percentEncoded: false))
        try Data(schema.utf8).write(to: folder.appending(path: "envelope.xsd"))
        for (name, bytes) in try await Self.messages() {
            try Data(bytes).write(to: folder.appending(path: "\(name).xml"))
        }
        // The last shows that a mistake would be found.
        for (name, isValid) in [
            ("request", true), ("answer", true), ("fault", true), ("missed", true), ("upgrade", true), ("bad", false),
        ] {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/xmllint")
            process.arguments = ["--nonet", "--noout", "--schema", "envelope.xsd", "\(name).xml"]
            process.currentDirectoryURL = folder
            process.standardError = Pipe()
            try process.run()
            process.waitUntilExit()
            #expect((process.terminationStatus == 0) == isValid, "\(name)")
        }
    }

    private static func messages() async throws -> [(name: String, bytes: [UInt8])] {
        let transport = CannedTransport(
            contentType: "application/soap+xml", envelope("<g:Greeted><g:text/></g:Greeted>", .soap12))
        let blocks = [
            Greeting.mood.block(.init(text: "good"), mustUnderstand: true, role: .next, relay: true),
            HeaderBlock(try XMLFragment(parsing: "<a xmlns='urn:a'/>"), mustUnderstand: true),
        ]
        _ = try await ServiceCaller(transport, version: .soap12)
            .call(Greeting.greet, .init(name: "you"), headerBlocks: blocks)
        let request = try #require(await transport.requests.first).body.bytes ?? []

        var dispatcher = Greeting.dispatcher(versions: [.soap12]) { input, context in
            context.answerHeaderBlocks.append(Greeting.mood.block(.init(text: "better")))
            guard input.name.isEmpty else { return .init(text: input.name) }
            var fault = SOAPFault(
                .init(namespaceURI: "urn:mine", localName: "Special"), "no",
                subcodes: [.init(namespaceURI: "", localName: "More")], role: "urn:role",
                detail: [try XMLFragment(parsing: "<a xmlns='urn:a'/>")])
            fault.reasons.append(.init("nein", language: "de"))
            fault.node = "urn:node"
            throw fault
        }
        dispatcher.understoodHeaderBlocks = [Greeting.mood.name, XMLName("urn:a", "a")]
        let answer = await dispatcher.respond(to: request, from: .init()).body.bytes ?? []
        let silence = envelope("<g:Greet><g:name/></g:Greet>", .soap12)
        let fault = await dispatcher.respond(to: Array(silence.utf8), from: .init()).body.bytes ?? []
        dispatcher.understoodHeaderBlocks = []
        let missed = await dispatcher.respond(to: request, from: .init()).body.bytes ?? []
        let upgrade =
            await dispatcher.respond(to: Array("<Envelope xmlns='urn:e'/>".utf8), from: .init()).body.bytes ?? []
        let bad = String(decoding: fault, as: UTF8.self).replacing("soap:Receiver", with: "soap:Server")
        return [
            ("request", request), ("answer", answer), ("fault", fault), ("missed", missed), ("upgrade", upgrade),
            ("bad", Array(bad.utf8)),
        ]
    }
}

import CorpusFiles
import Foundation
import Testing

@testable import SignetSOAP

/// The messages of the W3C's SOAP 1.2 test collection, which are not part of this package, as node C of it sees them.
///
/// What several nodes do together is left out, and so is what needs a schema for header blocks.
@Suite struct TestCollectionTests {
    private static let tests = """
        1 2 3 4 5 10 11 12 13 14 15 16 19 22 23 24 25 26 29 30 31 33 34 35 36 37 39 40 67 68 69 74 78
        """
    private static let namespace = XMLNamespace("http://example.org/ts-tests")
    private static let echo = ServiceOperation<XMLAny, XMLAny>(
        name: "echoOk", soapAction: "", version: .soap12, input: XMLName(namespace, "echoOk"),
        output: XMLName(namespace, "responseOk"))
    private static let void = ServiceOperation<XMLAny, XMLAny>(
        name: "returnVoid", soapAction: "", version: .soap12, input: XMLName(namespace, "returnVoid"),
        output: XMLName(namespace, "returnVoidResponse"))

    /// Echoes the header blocks `echoOk` that are for it.
    private static var node: ServiceDispatcher {
        let role = SOAPRole("http://example.org/ts-tests/C")
        let echo = { @Sendable (input: XMLAny, context: OperationContext) in
            for block in context.headerBlocks where block.localName == "echoOk" && block.isFor([role]) {
                context.answerHeaderBlocks.append(
                    HeaderBlock(XMLName(namespace, "responseOk"), block.fragment.content))
            }
            return input
        }
        var node = ServiceDispatcher(
            name: "C", versions: [.soap12], routes: [Self.echo.route(echo), void.route { input, _ in input }])
        node.roles = [role]
        node.understoodHeaderBlocks = [XMLName(namespace, "echoOk")]
        return node
    }

    /// What of an answer is compared.
    private struct Outcome: Equatable {
        var version: String
        var headerBlocks: [String]
        var code: String?
        var body: [String]

        init(_ bytes: [UInt8]) throws {
            let envelope = try XMLFragment(parsing: bytes)
            version = envelope.namespaceURI
            headerBlocks = (envelope.children.first(named: "Header")?.children ?? []).map {
                "\($0.localName) \($0.text.split(whereSeparator: \.isWhitespace).joined(separator: " "))"
            }
            let content = try #require(envelope.children.first(named: "Body")).children
            code = content.first(named: "Fault").map { fault in
                let code = fault.children.first(named: "Code")?.children.first ?? fault.children.first
                return String(code?.text.split(separator: ":").last ?? "").trimmingCharacters(in: .whitespaces)
            }
            body = content.map(\.localName)
        }
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func answersAreThoseOfTheCollection() async throws {
        let folder = try Corpus.file(Self.folder)
        let tests = Self.tests.split(separator: " ").map(String.init)
        for test in tests {
            let file = folder.appending(path: "RequestMessages/SOAP12ReqT\(test).xml")
            var request = try String(contentsOf: file, encoding: .utf8)
            // The collection means the namespace of SOAP 1.1 and forgets its slash, there and in the reply.
            request.replace("http://schemas.xmlsoap.org/soap/envelope\"", with: "\(SOAPVersion.soap11.namespace)\"")
            let hasContent = request.firstRange(of: /<env:Body>\s*<\/env:Body>/) == nil
            // The services of these tests have an operation for every message.
            request.replace(
                /<env:Body>\s*<\/env:Body>/,
                with: "<env:Body><t:echoOk xmlns:t='http://example.org/ts-tests'/></env:Body>")
            let answer = await Self.node.respond(to: Array(request.utf8), from: .init())
            let reply = folder.appending(path: "ReplyMessages/SOAP12ResT\(test).xml")
            var expected = try Outcome([UInt8](Data(contentsOf: reply)))
            // Signet always names its version in an Upgrade block; the collection leaves it out once.
            if test == "24" { expected.headerBlocks = ["Upgrade "] }
            var outcome = try Outcome(answer.body.bytes ?? [])
            if test == "30" { expected.version += "/" }
            if !hasContent, outcome.code == nil { (outcome.body, expected.body) = ([], []) }
            #expect(outcome == expected, "T\(test)")
        }
    }

    /// Envelopes that are none, in the tests of Apache Axiom.
    @Test(
        .enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"),
        arguments: [
            "notnamespaceQualified", "wrongSoapNs", "soap11/entity-reference", "soap11/envelopeMissing",
            "soap11/haederBodyWrongOrder", "soap11/twoBodymessage", "soap11/twoheaders",
            "soap12/additional-element-after-body", "soap12/entity-reference", "soap12/header-bad-case",
            "soap12/header-no-namespace",
        ])
    func badEnvelopesAreRefused(name: String) async throws {
        let folder = try Corpus.file(Self.folder)
        let file = "../axiom/testing/axiom-testsuite/src/main/resources/badsoap/\(name).xml"
        let request = try Data(contentsOf: folder.appending(path: file))
        let answer = await ServiceDispatcher(
            name: "C", versions: [.soap12, .soap11],
            routes: ["http://ws.apache.org/axis2 echoVoid", "urn:test echo", "urn:test testRequest", " content"].map {
                let parts = $0.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
                let name = XMLName(parts[0], parts[1])
                return ServiceOperation<XMLAny, XMLAny>(
                    name: parts[1], soapAction: "", version: .soap12, input: name, output: name
                ).route { input, _ in input }
            }
        ).respond(to: [UInt8](request), from: .init())
        #expect(answer.status >= 400)
        #expect(String(decoding: answer.body.bytes ?? [], as: UTF8.self).contains("soap:Fault"))
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func aFaultWithEverythingIsRead() async throws {
        let folder = try Corpus.file(Self.folder)
        let file = "../axiom/testing/soap-testsuite/src/main/resources/test-message/soap12/fault.xml"
        let reply = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
        let transport = CannedTransport(status: 400, contentType: "application/soap+xml", reply)
        let fault = await #expect(throws: SOAPFault.self) {
            try await ServiceCaller(transport, version: .soap12).call(Self.echo, .init())
        }
        #expect(fault?.code == .sender)
        #expect(
            fault?.subcodes.map(\.localName) == ["First", "Second", "Third"].map { "MessageTimeout_In_\($0)_Subcode" })
        #expect(fault?.subcodes.first?.namespaceURI == "http:www.sample.org")
        #expect(fault?.reason(in: "de") == "Senderseitige Zeitüberschreitung")
        #expect(fault?.node?.contains("role/ultimateReceiver") == true)
        #expect(fault?.detail.isEmpty == false)
    }

    /// The standard's own `env:NotUnderstood`, read by a client.
    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func repliesAreRead() async throws {
        let folder = try Corpus.file(Self.folder)
        for (test, code) in [
            ("12", SOAPFault.Code.mustUnderstand), ("24", .versionMismatch), ("39", .sender), ("33", .client),
        ] {
            let reply = try Data(contentsOf: folder.appending(path: "ReplyMessages/SOAP12ResT\(test).xml"))
            let transport = CannedTransport(
                status: 500, contentType: "application/soap+xml", String(decoding: reply, as: UTF8.self))
            let fault = await #expect(throws: SOAPFault.self) {
                try await ServiceCaller(transport, version: .soap12).call(Self.echo, .init())
            }
            #expect(fault?.code == code, "T\(test)")
            #expect(fault?.reasons.first?.language == "en-US")
            #expect(
                fault?.notUnderstood.map(\.description)
                    == (test == "12" ? ["{http://example.org/ts-tests}Unknown"] : []))
        }
    }

    private static let folder = "suites/soap12-testcollection/axis2"
}

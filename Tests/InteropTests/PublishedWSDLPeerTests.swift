import CorpusFiles
import Foundation
import Signet
import SignetServer
import TestSupport
import Testing

/// WSDLs in many documents, which clients read from a server.
@Suite(.serialized, .enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"), .timeLimit(.minutes(10)))
struct PublishedWSDLPeerTests {
    private struct Report: Decodable {
        let operations: [String]
        let types: Int
        let addresses: [String]
    }

    private func serve<Value: Sendable>(
        _ wsdl: String, during body: (_ url: String) async throws -> Value
    ) async throws -> Value {
        var service = HostedService(
            ServiceDispatcher(name: "Service", versions: [.soap11, .soap12], routes: []), path: "/service")
        let port = try Port.free()
        let url = "http://127.0.0.1:\(port)/service"
        service.wsdl = try PublishedWSDL(
            file: try Corpus.file("wsdl/\(wsdl)").path(percentEncoded: false),
            address: try Endpoint(url))
        var settings = SOAPServer.Settings()
        settings.port = port
        let server = try SOAPServer.withoutTLS([service], settings: settings)
        try await server.start()
        let result: Result<Value, any Error>
        do { result = .success(try await body(url)) } catch { result = .failure(error) }
        await server.shutdown()
        return try result.get()
    }

    @Test(arguments: [
        ("ups-ship/Ship.wsdl", "ProcessShipment"), ("netsuite-2017_2/netsuite.wsdl", "addList"),
        ("paypal/PayPalSvc.wsdl", "AddressVerify"),
    ])
    func zeepAndPHPReadAllDocuments(wsdl: String, operation: String) async throws {
        try await serve(wsdl) { url async throws in
            let result = try await PeerProcess.output(
                of: .init(
                    program: Tool.python,
                    arguments: [PeerFile.url("wsdl_client.py").path(percentEncoded: false), "\(url)?wsdl"]))
            #expect(result.status == 0, "\(result.error)")
            let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
            #expect(report.operations.contains(operation) && report.types > 50, "\(report)")
            #expect(Set(report.addresses) == [url])
            let functions = "echo implode(' ', (new SoapClient($argv[1]))->__getFunctions());"
            let php = try await PeerProcess.output(
                of: .init(
                    program: "php",
                    arguments: ["-d", "soap.wsdl_cache_enabled=0", "-r", functions, "--", "\(url)?wsdl"]))
            #expect(php.status == 0 && php.output.contains(" \(operation)("), "\(php.error) \(php.output.prefix(500))")
        }
    }
}

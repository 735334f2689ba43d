import CorpusFiles
import Foundation
import SignetTesting
import Testing

/// Services that others make from WSDLs of the corpus, each behind an nginx that demands a client certificate.
enum CorpusPeer: String, CaseIterable, Sendable {
    /// The Spanish tax agency's VERI*FACTU, by PHP.
    case verifactu = "aeat-verifactu"
    /// ONVIF's pan, tilt and zoom, by gSOAP; SOAP 1.2.
    case ptz = "onvif-ptz"
    /// Salesforce's partner API, by PHP.
    case partner = "salesforce-partner-48"

    /// The WSDL's path in its folder.
    var path: String {
        switch self {
        case .verifactu: "SistemaFacturacion.wsdl"
        case .ptz: "ver20/ptz/wsdl/ptz.wsdl"
        case .partner: "partner.wsdl.xml"
        }
    }

    /// The folder in the corpus.
    var original: URL { get throws { try Corpus.file("wsdl/\(rawValue)") } }

    /// Starts the service and nginx, runs `body` with the port of nginx, and ends both.
    ///
    /// - Parameter authority: issues the server's certificate, and the clients' that are let in.
    func run(authority: CertificateAuthority, during body: (_ port: Int) async throws -> Void) async throws {
        let original = try original
        let copy = try CorpusCopy(original)
        let wsdl = copy.file(path)
        func proxied(_ upstream: Int) async throws {
            try await MutualTLSProxy.run(before: upstream, authority: authority, during: body)
        }
        switch self {
        case .verifactu: try await PHPService(script: "verifactu_server.php", wsdl: wsdl).run(during: proxied)
        case .ptz: try await GSOAPPeer(.ptz, wsdl: wsdl).run("ptz_server", during: proxied)
        case .partner: try await PHPService(script: "partner_server.php", wsdl: wsdl).run(during: proxied)
        }
    }
}

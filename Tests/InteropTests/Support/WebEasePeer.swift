import Foundation
import Signet
import SignetTesting

/// The WebEase service as others make it. Every one of them behaves alike but for what is said here.
enum WebEasePeer: String, CaseIterable, Sendable {
    case php = "PHP"
    case gSOAP

    static var wsdl: URL {
        URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Sources/SignetDemo/WebEase.wsdl").standardized
    }

    /// When it says that it wrote an entry.
    var recordedAt: String {
        switch self {
        case .php: "2026-03-29T14:34:56.789+02:00"
        // To gSOAP a time is a number of seconds.
        case .gSOAP: "2026-03-29T12:34:56Z"
        }
    }

    /// Whether it knows an element that is nil from one that is absent; gSOAP has a null pointer for both.
    var tellsNilFromAbsent: Bool { self == .php }

    /// Starts the service behind nginx, runs `body` with the port of nginx, and ends both.
    ///
    /// - Parameter authority: issues the server's certificate, and the clients' that are let in.
    func run<Value: Sendable>(
        authority: CertificateAuthority, during body: (_ port: Int) async throws -> Value
    ) async throws -> Value {
        switch self {
        case .php:
            try await PHPService(script: "webease_server.php", wsdl: Self.wsdl).run { upstream in
                try await MutualTLSProxy.run(before: upstream, authority: authority, during: body)
            }
        case .gSOAP:
            try await GSOAPPeer(.webEase, wsdl: Self.wsdl).run("webease_server") { upstream in
                try await MutualTLSProxy.run(before: upstream, authority: authority, during: body)
            }
        }
    }
}

extension SOAPVersion {
    /// The form in which other programs take it.
    var number: String { self == .soap12 ? "1.2" : "1.1" }
}

import Foundation
import SignetSOAP
import SignetWSSecurity

/// WS-Security as others do it: a client of Echo, and of two of them a service too, to which "clerk" may talk with the
/// password "wäy in".
struct UsernameTokenPeer: Sendable {
    enum Name: String, CaseIterable, Sendable {
        case wss4J = "WSS4J"
        case gSOAP
        case zeep
    }

    /// What the clients can send: see `Peers/username_token_client.py`.
    enum Form: String, Sendable {
        case digest, text, timed, twice, stale, future, expired
    }

    /// What the client says of a message that it has sent.
    struct Report: Decodable, Hashable, Sendable {
        var text: String?
        /// The code of a fault, or its subcode in SOAP 1.2, as `{namespace}name`.
        var code: String?

        init(text: String) { self.text = text }
        init(_ code: SOAPFault.Code) { self.code = "{\(code.namespaceURI)}\(code.localName)" }
    }

    static let wsdl = PeerFile.url("username_token.wsdl")

    private enum Program: Sendable {
        case java(JavaProgram)
        case gSOAP(GSOAPPeer)
        case python
    }
    private let program: Program

    /// Compiles what must be.
    init(_ name: Name) async throws {
        program =
            switch name {
            case .wss4J:
                .java(
                    try await JavaProgram(
                        ["wss4j/WSS4JEcho.java"],
                        libraries: ["wss4j", "xmlsec", "slf4j-api", "slf4j-nop", "commons-logging"]))
            case .gSOAP: .gSOAP(try await GSOAPPeer(.usernameToken, wsdl: Self.wsdl))
            case .zeep: .python
            }
    }

    func remove() { if case .java(let program) = program { program.remove() } }

    /// Sends messages, each form in turn.
    func call(
        _ url: String, _ version: SOAPVersion, user: String = "clerk", password: String = "wäy in", _ forms: [Form]
    ) async throws -> [Report] {
        let files = try IdentityFiles()
        try files.write(password, as: "password")
        let arguments =
            [url, version == .soap11 ? "11" : "12", user, files.path("password")] + forms.map(\.rawValue)
        let command =
            switch program {
            case .java(let program): program.command(["call"] + arguments)
            case .gSOAP(let peer):
                PeerProcess.Command(program: peer.program("username_token"), arguments: ["call"] + arguments)
            case .python:
                PeerProcess.Command(
                    program: Tool.python,
                    arguments: [
                        PeerFile.url("username_token_client.py").path(percentEncoded: false),
                        Self.wsdl.path(percentEncoded: false),
                    ] + arguments)
            }
        let result = try await PeerProcess.output(of: command)
        guard result.status == 0 else {
            throw PeerProcess.Failure(description: "\(command.program): \(result.error)\(result.output)")
        }
        return try result.output.split(separator: "\n").map {
            try JSONDecoder().decode(Report.self, from: Data($0.utf8))
        }
    }

    /// Starts the service, runs `body` with its address, and ends it.
    func serve(during body: (_ url: String) async throws -> Void) async throws {
        let port = try Port.free()
        let command: PeerProcess.Command
        switch program {
        case .java(let program): command = program.command(["serve", "\(port)"], port: port)
        case .gSOAP(let peer):
            command = .init(program: peer.program("username_token"), arguments: ["serve", "\(port)"], port: port)
        case .python: throw PeerProcess.Failure(description: "zeep is a client only.")
        }
        try await PeerProcess.run(command) { try await body("http://127.0.0.1:\(port)/") }
    }
}

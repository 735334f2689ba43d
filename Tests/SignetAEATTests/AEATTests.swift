import Foundation
import SignetAEAT
import SignetSOAP
import SignetTLS
import Testing

@Suite struct AEATTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var types: [String] = []
        var policies: [String] = []
        let kind: AEATCertificate?
        var testDescription: String { "\(types) \(policies)" }
    }

    private static let (sign, seal, web) = ("0.4.0.1862.1.6.1", "0.4.0.1862.1.6.2", "0.4.0.1862.1.6.3")

    @Test(arguments: [
        Row(types: [sign], kind: .person),
        Row(types: [seal], kind: .seal),
        Row(types: [web], kind: nil),
        Row(types: [sign, seal], kind: nil),
        Row(types: [seal, web], kind: .seal),
        Row(
            types: [sign], policies: ["1.3.6.1.4.1.5734.3.11.1", "2.16.724.1.3.5.8", "0.4.0.194112.1.0"], kind: .person),
        Row(types: [seal], policies: ["2.16.724.1.3.5.6.2", "0.4.0.194112.1.1"], kind: .seal),
        Row(policies: ["0.4.0.194112.1.2"], kind: .person),
        Row(policies: ["0.4.0.194112.1.3"], kind: .seal),
        Row(policies: ["2.16.724.1.3.5.2.2"], kind: .seal),
        Row(policies: ["2.16.724.1.3.5.7.1"], kind: .person),
        // What one says the other denies.
        Row(types: [sign], policies: ["0.4.0.194112.1.1"], kind: nil),
        Row(policies: ["1.3.6.1.4.1.5734.3.10.1"], kind: nil),
        Row(policies: ["2.16.724.1.3.5.66.2"], kind: nil),
        Row(kind: nil),
    ])
    func theKindOfACertificateIsRecognized(row: Row) throws {
        let identity = try OpenSSLIdentity.make(types: row.types, policies: row.policies)
        #expect(AEATCertificate(identity.leaf) == row.kind)
    }

    @Test func aMalformedExtensionIsIgnored() throws {
        let identity = try OpenSSLIdentity.make(extensions: "1.3.6.1.5.5.7.1.3=DER:30:03:02:01:01\n2.5.29.32=DER:04:00")
        #expect(identity.leaf.subject == "CN=Prueba")
        #expect(AEATCertificate(identity.leaf) == nil)
        #expect(AEATCertificate(EncodedCertificate(der: [1, 2, 3])) == nil)
    }

    /// As `SistemaFacturacion.wsdl` has them.
    private static let ports = [
        ("SistemaVerifactu", "https://www1.agenciatributaria.gob.es"),
        ("SistemaVerifactuSello", "https://www10.agenciatributaria.gob.es"),
        ("SistemaVerifactuPruebas", "https://prewww1.aeat.es"),
        ("SistemaVerifactuSelloPruebas", "https://prewww10.aeat.es"),
    ].map {
        ServicePort(name: $0, address: "\($1)/wlpl/TIKE-CONT/ws/SistemaFacturacion/VerifactuSOAP", version: .soap11)
    }

    @Test(arguments: [
        (AEATEnvironment.production, sign, "SistemaVerifactu"), (.production, seal, "SistemaVerifactuSello"),
        (.test, sign, "SistemaVerifactuPruebas"), (.test, seal, "SistemaVerifactuSelloPruebas"),
    ])
    func theRightPortIsChosen(environment: AEATEnvironment, type: String, name: String) throws {
        let identity = try OpenSSLIdentity.make(types: [type])
        #expect(try environment.port(among: Self.ports, for: identity).name == name)
    }

    @Test func anUnknownCertificateKindMustBeStated() throws {
        let identity = try OpenSSLIdentity.make()
        let error = #expect(throws: AEATError.self) {
            try AEATEnvironment.test.port(among: Self.ports, for: identity)
        }
        #expect(error?.code == .unknownCertificateKind)
        #expect(error?.description.contains("CN=Prueba") == true)
        let port = try AEATEnvironment.test.port(among: Self.ports, certificate: .seal)
        #expect(port.name == "SistemaVerifactuSelloPruebas")
    }

    @Test func aSinglePortMustMatchToo() throws {
        let none = #expect(throws: AEATError.self) {
            try AEATEnvironment.production.port(among: [Self.ports[0]], certificate: .seal)
        }
        #expect(none?.code == .noSuchPort)
        #expect(none?.description.contains("www10.agenciatributaria.gob.es") == true)
        let other = ServicePort(name: "Requerimiento", address: Self.ports[0].address, version: .soap11)
        let several = #expect(throws: AEATError.self) {
            try AEATEnvironment.production.port(among: Self.ports + [other], certificate: .person)
        }
        #expect(several?.code == .noSuchPort)
        #expect(several?.description.contains("SistemaVerifactu, Requerimiento") == true)
        let unusable = [
            "http://www1.agenciatributaria.gob.es/", "https://www1.agenciatributaria.gob.es.example/", "x", nil,
        ]
        for address in unusable {
            #expect(throws: AEATError(.noSuchPort, "")) {
                try AEATEnvironment.production.port(
                    among: [ServicePort(name: "P", address: address, version: nil)], certificate: .person)
            }
        }
    }
}

/// Certificates with extensions as openssl writes them.
enum OpenSSLIdentity {
    struct Failure: Error {}

    static func make(types: [String] = [], policies: [String] = []) throws -> Identity {
        var extensions = policies.isEmpty ? "" : "certificatePolicies=\(policies.joined(separator: ","))\n"
        if !types.isEmpty {
            let list = types.enumerated().map { "t\($0)=OID:\($1)" }.joined(separator: "\n")
            extensions += """
                1.3.6.1.5.5.7.1.3=ASN1:SEQUENCE:statements
                [statements]
                compliance=SEQUENCE:compliance
                type=SEQUENCE:type
                [compliance]
                id=OID:0.4.0.1862.1.1
                [type]
                id=OID:0.4.0.1862.1.6
                info=SEQUENCE:types
                [types]
                \(list)
                """
        }
        return try make(extensions: extensions)
    }

    static func make(extensions: String) throws -> Identity {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let request = "[req]\ndistinguished_name=dn\nprompt=no\nx509_extensions=ext\n[dn]\nCN=Prueba\n[ext]\n"
        try Data((request + "keyUsage=digitalSignature\n" + extensions + "\n").utf8).write(
            to: folder.appending(path: "c.cnf"))
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments =
            "req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -days 2 -config c.cnf -keyout k.pem -out c.pem"
            .split(separator: " ").map(String.init)
        process.currentDirectoryURL = folder
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure() }
        return try Identity(
            pem: Array(try Data(contentsOf: folder.appending(path: "c.pem"))),
            privateKey: Array(try Data(contentsOf: folder.appending(path: "k.pem"))))
    }
}

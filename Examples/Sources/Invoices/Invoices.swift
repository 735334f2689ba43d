import Foundation
import Signet
import SignetAEAT
import SignetServer
import SignetTesting

/// Registers invoices with VERI*FACTU, the service of Spain's tax agency, for which this program stands in itself.
@main enum Example {
    static let issuer = Verifactu.Taxpayer(nombreRazon: "Cerámica Ejemplo SL", nif: "B12345674")
    static let program = Verifactu.Program(
        nombreRazon: "Programas Ejemplo SL", nif: "B98765431", nombreSistemaInformatico: "Invoices",
        idSistemaInformatico: "01", version: "1.0", numeroInstalacion: "1", tipoUsoPosibleSoloVerifactu: .s,
        tipoUsoPosibleMultiOT: .n, indicadorMultiplesOT: .n)
    static let invoices = [("2026/17", "40 tiles", 20_000), ("2026/18", "Freight & insurance", 1_850)].map {
        Invoice(
            number: $0, date: "2026-11-02",
            customer: .init(nombreRazon: "Cliente Ejemplo SA", nif: "A28000008"), text: $1, price: $2, rate: 21)
    }

    static func main() async throws {
        // For a real certificate, port(among:for:) finds in it whether it is that of a person.
        let port = try AEATEnvironment.test.port(among: Verifactu.Ports.all, certificate: .person)
        print("The agency's test system:", port.address ?? "no address")

        let authority = try CertificateAuthority(commonName: "Example authority")
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer(
            Verifactu.dispatcher(Agency()), path: "/VerifactuSOAP",
            tls: .init(
                identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])),
                clients: .certificateRequired(.anchors(authority.bundle))),
            settings: settings)

        // The same port, at the address of the stand-in.
        var service = try ServiceConfiguration(
            port, address: "https://localhost:\(try await server.start())/VerifactuSOAP")
        service.identity = .fixed(try authority.issueClient(commonName: "Bookkeeper \(issuer.nif)"))
        service.trust = .anchors(authority.bundle)
        service.calls.checksInput = true
        let agency = Verifactu.Client(service)

        var chain = RecordChain(issuer: issuer, program: program)
        var records: [Verifactu.InvoiceRecord] = []
        for invoice in invoices {
            guard let now else { continue }
            records.append(chain.append(invoice, at: now))
        }
        try await submit(records, to: agency)

        print("A record that was changed, and one that was sent before:")
        if var last = records.last {
            last.registroAlta.idFactura.numSerieFactura = "2026/19"
            try await submit([last] + records.prefix(1), to: agency)
        }
        try await agency.shutdown()
        await server.shutdown()
    }

    /// The time in the time zone of this machine, in whole seconds.
    static var now: XSDDateTime? {
        let now = Date.now
        return XSDTimeZone(minutes: TimeZone.current.secondsFromGMT(for: now) / 60).flatMap {
            XSDDateTime(secondsSinceEpoch: Int64(now.timeIntervalSince1970), timeZone: $0)
        }
    }

    /// Sends records, prints what becomes of them, and waits as long as the agency wants.
    static func submit(_ records: [Verifactu.InvoiceRecord], to agency: some Verifactu.API) async throws {
        let answer = try await agency.regFactuSistemaFacturacion(
            .init(cabecera: .init(obligadoEmision: issuer), registroFactura: records))
        print("\(answer.estadoEnvio), receipt \(answer.csv ?? "none")")
        for (record, line) in zip(records, answer.respuestaLinea) {
            let error = line.codigoErrorRegistro.map { ": \($0) \(line.descripcionErrorRegistro ?? "")" } ?? ""
            print(
                "   ", line.idFactura.numSerieFactura, "\(record.registroAlta.importeTotal) €",
                "\(record.registroAlta.huella.prefix(8))…", "\(line.estadoRegistro)\(error)")
        }
        try await Task.sleep(for: .seconds(Int(answer.tiempoEsperaEnvio) ?? 60))
    }
}

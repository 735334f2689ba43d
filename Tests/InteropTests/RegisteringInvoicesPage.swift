import Signet
import SignetAEAT

@testable import Invoices

// Code of RegisteringInvoices.md. It is compiled, and DocumentationTests compares it with the page.

private func register(
    _ invoice: Invoice, identity: Identity, issuer: Verifactu.Taxpayer, program: Verifactu.Program,
    stored: Verifactu.PreviousRecord?, now: XSDDateTime
) async throws {
    let port = try AEATEnvironment.test.port(among: Verifactu.Ports.all, for: identity)
    var service = try ServiceConfiguration(port)
    service.identity = .fixed(identity)
    service.calls.checksInput = true
    let agency = Verifactu.Client(service)

    var chain = RecordChain(issuer: issuer, program: program, last: stored)
    let record = chain.append(invoice, at: now)

    let answer = try await agency.regFactuSistemaFacturacion(
        .init(cabecera: .init(obligadoEmision: issuer), registroFactura: [record]))
    for line in answer.respuestaLinea where line.estadoRegistro != .correcto {
        print(line.idFactura.numSerieFactura, line.estadoRegistro, line.descripcionErrorRegistro ?? "")
    }
    try await Task.sleep(for: .seconds(Int(answer.tiempoEsperaEnvio) ?? 60))
}

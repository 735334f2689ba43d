import CorpusFiles
import Foundation
import Signet
import Synchronization
import Testing

@testable import Invoices

/// The example `Invoices`, whose WSDL is a part of the agency's.
@Suite struct InvoicesTests {
    /// The agency's own examples: version 0.1.2 of its document, §6, first and second case.
    @Test func fingerprintsAreThoseOfTheAgency() throws {
        let first = "3C464DAF61ACB827C65FDA19F352A4E3BDC2C640E9E9FC4CC058073F38F12F60"
        var record = try Self.record()
        record.idFactura = .init(
            idEmisorFactura: "89890001K", numSerieFactura: "12345678/G33", fechaExpedicionFactura: "01-01-2024")
        record.cuotaTotal = "12.35"
        record.importeTotal = "123.45"
        record.fechaHoraHusoGenRegistro = "2024-01-01T19:20:30+01:00"
        #expect(fingerprint(of: record) == first)

        let previous = Verifactu.PreviousRecord(
            idEmisorFactura: "89890001K", numSerieFactura: "12345678/G33", fechaExpedicionFactura: "01-01-2024",
            huella: first)
        record.encadenamiento = .init(choice: .registroAnterior(previous))
        record.idFactura.numSerieFactura = "12345679/G34"
        record.fechaHoraHusoGenRegistro = "2024-01-01T19:20:35+01:00"
        #expect(
            fingerprint(of: record) == "F7B94CFD8924EDFF273501B01EE5153E4CE8F259766F88CF6ACB8935802A2B97")
        // The space around a value does not count, that inside does.
        record.idFactura.numSerieFactura = " 12345679/G34 "
        #expect(
            fingerprint(of: record) == "F7B94CFD8924EDFF273501B01EE5153E4CE8F259766F88CF6ACB8935802A2B97")
    }

    @Test(arguments: [
        (20_000, "200.00", "42.00", "242.00"), (1_850, "18.50", "3.89", "22.39"), (-5, "-0.05", "-0.01", "-0.06"),
    ])
    func amountsAreWrittenInEuros(price: Int, base: String, tax: String, total: String) throws {
        let record = try Self.record(price: price)
        #expect(record.desglose.detalleDesglose.first?.baseImponibleOimporteNoSujeto == base)
        #expect(record.cuotaTotal == tax)
        #expect(record.importeTotal == total)
    }

    @Test func recordsNameTheOneBefore() throws {
        var chain = RecordChain(issuer: Example.issuer, program: Example.program)
        let records = Example.invoices.map { chain.append($0, at: "2026-11-02T10:00:00+01:00").registroAlta }
        #expect(records.count == 2)
        guard case .primerRegistro = try #require(records.first).encadenamiento.choice,
            case .registroAnterior(let previous) = try #require(records.last).encadenamiento.choice
        else { return #expect(Bool(false), "\(records)") }
        #expect(previous.numSerieFactura == "2026/17" && previous.huella == records.first?.huella)
        #expect(records.allSatisfy { $0.huella == fingerprint(of: $0) })
    }

    /// What the example sends, and what its stand-in answers, judged by libxml2 with the agency's schemas.
    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func messagesAreValidByTheSchemasOfTheAgency() async throws {
        let recorder = Recorder()
        var peer = PeerDescription()
        peer.certificateSubject = "CN=Bookkeeper B12345674"
        let agency = Verifactu.Client(inProcess: Verifactu.dispatcher(Agency()), peer: peer).with {
            $0.httpMiddlewares = [recorder]
        }
        var chain = RecordChain(issuer: Example.issuer, program: Example.program)
        var records = Example.invoices.map { chain.append($0, at: "2026-11-02T10:00:00+01:00") }
        // The first answer has no error, the second one each error that the stand-in knows.
        for _ in 0..<2 {
            _ = try await agency.regFactuSistemaFacturacion(
                .init(cabecera: .init(obligadoEmision: Example.issuer), registroFactura: records))
            records[1].registroAlta.idFactura.numSerieFactura = "2026/19"
        }

        let files = try IdentityFiles()
        let messages = recorder.messages.withLock { $0 }
        #expect(messages.count == 4)
        for (number, message) in messages.enumerated() { try files.write(message, as: "\(number).xml") }
        try files.write((messages.first ?? "").replacing("Cabecera", with: "Kopf"), as: "bad.xml")
        let copy = try CorpusCopy(try CorpusPeer.verifactu.original)
        func judge(_ names: [String]) async throws -> String {
            let result = try await PeerProcess.output(
                of: .init(
                    program: Tool.python,
                    arguments: [
                        PeerFile.url("validate.py").path(percentEncoded: false),
                        copy.file(CorpusPeer.verifactu.path).path(percentEncoded: false),
                    ] + names.map { files.path($0) }))
            #expect(result.status == 0, "\(result.error)")
            return result.output
        }
        #expect(try await judge(messages.indices.map { "\($0).xml" }) == "")
        // The validator works.
        #expect(try await judge(["bad.xml"]) != "")
    }

    private static func record(price: Int = 100) throws -> Verifactu.Registration {
        var chain = RecordChain(issuer: Example.issuer, program: Example.program)
        var invoice = try #require(Example.invoices.first)
        invoice.price = price
        return chain.append(invoice, at: "2026-11-02T10:00:00+01:00").registroAlta
    }

    /// Keeps all messages, each request before its answer.
    private final class Recorder: ClientHTTPMiddleware {
        let messages = Mutex<[String]>([])

        func intercept(
            _ exchange: ClientExchange, next: @Sendable (ClientExchange) async throws -> ClientResponse
        ) async throws -> ClientResponse {
            let sent = try await exchange.body.collected(limit: 1 << 20)
            let answer = try await next(exchange)
            messages.withLock {
                $0 += [String(decoding: sent, as: UTF8.self), String(decoding: answer.body, as: UTF8.self)]
            }
            return answer
        }
    }
}

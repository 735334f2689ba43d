import Crypto
import Foundation
import Signet

/// The fingerprint (*huella*) of the record of an invoice: SHA-256 over eight fields of the record, among them the
/// fingerprint of the record before it, in 64 hexadecimal digits.
///
/// The WSDL says nothing of it. The agency's document is *Detalle de las especificaciones técnicas para generación de la
/// huella o hash de los registros de facturación*, version 0.1.2: names and values of the fields, in this order, joined
/// by `=` and `&`, without the space around a value; empty where there is no value.
func fingerprint(of record: Verifactu.Registration) -> String {
    let previous =
        switch record.encadenamiento.choice {
        case .primerRegistro: ""
        case .registroAnterior(let previous): previous.huella
        }
    let fields = [
        ("IDEmisorFactura", record.idFactura.idEmisorFactura),
        ("NumSerieFactura", record.idFactura.numSerieFactura),
        ("FechaExpedicionFactura", record.idFactura.fechaExpedicionFactura),
        ("TipoFactura", record.tipoFactura.rawValue),
        ("CuotaTotal", record.cuotaTotal),
        ("ImporteTotal", record.importeTotal),
        ("Huella", previous),
        ("FechaHoraHusoGenRegistro", "\(record.fechaHoraHusoGenRegistro)"),
    ]
    let text = fields.map { "\($0)=\($1.trimmingCharacters(in: .whitespaces))" }.joined(separator: "&")
    return SHA256.hash(data: Data(text.utf8)).map { byte in
        (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }.joined()
}

import Signet

/// An invoice with one rate of tax.
struct Invoice: Sendable {
    /// Series and number.
    var number: String
    var date: XSDDate
    var customer: Verifactu.Taxpayer
    var text: String
    /// The price without tax, in cents.
    var price: Int
    /// The rate of tax, in per cent.
    var rate: Int

    /// The tax, in cents; half a cent is rounded away from zero.
    var tax: Int { (price * rate + (price < 0 ? -50 : 50)) / 100 }
}

/// The records of one issuer, each of which names the one before it and contains its fingerprint. A record that is changed or
/// taken out no longer fits those that follow.
struct RecordChain: Sendable {
    let issuer: Verifactu.Taxpayer
    let program: Verifactu.Program
    /// The last record, nil before the first. A program stores it together with the record, so that it can go on here
    /// after its next start.
    private(set) var last: Verifactu.PreviousRecord?

    init(issuer: Verifactu.Taxpayer, program: Verifactu.Program, last: Verifactu.PreviousRecord? = nil) {
        self.issuer = issuer
        self.program = program
        self.last = last
    }

    /// Makes the next record of the chain. When the answer to a record is lost, send the same record again: a second one
    /// for the same invoice would be refused.
    ///
    /// - Parameter time: when the record is made, in the time zone of the issuer.
    mutating func append(_ invoice: Invoice, at time: XSDDateTime) -> Verifactu.InvoiceRecord {
        let id = Verifactu.InvoiceID(
            idEmisorFactura: issuer.nif, numSerieFactura: invoice.number,
            fechaExpedicionFactura: Self.day(invoice.date))
        var record = Verifactu.Registration(
            idVersion: .value10, idFactura: id, nombreRazonEmisor: issuer.nombreRazon, tipoFactura: .f1,
            descripcionOperacion: invoice.text, destinatarios: .init(idDestinatario: [invoice.customer]),
            desglose: .init(detalleDesglose: [
                .init(
                    impuesto: .value01, claveRegimen: .value01, calificacionOperacion: .s1,
                    tipoImpositivo: "\(invoice.rate)",
                    baseImponibleOimporteNoSujeto: Self.euros(invoice.price),
                    cuotaRepercutida: Self.euros(invoice.tax))
            ]),
            cuotaTotal: Self.euros(invoice.tax), importeTotal: Self.euros(invoice.price + invoice.tax),
            encadenamiento: .init(choice: last.map { .registroAnterior($0) } ?? .primerRegistro(.s)),
            sistemaInformatico: program, fechaHoraHusoGenRegistro: time, tipoHuella: .value01, huella: "")
        record.huella = fingerprint(of: record)
        last = Verifactu.PreviousRecord(
            idEmisorFactura: id.idEmisorFactura, numSerieFactura: id.numSerieFactura,
            fechaExpedicionFactura: id.fechaExpedicionFactura, huella: record.huella)
        return .init(registroAlta: record)
    }

    /// The agency writes dates as day-month-year.
    private static func day(_ date: XSDDate) -> String {
        "\(padded(date.day))-\(padded(date.month))-\(date.year)"
    }

    private static func euros(_ cents: Int) -> String {
        let (euros, rest) = cents.magnitude.quotientAndRemainder(dividingBy: 100)
        return "\(cents < 0 ? "-" : "")\(euros).\(padded(Int(rest)))"
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

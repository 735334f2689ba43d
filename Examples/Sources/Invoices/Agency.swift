import Signet
import SignetServer
import Synchronization

/// Stands for the agency's service: it checks the fingerprint of each record, and takes each invoice once.
final class Agency: Verifactu.Service {
    private let registered = Mutex<[String: Verifactu.RecordState]>([:])

    func regFactuSistemaFacturacion(
        _ input: Verifactu.RegFactuSistemaFacturacion, _ context: OperationContext
    ) async throws -> Verifactu.RespuestaRegFactuSistemaFacturacion {
        guard let now = XSDDateTime(.now), let holder = context.peer.certificateSubject else {
            throw SOAPFault.server("There is no certificate, or no right time.")
        }
        let answers = input.registroFactura.map { answer($0.registroAlta) }
        let refused = answers.count { $0.estadoRegistro == .incorrecto }
        let isRefused = refused == answers.count
        return .init(
            csv: isRefused ? nil : "A-EXAMPLE0000001",
            // A certificate contains the tax number of its holder.
            datosPresentacion: isRefused
                ? nil
                : .init(
                    nifPresentador: String(holder.suffix(9)),
                    timestampPresentacion: now),
            cabecera: input.cabecera, tiempoEsperaEnvio: "1",
            estadoEnvio: isRefused
                ? .incorrecto
                : answers.allSatisfy { $0.estadoRegistro == .correcto } ? .correcto : .parcialmenteCorrecto,
            respuestaLinea: answers)
    }

    private func answer(_ record: Verifactu.Registration) -> Verifactu.RecordAnswer {
        let id = record.idFactura
        let isRight = record.huella == fingerprint(of: record)
        let earlier = registered.withLock { registered in
            let key = "\(id.idEmisorFactura) \(id.numSerieFactura) \(id.fechaExpedicionFactura)"
            defer { registered[key] = registered[key] ?? (isRight ? .correcto : .aceptadoConErrores) }
            return registered[key]
        }
        var answer = Verifactu.RecordAnswer(
            idFactura: id, operacion: .init(tipoOperacion: .alta), refExterna: record.refExterna,
            estadoRegistro: .correcto)
        // The numbers are the agency's, the words are not.
        if let earlier {
            answer.estadoRegistro = .incorrecto
            answer.codigoErrorRegistro = 3000
            answer.descripcionErrorRegistro = "This invoice is registered already."
            answer.registroDuplicado = .init(
                idPeticionRegistroDuplicado: "1",
                estadoRegistroDuplicado: earlier == .correcto ? .correcta : .aceptadaConErrores)
        } else if !isRight {
            answer.estadoRegistro = .aceptadoConErrores
            answer.codigoErrorRegistro = 2000
            answer.descripcionErrorRegistro = "The fingerprint is not that of the record."
        }
        return answer
    }
}

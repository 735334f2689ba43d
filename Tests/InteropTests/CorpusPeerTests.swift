import CorpusFiles
import Foundation
import Signet
import SignetTesting
import Testing

#if CORPUS
import CorpusServices
#endif

/// The clients that the plugin generates from real WSDLs, against services that PHP and gSOAP make from the same WSDLs,
/// behind an nginx that demands a client certificate.
@Suite(.serialized, .enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
struct CorpusPeerTests {
    #if CORPUS
    private func with(_ peer: CorpusPeer, _ body: (ServiceConfiguration) async throws -> Void) async throws {
        let authority = try CertificateAuthority()
        try await peer.run(authority: authority) { port in
            var service = try ServiceConfiguration("https://localhost:\(port)/service")
            service.trust = .anchors(authority.bundle)
            service.identity = .fixed(try authority.issueClient(commonName: "Asesoría B12345674"))
            try await body(service)
        }
    }

    // MARK: VERI*FACTU

    private static func system() -> Verifactu.SistemaInformaticoType {
        .init(
            nombreRazon: "Programas & Cía. <SL>",
            choice: .idOtro(.init(idType: .value03, id: "P-4711")), nombreSistemaInformatico: "Ñandú",
            idSistemaInformatico: "77", version: "1.0.03", numeroInstalacion: "383",
            tipoUsoPosibleSoloVerifactu: .n, tipoUsoPosibleMultiOT: .s, indicadorMultiplesOT: .s)
    }

    private static func registration(_ number: String) throws -> Verifactu.RegistroFacturaType {
        .init(
            choice: .registroAlta(
                .init(
                    idVersion: .value10,
                    idFactura: .init(
                        idEmisorFactura: "B12345674", numSerieFactura: number, fechaExpedicionFactura: "29-03-2026"),
                    refExterna: "ref \(number)", nombreRazonEmisor: "Señores & Compañía", tipoFactura: .f1,
                    descripcionOperacion: "Café, 2 × 3 €",
                    destinatarios: .init(idDestinatario: [
                        .init(nombreRazon: "Cliente", choice: .nif("B12345674")),
                        .init(
                            nombreRazon: "Müller KG", choice: .idOtro(.init(idType: .value02, id: "DE123456789"))),
                    ]),
                    desglose: .init(detalleDesglose: [
                        .init(
                            impuesto: .value01, claveRegimen: .value01, choice: .calificacionOperacion(.s1),
                            tipoImpositivo: "21", baseImponibleOimporteNoSujeto: "100.00", cuotaRepercutida: "21.00"
                        ),
                        .init(choice: .operacionExenta(.e1), baseImponibleOimporteNoSujeto: "-5.1"),
                    ]),
                    cuotaTotal: "21.00", importeTotal: "115.90",
                    encadenamiento: .init(
                        choice: .registroAnterior(
                            .init(
                                idEmisorFactura: "B12345674", numSerieFactura: "44",
                                fechaExpedicionFactura: "28-03-2026", huella: "HUELLA"))),
                    sistemaInformatico: system(),
                    fechaHoraHusoGenRegistro: try #require(XSDDateTime.init("2026-03-29T14:34:56+02:00")),
                    tipoHuella: .value01, huella: "Huella")))
    }

    private static func annulment(_ number: String) throws -> Verifactu.RegistroFacturaType {
        .init(
            choice: .registroAnulacion(
                .init(
                    idVersion: .value10,
                    idFactura: .init(
                        idEmisorFacturaAnulada: "B12345674", numSerieFacturaAnulada: number,
                        fechaExpedicionFacturaAnulada: "29-03-2026"),
                    encadenamiento: .init(choice: .primerRegistro(.s)), sistemaInformatico: system(),
                    fechaHoraHusoGenRegistro: try #require(XSDDateTime.init("2026-03-29T14:34:56+02:00")),
                    tipoHuella: .value01, huella: "Huella")))
    }

    @Test func verifactuTakesInvoices() async throws {
        try await with(.verifactu) { service in
            let verifactu = Verifactu.Client(service)
            let header = Verifactu.CabeceraType(
                obligadoEmision: .init(nombreRazon: "Señores & Compañía", nif: "B12345674"))
            let answer = try await verifactu.regFactuSistemaFacturacion(
                .init(
                    cabecera: header,
                    registroFactura: [
                        Self.registration("A/1"), Self.registration("X 2"), Self.annulment("A/0"),
                    ]))
            #expect(answer.csv == "A-YDSW8NLFLANWPM")
            // nginx saw the client's certificate.
            #expect(answer.datosPresentacion?.nifPresentador == "B12345674")
            #expect(
                answer.datosPresentacion?.timestampPresentacion == XSDDateTime.init("2026-03-29T14:34:56+02:00"))
            #expect(answer.cabecera == header)
            #expect(answer.tiempoEsperaEnvio == "60")
            #expect(answer.estadoEnvio == .parcialmenteCorrecto)
            #expect(answer.respuestaLinea.map(\.idFactura.numSerieFactura) == ["A/1", "X 2", "A/0"])
            #expect(answer.respuestaLinea.map(\.estadoRegistro) == [.correcto, .incorrecto, .correcto])
            #expect(answer.respuestaLinea.map(\.operacion.tipoOperacion) == [.alta, .alta, .anulacion])
            #expect(answer.respuestaLinea.map(\.refExterna) == ["ref A/1", "ref X 2", nil])
            #expect(answer.respuestaLinea.map(\.codigoErrorRegistro) == [nil, XSDInteger("1112"), nil])
            #expect(answer.respuestaLinea[1].descripcionErrorRegistro?.hasSuffix("¡Revíselo!") == true)

            let fault = await #expect(throws: SOAPFault.self) {
                try await verifactu.regFactuSistemaFacturacion(
                    .init(
                        cabecera: .init(obligadoEmision: .init(nombreRazon: "X", nif: "B00012345")),
                        registroFactura: [Self.annulment("A/0")]))
            }
            #expect(fault?.code == .client)
            #expect(fault?.reason.hasPrefix("Codigo[4116].Error en la cabecera") == true)
            try await verifactu.shutdown()
        }
    }

    @Test func verifactuAnswersAQuestion() async throws {
        try await with(.verifactu) { service in
            let verifactu = Verifactu.Client(service)
            let header = Verifactu.CabeceraConsultaSf(
                idVersion: .value10,
                choice: .obligadoEmision(.init(nombreRazon: "Señores & Compañía", nif: "B12345674")))
            let answer = try await verifactu.consultaFactuSistemaFacturacion(
                .init(
                    cabecera: header,
                    filtroConsulta: .init(periodoImputacion: .init(ejercicio: "2026", periodo: .value03))))
            #expect(answer.cabecera == header)
            #expect(answer.periodoImputacion.ejercicio == "2026")
            #expect(answer.periodoImputacion.periodo == .value03)
            #expect(answer.resultadoConsulta == .sinDatos)
            #expect(answer.registroRespuestaConsultaFactuSistemaFacturacion.isEmpty)
            try await verifactu.shutdown()
        }
    }

    // MARK: ONVIF PTZ

    @Test func cameraTurnsAndRemembers() async throws {
        try await with(.ptz) { service in
            let camera = PTZ.Client(service)
            let node = try #require(try await camera.getNodes(.init()).ptzNode.first)
            #expect(node.token == "node_1")
            #expect(node.name == "Schwenkkopf")
            #expect(node.maximumNumberOfPresets == 64)
            #expect(node.homeSupported)
            #expect(node.geoMove == false)
            #expect(node.fixedHomePosition == nil)
            #expect(node.auxiliaryCommands == ["tt:Wiper|On", "tt:Wiper|Off"])

            let position = PTZ.PTZVector(panTilt: .init(x: -0.125, y: 0.75), zoom: .init(x: 0.5))
            _ = try await camera.absoluteMove(.init(profileToken: "profile_1", position: position))
            _ = try await camera.continuousMove(
                .init(
                    profileToken: "profile_1", velocity: .init(panTilt: .init(x: 1, y: 0)),
                    timeout: XSDDuration.init("PT1M30.5S")))
            let status = try await camera.getStatus(.init(profileToken: "profile_1")).ptzStatus
            #expect(status.position == position)
            #expect(status.moveStatus?.panTilt == .moving)
            #expect(status.moveStatus?.zoom == nil)
            #expect(status.utcTime == XSDDateTime.init("2026-03-29T12:34:56Z"))
            _ = try await camera.stop(.init(profileToken: "profile_1", panTilt: true))
            #expect(
                try await camera.getStatus(.init(profileToken: "profile_1")).ptzStatus.moveStatus?.panTilt == .idle)

            let token = try await camera.setPreset(.init(profileToken: "profile_1", presetName: "Tür ☂"))
                .presetToken
            let presets = try await camera.getPresets(.init(profileToken: "profile_1")).preset
            #expect(presets == [.init(name: "Tür ☂", ptzPosition: position, token: token)])
            try await camera.shutdown()
        }
    }

    @Test func cameraRefusesWithASubcode() async throws {
        try await with(.ptz) { service in
            let camera = PTZ.Client(service)
            let fault = await #expect(throws: SOAPFault.self) {
                try await camera.getStatus(.init(profileToken: "profile_2"))
            }
            #expect(fault?.code == .sender)
            #expect(
                fault?.subcodes == [
                    .init(namespaceURI: "http://www.onvif.org/ver10/error", localName: "InvalidArgVal")
                ])
            #expect(fault?.reason == "No such profile: Profil unbekannt")
            #expect(fault?.detail.first?.localName == "why")
            #expect(fault?.detail.first?.namespaceURI == "urn:example:camera")

            // One of those that the camera does not have.
            let missing = await #expect(throws: SOAPFault.self) {
                try await camera.geoMove(.init(profileToken: "profile_1", target: .init(lon: 13.4, lat: 52.5)))
            }
            #expect(missing?.code == .receiver)
            #expect(missing?.reason == "The request was read; this camera cannot do it.")
            try await camera.shutdown()
        }
    }

    // MARK: Salesforce partner API

    private static func name(_ text: String) throws -> XMLFragment {
        try XMLFragment(XMLName("urn:sobject.partner.soap.sforce.com", "Name"), text: text)
    }

    @Test func partnerKeepsRecordsOfASession() async throws {
        try await with(.partner) { service in
            let caller = ServiceCaller(service)
            let partner = Partner.Client(caller)
            let login = try await partner.login(.init(username: "ada@example.com", password: "påss wörd")).result
            #expect(login.metadataServerUrl == nil)
            #expect(login.sandbox)
            let session = try #require(login.sessionId)
            let header = Partner.Headers.sessionHeader.block(.init(sessionId: session))
            let options = Partner.Headers.callOptions.block(.init(client: "Grüße/1.0"))

            let account = Partner.SObject(type: "Account", any: [try Self.name("Jörg & Söhne <GmbH>")])
            let created = try await partner.create(
                .init(sObjects: [account, .init(type: "Foo")]), headerBlocks: [header]
            ).result
            #expect(created.map(\.success) == [true, false])
            #expect(created.last?.id == nil)
            #expect(created.last?.errors.map(\.statusCode) == [.invalidType])
            #expect(created.last?.errors.first?.fields == [.value("type")])

            let answer = try await caller.answer(
                to: Partner.Operations.query, .init(queryString: "SELECT Id, Name FROM Account"),
                headerBlocks: [header, options])
            let found = answer.output.result
            #expect(found.done)
            #expect(found.size == 1)
            let record = try #require(found.records.first?.value)
            #expect(record.type == "Account")
            #expect(record.id == created.first?.id)
            #expect(record.any.map(\.localName) == ["Name"])
            #expect(record.any.map(\.namespaceURI) == ["urn:sobject.partner.soap.sforce.com"])
            #expect(try record.any.first?.value(String.self) == "Jörg & Söhne <GmbH>")
            let limits = try answer.header(Partner.Headers.limitInfoHeader)?.limitInfo
            #expect(
                limits == [
                    .init(current: 7, limit: 15000, type: "API REQUESTS"),
                    .init(current: 1, limit: 1, type: "Grüße/1.0"),
                ])
            try await partner.shutdown()
        }
    }

    @Test func partnerFaultsAreTyped() async throws {
        try await with(.partner) { service in
            let partner = Partner.Client(service)
            let refused = await #expect(throws: DeclaredFault<Partner.LoginFault>.self) {
                try await partner.login(.init(username: "ada@example.com", password: "wrong"))
            }
            #expect(refused?.detail.exceptionCode == .invalidLogin)
            #expect(refused?.detail.exceptionMessage == "Passwort falsch oder Nutzer gesperrt.")
            #expect(refused?.fault.code == .client)

            let expired = await #expect(throws: DeclaredFault<Partner.UnexpectedErrorFault>.self) {
                try await partner.query(.init(queryString: "SELECT Id FROM Account"))
            }
            #expect(expired?.detail.exceptionCode == .invalidSessionId)

            let session = try #require(
                try await partner.login(.init(username: "ada@example.com", password: "påss wörd")).result.sessionId)
            let header = Partner.Headers.sessionHeader.block(.init(sessionId: session))
            let malformed = await #expect(throws: DeclaredFault<Partner.MalformedQueryFault>.self) {
                try await partner.query(.init(queryString: "SELECT"), headerBlocks: [header])
            }
            #expect(malformed?.detail.row == 1)
            #expect(malformed?.detail.column == 7)
            #expect(malformed?.detail.exceptionMessage == "unexpected token: »SELECT«")
            try await partner.shutdown()
        }
    }
    #else
    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func testsAreBuiltWithTheCorpus() {
        Issue.record("The tests were built without SIGNET_CORPUS; build them anew with it.")
    }
    #endif
}

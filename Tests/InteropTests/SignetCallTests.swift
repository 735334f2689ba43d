import CorpusFiles
import Foundation
import Signet
import SignetTesting
import Testing

/// `signet call`, without generated code, against services that others make, behind an nginx that demands a client
/// certificate.
@Suite(.serialized) struct SignetCallTests {
    @Test(arguments: WebEasePeer.allCases, WebEasePeerTests.versions)
    func webEase(peer: WebEasePeer, version: SOAPVersion) async throws {
        let authority = try CertificateAuthority()
        try await peer.run(authority: authority) { port in
            var signet = try SignetProgram(WebEasePeer.wsdl, options: ["--soap", version.number])
            try await signet.connect(port: port, authority, as: "device-7")
            let entry = """
                {"entry": {"@source": "signet", "patientId": "Müller-1", "entryDate": "2026-03-29", "systolic": 121, \
                "diastolic": 79, "weight": 81.250, "flagged": true, "note": "< 2 h & „ruhig“ 😀", "kind": "Device", \
                "tag": ["a", "b"], "attachment": "AAEC/w=="}}
                """
            let created = try await signet.answer("LogEntryCreate", json: entry)["entry"]
            #expect(created["id"].number == 4_294_967_297)
            #expect(created["@source"].text == "signet")
            #expect(created["recordedAt"].text == peer.recordedAt)
            #expect(created["note"].text == "< 2 h & „ruhig“ 😀")
            #expect(created["tag"].count == 2)
            #expect(created["attachment"].text == "AAEC/w==")
            #expect(!created["pulse"].isPresent)

            let found = try await signet.call(
                "LogEntryQuery",
                [
                    "--set", "patientId=Müller-1", "--set", "kind[]=Manual", "--set", "kind[]=Device", "--set",
                    "entryDate.operator=equal", "--set", "entryDate.value=2026-03-29",
                ])
            #expect(try JSON(found.output)["entry"].count == 1, "\(found)")
            // Digits are kept as they came.
            #expect(found.output.contains(#""weight": 81.250"#))

            let conflict = try await signet.call(
                "LogEntryUpdate", json: entry,
                [
                    "--set", "entry.id=4294967297", "--set", "entry.revision=7", "--set",
                    "entry.recordedAt=2026-03-29T12:00:00Z",
                ])
            #expect(conflict.status == 1)
            #expect(conflict.error.contains("The entry was changed: geändert"), "\(conflict)")
            #expect(conflict.error.contains("EntryConflict"))
            #expect(conflict.error.contains(#""currentRevision": 1"#))

            #expect(try await signet.answer("LogEntryDelete", ["--set", "id=4294967297"]).description.contains("true"))
            #expect(
                try await signet.answer("Register", json: #"{"serialNumber": "0815"}"#)["label"].text == "CN=device-7")
            let closed = try await signet.call("LogEntryQuery", ["--set", "patientId=closed"])
            #expect(closed.status == 1)
            #expect(closed.error.contains("The diary is closed: geschloßen, 閉 😀"), "\(closed)")
        }
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func verifactu() async throws {
        let authority = try CertificateAuthority()
        let original = try CorpusPeer.verifactu.original
        try await CorpusPeer.verifactu.run(authority: authority) { port in
            // Imports of addresses are found through the catalog beside the WSDL.
            var signet = try SignetProgram(
                original.appending(path: CorpusPeer.verifactu.path), options: ["--service", "sfVerifactu"])
            try await signet.connect(port: port, authority, as: "Asesoría B12345674")
            let sample = try await signet.call("RegFactuSistemaFacturacion", ["--sample"]).output
            let answer = try await signet.answer("RegFactuSistemaFacturacion", json: sample)
            #expect(answer["EstadoEnvio"].text == "Correcto", "\(answer)")
            #expect(answer["DatosPresentacion"]["NIFPresentador"].text == "B12345674")
            #expect(answer["RespuestaLinea"][0]["Operacion"]["TipoOperacion"].text == "Alta")
            let refused = try await signet.call(
                "RegFactuSistemaFacturacion", json: sample, ["--set", "Cabecera.ObligadoEmision.NIF=B00012345"])
            #expect(refused.status == 1)
            #expect(refused.error.contains("Codigo[4116].Error en la cabecera"), "\(refused)")
        }
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func partner() async throws {
        let authority = try CertificateAuthority()
        let original = try CorpusPeer.partner.original
        try await CorpusPeer.partner.run(authority: authority) { port in
            var signet = try SignetProgram(original.appending(path: CorpusPeer.partner.path))
            try await signet.connect(port: port, authority, as: "device-7")
            let login = try await signet.answer(
                "login", json: #"{"username": "ada@example.com", "password": "påss wörd"}"#)
            let session = try #require(login["result"]["sessionId"].text)
            try signet.files.write(#"{"SessionHeader": {"sessionId": "\#(session)"}}"#, as: "header.json")
            let header = ["--header-blocks", signet.files.path("header.json")]
            let created = try await signet.answer(
                "create", json: #"{"sObjects": [{"type": "Account", "Id": null, "Name": "Jörg & Söhne <GmbH>"}]}"#,
                header)
            let id = try #require(created["result"][0]["id"].text)
            let found = try await signet.answer("query", ["--set", "queryString=SELECT Id FROM Account"] + header)
            #expect(found["result"]["records"][0]["Id"].text == id)
            #expect(found["result"]["records"][0]["Name"].text == "Jörg & Söhne <GmbH>", "\(found)")

            let malformed = try await signet.call("query", ["--set", "queryString=SELECT"] + header)
            #expect(malformed.status == 1)
            #expect(malformed.error.contains("MalformedQueryFault"), "\(malformed)")
            #expect(malformed.error.contains("unexpected token: »SELECT«"))
        }
    }

    /// gSOAP reads every request strictly by the schema, which libxml2 cannot compile: ONVIF's content models are
    /// ambiguous.
    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func everyOperationOfTheCamera() async throws {
        let authority = try CertificateAuthority()
        let original = try CorpusPeer.ptz.original
        try await CorpusPeer.ptz.run(authority: authority) { port in
            var signet = try SignetProgram(
                original.appending(path: CorpusPeer.ptz.path),
                options: ["--root", original.path(percentEncoded: false)])
            try await signet.connect(port: port, authority, as: "device-7")
            let operations = try signet.operations()
            #expect(operations.count == 29)
            for operation in operations {
                let sample = try await signet.call(operation, ["--sample"])
                #expect(sample.status == 0, "\(operation): \(sample)")
                let answer = try await signet.call(operation, json: sample.output)
                let wasRead =
                    answer.status == 0 || answer.error.contains("The request was read")
                    || answer.error.contains("No such profile")
                #expect(wasRead, "\(operation): \(answer)")
            }
            let status = try await signet.answer("GetStatus", ["--set", "ProfileToken=profile_1"])
            #expect(status["PTZStatus"]["UtcTime"].text == "2026-03-29T12:34:56Z", "\(status)")
        }
    }
}

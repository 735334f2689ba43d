import ReferenceServices
import Signet

// The code of the article Migrating, as far as it uses Signet.

private func insteadOfZeep() async throws {
    let identity = try Identity(
        pem: .init(contentsOfFile: "client.crt"), privateKey: .init(contentsOfFile: "client.key"))
    var service = try ServiceConfiguration(WebEase.Ports.webEasePort)
    service.identity = .fixed(identity)
    service.trust = .anchors(try .init(pem: .init(contentsOfFile: "authority.pem")))
    service.deadlines.total = .seconds(20)
    for entry in try await WebEase.Client(service).logEntryQuery(.init(patientId: "4711")).entry {
        print(entry.id, entry.entryDate, entry.systolic)
    }
}

private func insteadOfCXF(identity: Identity, authority: CertificateBundle) async throws {
    var service = try ServiceConfiguration(
        WebEase.Ports.webEasePort, address: "https://webease.example:8443/soap")
    service.identity = .fixed(identity)
    service.trust = .anchors(authority)
    do {
        _ = try await WebEase.Client(service).logEntryDelete(.init(id: 7))
    } catch let fault as DeclaredFault<WebEase.EntryNotFound> {
        print(fault.detail.id)
    }
}

private func insteadOfNodeSoap(key: String, password: String, parcel: Parcels.Send) async throws {
    var service = try ServiceConfiguration(Parcels.Ports.parcelsPort12)
    service.identity = .fixed(try Identity(pkcs12: .init(contentsOfFile: "client.p12"), password: password))
    service.headerBlocks = [Parcels.Headers.session.block(.init(key: key))]
    let answer = try await Parcels.Client(service).caller.answer(to: Parcels.Operations.send, parcel)
    print(answer.output.number, try answer.header(Parcels.Headers.usage)?.calls ?? 0)
}

private func insteadOfWSDL2Swift() async throws {
    var service = try ServiceConfiguration("https://webease.example:8443/soap")
    if let name = HTTPField.Name("X-Device") { service.fields[name] = "4711" }
    let answer = try await WebEase.Client(service).logEntryQuery(.init(patientId: "4711"))
    print(answer.entry.count)
}

private func insteadOfWsdl2objc(password: String) async throws {
    var service = try ServiceConfiguration("https://webease.example:8443/soap")
    service.authentication.credentials = .fixed(.account(user: "service", password: password))
    do {
        print(try await WebEase.Client(service).logEntryQuery(.init(patientId: "4711")).entry.count)
    } catch let fault as SOAPFault {
        print(fault.reason)
    }
}

private func insteadOfSudzC(_ webEase: WebEase.Client) async {
    do {
        let answer = try await webEase.logEntryQuery(.init(patientId: "4711"))
        print(answer.entry.count)
    } catch let fault as SOAPFault {
        print("fault", fault)
    } catch {
        print("error", error)
    }
}

private func insteadOfSOAPEngine(_ service: inout ServiceConfiguration, password: String) async throws {
    service.authentication.credentials = .fixed(.account(user: "service", password: password))
    let answer = try await WebEase.Client(service).logEntryQuery(.init(patientId: "4711"))
    print(answer)
}

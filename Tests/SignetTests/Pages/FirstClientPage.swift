import Foundation
import ReferenceServices
import Signet
import SignetServer
import SignetTesting

// The code of the article FirstClient. `scripts/tutorial` runs it from the page.

private func call() async {
    do {
        let identity = try Identity(pkcs12: try .init(contentsOfFile: "device.p12"), password: "tutorial")
        var service = try ServiceConfiguration(WebEase.Ports.webEasePort)
        service.identity = .fixed(identity)
        service.trust = .anchors(try .init(pem: .init(contentsOfFile: "authority.pem")))
        service.onExchange = { exchange in print(exchange) }

        let webEase = WebEase.Client(service)
        let answer = try await webEase.logEntryQuery(.init(patientId: "4711"))
        for entry in answer.entry { print(entry.id, entry.entryDate, entry.systolic, entry.source ?? "") }
    } catch {
        print(error)
        exit(1)
    }
}

private func host() async {
    do {
        let authority = try CertificateAuthority(commonName: "Clinic authority")
        let device = try authority.issueClient(commonName: "Device 7")

        let diary = ServiceDispatcher(
            name: "WebEase", versions: [.soap11],
            routes: [
                WebEase.Operations.logEntryQuery.route { input, context in
                    let entry = WebEase.LogEntry(
                        id: 1, patientId: input.patientId, entryDate: "2026-11-02", recordedAt: "2026-11-02T08:30:00Z",
                        systolic: 142, diastolic: 91, weight: "81.9", flagged: false, kind: .device, revision: 1,
                        source: context.peer.certificateSubject)
                    return .init(entry: [entry], truncated: false)
                }
            ])
        let server = try SOAPServer(
            diary, path: "/soap",
            tls: .init(
                identity: .fixed(authority.issueServer(dnsNames: ["localhost"])),
                clients: .certificateRequired(.anchors(authority.bundle))))
        try await server.run { port in
            do {
                try Data(authority.bundle.pem).write(to: URL(filePath: "authority.pem"))
                try Data(device.pkcs12(password: "tutorial")).write(to: URL(filePath: "device.p12"))
                FileHandle.standardOutput.write(Data("The clinic listens on port \(port).\n".utf8))
            } catch {
                print(error)
                exit(1)
            }
        }
    } catch {
        print(error)
        exit(1)
    }
}

private func beRefused() async {
    do {
        let identity = try Identity(pkcs12: try .init(contentsOfFile: "device.p12"), password: "tutorial")
        var service = try ServiceConfiguration(WebEase.Ports.webEasePort)
        service.identity = .fixed(identity)
        service.trust = .anchors(try .init(pem: .init(contentsOfFile: "authority.pem")))

        var withoutCertificate = service
        withoutCertificate.identity = nil
        var withSystemAnchors = service
        withSystemAnchors.trust = .system
        var underAnotherName = try ServiceConfiguration(
            WebEase.Ports.webEasePort, address: "https://127.0.0.1:8443/soap")
        underAnotherName.identity = service.identity
        underAnotherName.trust = service.trust

        for configuration in [service, withoutCertificate, withSystemAnchors, underAnotherName] {
            do {
                let answer = try await WebEase.Client(configuration).logEntryQuery(.init(patientId: "4711"))
                print("entries:", answer.entry.count)
            } catch {
                print("refused:", error)
            }
        }
    } catch {
        print(error)
        exit(1)
    }
}

import Foundation
import Signet
import SignetTesting
import Testing

@testable import SignetDemo

/// The client of this package against the WebEase service as PHP and gSOAP make it, behind an nginx that demands a
/// client certificate, in both versions of SOAP.
@Suite(.serialized) struct WebEasePeerTests {
    static let versions: [SOAPVersion] = [.soap11, .soap12]

    /// What a test works with.
    private struct Setting {
        let webEase: WebEase.Client
        let peer: WebEasePeer
    }

    private func with(
        _ peer: WebEasePeer, _ version: SOAPVersion, _ body: (Setting) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority()
        try await peer.run(authority: authority) { port async throws in
            var service = try ServiceConfiguration("https://localhost:\(port)/soap")
            service.trust = .anchors(authority.bundle)
            service.identity = .fixed(try authority.issueClient(commonName: "device-7"))
            service.version = version
            let webEase = WebEase.Client(service)
            try await body(Setting(webEase: webEase, peer: peer))
            try await webEase.shutdown()
        }
    }

    private static let note = "Nach dem Essen: < 2 h & „ruhig“, 血圧 😀"

    private static func newEntry(note: Nillable<String>?, day: XSDDate) throws -> WebEase.NewLogEntry {
        .init(
            patientId: "Müller-4711", entryDate: day, systolic: 121, diastolic: 79,
            weight: try #require(XSDDecimal.init("81.250")), flagged: true, note: note, kind: .device,
            tag: ["morgens", "linker Arm"], attachment: XSDBase64Binary([UInt8](0...255)), source: "Gerät Ω")
    }

    @Test(arguments: WebEasePeer.allCases, versions)
    func entriesAreWrittenFoundChangedAndRemoved(peer: WebEasePeer, version: SOAPVersion) async throws {
        try await with(peer, version) { setting in
            let day = try #require(XSDDate.init("2026-03-29"))
            let created = try await setting.webEase.logEntryCreate(
                .init(entry: Self.newEntry(note: .value(Self.note), day: day))
            ).entry
            #expect(created.id == 4_294_967_297)
            #expect(created.patientId == "Müller-4711")
            #expect(created.entryDate == day)
            #expect(created.recordedAt == XSDDateTime(peer.recordedAt))
            #expect(created.systolic == 121)
            #expect(created.weight == XSDDecimal.init("81.25"))
            #expect(created.pulse == nil)
            #expect(created.flagged)
            #expect(created.note == .value(Self.note))
            #expect(created.kind == .device)
            #expect(created.tag == ["morgens", "linker Arm"])
            #expect(created.attachment?.bytes == [UInt8](0...255))
            #expect(created.revision == 1)
            #expect(created.source == "Gerät Ω")

            var changed = created
            changed.pulse = 64
            changed.kind = .corrected
            changed.tag = []
            changed.attachment = nil
            let updated = try await setting.webEase.logEntryUpdate(.init(entry: changed)).entry
            changed.revision = 2
            #expect(updated == changed)

            let conflict = await #expect(throws: DeclaredFault<WebEase.EntryConflict>.self) {
                try await setting.webEase.logEntryUpdate(.init(entry: changed.withRevision(1)))
            }
            #expect(conflict?.detail == .init(id: created.id, currentRevision: 2))
            #expect(conflict?.fault.code == .server)
            #expect(conflict?.fault.reason == "The entry was changed: geändert")

            #expect(try await setting.webEase.logEntryDelete(.init(id: created.id)).deleted)
            let gone = await #expect(throws: DeclaredFault<WebEase.EntryNotFound>.self) {
                try await setting.webEase.logEntryDelete(.init(id: created.id))
            }
            #expect(gone?.detail.id == created.id)
            // An operation that declares two faults, and the other one of them.
            await #expect(throws: DeclaredFault<WebEase.EntryNotFound>.self) {
                try await setting.webEase.logEntryUpdate(.init(entry: changed))
            }
        }
    }

    @Test(arguments: WebEasePeer.allCases, versions)
    func queriesSelectAndCountEntries(peer: WebEasePeer, version: SOAPVersion) async throws {
        try await with(peer, version) { setting in
            let days = try ["2026-02-28", "2026-03-01", "2026-03-31"].map { try #require(XSDDate($0)) }
            for day in days {
                _ = try await setting.webEase.logEntryCreate(.init(entry: Self.newEntry(note: nil, day: day)))
            }
            func found(
                _ condition: WebEase.DateComparison? = nil, kind: [WebEase.EntryKind] = [], limit: Int32? = nil
            ) async throws -> ([XSDDate], Bool) {
                let answer = try await setting.webEase.logEntryQuery(
                    .init(patientId: "Müller-4711", entryDate: condition, kind: kind, limit: limit))
                return (answer.entry.map(\.entryDate), answer.truncated)
            }
            #expect(try await found() == (days, false))
            #expect(try await found(limit: 2) == (Array(days[0...1]), true))
            #expect(try await found(kind: [.manual, .imported]) == ([], false))
            #expect(try await found(kind: [.manual, .device]) == (days, false))
            #expect(
                try await found(.init(operator: .between, value: days[1], upper: days[2])) == (
                    Array(days[1...2]), false
                ))
            #expect(try await found(.init(operator: .before, value: days[1])) == ([days[0]], false))
            #expect(try await setting.webEase.logEntryQuery(.init(patientId: "nobody")).entry.isEmpty)
        }
    }

    @Test(arguments: WebEasePeer.allCases, versions)
    func nilAndAbsentArriveAsTheyWereSent(peer: WebEasePeer, version: SOAPVersion) async throws {
        try await with(peer, version) { setting in
            let day = try #require(XSDDate.init("2026-03-29"))
            for note in [nil, .null, .value(""), .value("  two  spaces ")] as [Nillable<String>?] {
                let entry = try await setting.webEase.logEntryCreate(.init(entry: Self.newEntry(note: note, day: day)))
                    .entry
                #expect(entry.note == (note == .null && !setting.peer.tellsNilFromAbsent ? nil : note))
            }
        }
    }

    @Test(arguments: WebEasePeer.allCases, versions)
    func registrationNamesTheCertificate(peer: WebEasePeer, version: SOAPVersion) async throws {
        try await with(peer, version) { setting in
            let registered = try await setting.webEase.register(.init(serialNumber: "0815", model: "Größe ∞"))
            #expect(registered.label == "CN=device-7")
            #expect(registered.identity.bytes == [UInt8](0...255))
            #expect(registered.password == "Größe ∞")

            let refused = await #expect(throws: DeclaredFault<WebEase.RegistrationRefused>.self) {
                try await setting.webEase.register(.init(serialNumber: "refused"))
            }
            #expect(refused?.detail == .init(reason: "registered", explanation: "Das Gerät ist schon angemeldet."))
        }
    }

    @Test func aCertificateOfAnotherAuthorityIsRefusedByTheProxy() async throws {
        let authority = try CertificateAuthority()
        try await WebEasePeer.php.run(authority: authority) { port in
            var service = try ServiceConfiguration("https://localhost:\(port)/soap")
            service.trust = .anchors(authority.bundle)
            service.identity = .fixed(try CertificateAuthority().issueClient(commonName: "device-7"))
            service.version = .soap12
            let webEase = WebEase.Client(service)
            let error = await #expect(throws: ServiceError.self) {
                try await webEase.register(.init(serialNumber: "0815"))
            }
            #expect(error?.code == .refused)
            #expect(error?.answer?.firstBytes.contains("The SSL certificate error") == true)
            try await webEase.shutdown()
        }
    }

    @Test(arguments: WebEasePeer.allCases, versions)
    func undeclaredFaultHasCodeAndReason(peer: WebEasePeer, version: SOAPVersion) async throws {
        try await with(peer, version) { setting in
            let fault = await #expect(throws: SOAPFault.self) {
                try await setting.webEase.logEntryQuery(.init(patientId: "closed"))
            }
            #expect(fault?.code == .client)
            #expect(fault?.reason == "The diary is closed: geschloßen, 閉 😀")
            // PHP has no subcodes, and neither has SOAP 1.1.
            let subcodes = peer == .gSOAP && version == .soap12 ? ["DiaryClosed"] : []
            #expect(fault?.subcodes.map(\.localName) == subcodes)
        }
    }
}

extension WebEase.LogEntry {
    fileprivate func withRevision(_ revision: Int32) -> Self {
        var copy = self
        copy.revision = revision
        return copy
    }
}

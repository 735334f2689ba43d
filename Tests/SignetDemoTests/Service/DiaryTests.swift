import Foundation
import Signet
import SignetTesting
import Testing

@testable import SignetDemo

/// The service without a network: the same envelopes, the same database.
@Suite struct DiaryTests {
    let database: DiaryDatabase
    let diary: Diary
    let distribution: Identity
    let device: Identity

    init() throws {
        let authority = try CertificateAuthority()
        distribution = try authority.issueClient(commonName: "distribution")
        device = try authority.issueClient(commonName: "device")
        database = try DiaryDatabase(path: ":memory:")
        diary = Diary(
            database: database, authority: authority, issued: MemoryIssuedCertificates(),
            distributionCertificate: distribution.leaf.sha256)
    }

    func client(_ identity: Identity?) -> WebEase.Client {
        var peer = PeerDescription()
        peer.certificateSubject = identity?.leaf.subject
        peer.certificateSHA256 = identity?.leaf.sha256
        return WebEase.Client(inProcess: WebEase.dispatcher(diary), peer: peer)
    }

    func registeredClient() async throws -> WebEase.Client {
        #expect(try await database.register(serialNumber: "1", subject: device.leaf.subject))
        return client(device)
    }

    func entry(_ date: String, _ kind: WebEase.EntryKind = .manual) throws -> WebEase.NewLogEntry {
        .init(
            patientId: "p", entryDate: try #require(XSDDate(date)), systolic: 120, diastolic: 80, weight: 80,
            flagged: false,
            kind: kind)
    }

    @Test func onlyRegisteredDevicesAreServed() async throws {
        for identity in [nil, distribution, device] {
            let error = await #expect(throws: SOAPFault.self) {
                try await client(identity).logEntryQuery(.init(patientId: "p"))
            }
            #expect(error?.reason.contains("is not a registered device") == true)
        }
        let device = try await registeredClient()
        #expect(try await device.logEntryQuery(.init(patientId: "p")).entry.isEmpty)
        try await database.strike(serialNumber: "1")
        let error = await #expect(throws: SOAPFault.self) { try await device.logEntryQuery(.init(patientId: "p")) }
        #expect(error?.reason.contains("struck") == true)
        #expect(try await !database.register(serialNumber: "1", subject: "CN=another"))
    }

    @Test func registration() async throws {
        let answer = try await client(distribution).register(.init(serialNumber: "WE-1"))
        let own = try Identity(pkcs12: answer.identity.bytes, password: answer.password)
        #expect(own.leaf.subject.contains("WE-1"))
        #expect(try await client(own).logEntryQuery(.init(patientId: "p")).entry.isEmpty)

        func reason(_ identity: Identity?, _ serialNumber: String) async -> String? {
            await #expect(throws: DeclaredFault<WebEase.RegistrationRefused>.self) {
                try await client(identity).register(.init(serialNumber: serialNumber))
            }?.detail.reason
        }
        #expect(await reason(distribution, "WE-1") == "registered")
        #expect(await reason(distribution, "") == "serialNumber")
        #expect(await reason(own, "WE-2") == "certificate")
        #expect(await reason(nil, "WE-2") == "certificate")
    }

    @Test func comparisons() async throws {
        let client = try await registeredClient()
        for date in ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"] {
            _ = try await client.logEntryCreate(.init(entry: try entry(date)))
        }
        func days(_ comparison: WebEase.ComparisonOperator, _ value: String, _ upper: String? = nil) async throws
            -> [Int]
        {
            let condition = WebEase.DateComparison(
                operator: comparison, value: try #require(XSDDate(value)), upper: upper.flatMap { XSDDate($0) })
            return try await client.logEntryQuery(.init(patientId: "p", entryDate: condition)).entry.map(
                \.entryDate.day)
        }
        #expect(try await days(.equal, "2026-01-02") == [2])
        #expect(try await days(.before, "2026-01-03") == [1, 2])
        #expect(try await days(.after, "2026-01-03") == [4])
        #expect(try await days(.between, "2026-01-02", "2026-01-03") == [2, 3])
        await #expect(throws: SOAPFault.self) { try await days(.between, "2026-01-02") }
        await #expect(throws: SOAPFault.self) { try await days(.unrecognized("near"), "2026-01-02") }
    }

    @Test func limitsAndKinds() async throws {
        let client = try await registeredClient()
        for kind in [WebEase.EntryKind.manual, .device, .unrecognized("Dreamt")] {
            _ = try await client.logEntryCreate(.init(entry: try entry("2026-01-01", kind)))
        }
        let limited = try await client.logEntryQuery(.init(patientId: "p", limit: 2))
        #expect(limited.entry.count == 2)
        #expect(limited.truncated)
        let all = try await client.logEntryQuery(.init(patientId: "p", limit: 3))
        #expect(!all.truncated)
        let some = try await client.logEntryQuery(.init(patientId: "p", kind: [.device, .unrecognized("Dreamt")]))
        #expect(some.entry.map(\.kind) == [.device, .unrecognized("Dreamt")])
        #expect(try await client.logEntryQuery(.init(patientId: "' OR 1=1 --")).entry.isEmpty)
    }

    @Test func absentAndTakenBackNotesAreKeptApart() async throws {
        let client = try await registeredClient()
        for note: Nillable<String>? in [nil, .null, ""] {
            var new = try entry("2026-01-01")
            new.note = note
            #expect(try await client.logEntryCreate(.init(entry: new)).entry.note == note)
        }
    }
}

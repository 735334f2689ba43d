import Foundation
import Signet
import SignetServer
import SignetTesting
import Testing

@testable import SignetDemo

/// A call of `webease_client.py`.
private struct Call: Decodable {
    struct Fault: Decodable {
        let code: String
        let reason: String
        let detail: String?
    }
    /// zeep leaves out the element around a single value.
    enum Answer: Decodable {
        case deleted(Bool)
        case entry(Entry)
        case found(Found)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let deleted = try? container.decode(Bool.self) {
                self = .deleted(deleted)
            } else if let entry = try? container.decode(Entry.self) {
                self = .entry(entry)
            } else {
                self = .found(try container.decode(Found.self))
            }
        }

        var entry: Entry? {
            if case .entry(let entry) = self { entry } else { nil }
        }
        var found: Found? {
            if case .found(let found) = self { found } else { nil }
        }
        var isDeleted: Bool {
            if case .deleted(true) = self { true } else { false }
        }
    }
    struct Found: Decodable {
        let entry: [Entry]
        let truncated: Bool
    }
    struct Entry: Decodable {
        let id: Int64
        let patientId: String
        let entryDate: String
        let systolic: Int
        let weight: String
        let pulse: Int?
        let note: String?
        let kind: String
        let tag: [String]?
        let attachment: String?
        let revision: Int
        let source: String?
    }
    struct Failure: Decodable {
        let type: String
        let message: String
    }
    let result: Answer?
    let fault: Fault?
    let error: Failure?
}

/// zeep (Python) as the client of the demonstration's service.
@Suite struct ZeepTests {
    private static var wsdl: URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/SignetDemo/WebEase.wsdl")
            .standardized
    }

    private func calls(
        _ world: World, as identity: Identity, password: String? = nil
    ) async throws -> [String: Call] {
        let data = try await ZeepClient.callAll(
            wsdl: Self.wsdl, endpoint: world.address, authority: world.serverAuthority, identity: identity,
            user: World.serviceUser, password: password ?? world.servicePassword)
        return try JSONDecoder().decode([String: Call].self, from: data)
    }

    private func withWorld(_ body: (World) async throws -> Void) async throws {
        let world = try await World()
        do { try await body(world) } catch {
            await world.close()
            throw error
        }
        await world.close()
    }

    @Test func everyOperationAnswersARegisteredDevice() async throws {
        try await withWorld { world in
            let device = try world.deviceAuthority.issueClient(commonName: "zeep")
            #expect(try await world.database.register(serialNumber: "zeep", certificate: device.leaf.sha256))
            let calls = try await calls(world, as: device)
            let created = try #require(calls["create"]?.result?.entry, "\(calls)")
            #expect(created.entryDate == "2026-03-29")
            #expect(created.weight == "81.25")
            #expect(created.note == "after lunch, < 2 h & ü € 😀")
            #expect(created.tag == ["morning", "left arm"])
            #expect(created.attachment == (0..<256).map { String(format: "%02x", $0) }.joined())
            #expect(created.source == "zeep")
            #expect(created.revision == 1)

            let found = try #require(calls["query"]?.result?.found)
            #expect(found.entry.map(\.id) == [created.id])
            #expect(!found.truncated)

            let updated = try #require(calls["update"]?.result?.entry)
            #expect(updated.systolic == 118)
            #expect(updated.kind == "Corrected")
            #expect(updated.pulse == 64)
            #expect(updated.note == nil)
            #expect(updated.revision == 2)

            let conflict = try #require(calls["updateOfOldRevision"]?.fault)
            #expect(conflict.detail?.contains(":currentRevision>2</") == true, "\(conflict)")
            #expect(calls["delete"]?.result?.isDeleted == true)
            let gone = try #require(calls["deleteAgain"]?.fault)
            #expect(gone.detail?.contains("EntryNotFound") == true)

            // Only the distribution certificate may register.
            let refused = try #require(calls["register"]?.fault)
            #expect(refused.detail?.contains("RegistrationRefused") == true)
        }
    }

    @Test func aStrangerGetsFaultsAndAWrongPasswordGetsNothing() async throws {
        try await withWorld { world in
            let stranger = try world.deviceAuthority.issueClient(commonName: "stranger")
            let calls = try await calls(world, as: stranger)
            #expect(calls["create"]?.fault?.reason.contains("stranger is not a registered device") == true)
            let unauthenticated = try await self.calls(world, as: stranger, password: "wrong")
            #expect(unauthenticated["create"]?.error?.message.contains("401") == true, "\(unauthenticated)")
        }
    }
}

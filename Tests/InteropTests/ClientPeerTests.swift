import Foundation
import Signet
import SignetServer
import SignetTesting
import Testing

@testable import SignetDemo

/// PHP, gSOAP and zeep as clients of the demonstration's service, which demands a client certificate and a password, in
/// both versions of SOAP.
@Suite(.serialized) struct ClientPeerTests {
    private func withWorld(_ body: (World) async throws -> Void) async throws {
        let world = try await World()
        do { try await body(world) } catch {
            await world.close()
            throw error
        }
        await world.close()
    }

    private func calls(
        _ client: ClientPeer, _ version: SOAPVersion, _ world: World, as identity: Identity, password: String? = nil
    ) async throws -> [String: PeerCall] {
        try await client.callAll(
            version, endpoint: world.address, authority: world.serverAuthority, identity: identity,
            credentials: (World.serviceUser, password ?? world.servicePassword))
    }

    @Test(arguments: ClientPeer.allCases) func everyOperationAnswersARegisteredDevice(client: ClientPeer) async throws {
        try await withWorld { world in
            let device = try world.deviceAuthority.issueClient(commonName: client.name)
            #expect(try await world.database.register(serialNumber: client.name, subject: device.leaf.subject))
            for version in WebEasePeerTests.versions {
                try expectAll(of: try await calls(client, version, world, as: device), client, version)
            }
        }
    }

    private func expectAll(
        of calls: [String: PeerCall], _ client: ClientPeer, _ version: SOAPVersion
    ) throws {
        let created = try #require(calls["create"]?.result?.entry, "\(calls)")
        #expect(created.patientId == "\(client.name)-1")
        #expect(created.entryDate == "2026-03-29")
        #expect(created.weight == "81.25")
        #expect(created.pulse == nil)
        #expect(created.note == "after lunch, < 2 h & ü € 😀")
        #expect(created.tag == ["morning", "left arm"])
        #expect(created.attachment == (0..<256).map { String(format: "%02x", $0) }.joined())
        #expect(created.source == client.name)
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
        #expect(conflict.detail == "EntryConflict id=\(created.id) currentRevision=2", "\(conflict)")
        #expect(conflict.code.hasSuffix(version == .soap12 ? ":Sender" : ":Client"))
        #expect(calls["delete"]?.result?.isDeleted == true)
        let gone = try #require(calls["deleteAgain"]?.fault)
        #expect(gone.detail == "EntryNotFound id=\(created.id)")

        // Only the distribution certificate may register.
        let refused = try #require(calls["register"]?.fault)
        #expect(refused.detail?.hasPrefix("RegistrationRefused reason=certificate explanation=Only ") == true)

        // Every answer, faults too, came in the version that was asked for.
        #expect(calls.count == 7)
        #expect(calls.values.allSatisfy { $0.contentType == version.mediaType }, "\(calls)")
    }

    @Test(arguments: ClientPeer.allCases) func strangersAreRefused(client: ClientPeer) async throws {
        try await withWorld { world in
            // A certificate of another authority ends the handshake.
            let alien = try await calls(
                client, .soap11, world, as: CertificateAuthority().issueClient(commonName: client.name))
            #expect(alien["create"]?.error != nil, "\(alien)")
            #expect(alien["register"]?.error != nil, "\(alien)")
            #expect(world.passwordsChecked == 0)

            let stranger = try world.deviceAuthority.issueClient(commonName: "stranger")
            for version in WebEasePeerTests.versions {
                let calls = try await calls(client, version, world, as: stranger)
                let fault = try #require(calls["create"]?.fault, "\(calls)")
                #expect(fault.reason.contains("stranger is not a registered device"))
                #expect(fault.detail == nil)
            }
            let unauthenticated = try await calls(client, .soap12, world, as: stranger, password: "wrong")
            let refused = try #require(unauthenticated["create"]?.error, "\(unauthenticated)")
            #expect("\(refused)".contains("401") || refused.message.contains("Unauthorized"), "\(refused)")
        }
    }
}

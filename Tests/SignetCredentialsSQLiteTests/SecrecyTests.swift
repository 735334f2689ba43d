import Foundation
import SignetAuthentication
import SignetCredentials
import SignetTesting
import Testing

@testable import SignetCredentialsSQLite

@Suite struct SecrecyTests {
    /// As a thief of the disk would look: the file, its log and its index hold no word of what was stored.
    @Test func nothingCanBeReadInTheFiles() async throws {
        try await StoreFolder.with { folder in
            let database = try await folder.open()
            let store = SQLiteCredentialStore(database)
            for number in 0..<50 {
                try await store.add(StoreFolder.credential("canary-account-\(number)"))
            }
            for number in 0..<20 {
                let key = StoreFolder.credential("canary-account-\(number)").key
                try await store.update(key, with: CredentialChange(secret: SecretBytes("canary-other")))
                if number < 10 { try await store.remove(key) }
            }
            try await SQLiteIdentityStore(database).store(
                try CertificateAuthority(commonName: "canary authority").issueClient(commonName: "canary client"),
                label: "canary-label")
            var scanned = 0
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path + "/data") {
                let content = try Data(contentsOf: URL(filePath: "\(folder.path)/data/\(name)"))
                scanned += content.count
                for word in ["canary", "CANARY", "https", "anna", "PRIVATE", "realm", "example", "secret"] {
                    for text in [Data(word.utf8), try #require(word.data(using: .utf16LittleEndian))] {
                        #expect(content.range(of: text) == nil, "“\(word)” in \(name)")
                    }
                }
            }
            #expect(scanned > 100_000)
        }
    }

    @Test func descriptionsShowNoSecret() async throws {
        try await StoreFolder.with { folder in
            let bytes = Array("canary-key-of-thirty-two-bytes-!".utf8)
            let key = try MasterKey(SecretBytes(bytes))
            let database = try await folder.open(FixedMasterKey(key))
            let store = SQLiteCredentialStore(database)
            let credential = StoredCredential(
                key: CredentialKey(
                    space: ProtectionSpace(scheme: "https", host: "a", port: 1, realm: ""), account: "b"),
                secret: SecretBytes("canary"))
            try await store.add(credential)
            let error = await #expect(throws: CredentialStoreError.self) { try await store.add(credential) }
            let wrong = await #expect(throws: CredentialStoreError.self) { _ = try await folder.open() }
            let values: [Any] = [
                key, FixedMasterKey(key), database, store, SQLiteIdentityStore(database),
                SQLiteTrustExceptions(database),
                MasterKeyFile(path: "/k"), SystemdCredential(name: "k"), try await database.check(),
                EnvironmentMasterKey(variable: "V") { _ in }, PassphraseMasterKey { _ in SecretBytes("canary") },
                try #require(error), try #require(wrong), EncryptedDatabase.Options(),
                MasterKeyRequest(path: "", keyID: "", derivation: .none, isNew: true), try await store.search(.init()),
            ]
            for value in values {
                var dumped = ""
                dump(value, to: &dumped)
                for text in ["\(value)", String(describing: value), String(reflecting: value), dumped] {
                    #expect(!text.contains("canary"), "\(type(of: value))")
                    #expect(!text.contains("99, 97, 110"), "\(type(of: value))")
                    #expect(!text.contains("- 99\n"), "\(type(of: value))")
                }
            }
        }
    }
}

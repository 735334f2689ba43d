import Foundation
import SignetAuthentication
import SignetCredentialsSQLite
import SignetTLS
import Synchronization
import Testing

@testable import SignetCredentials

@Suite struct MasterKeyProviderTests {
    private static let unavailable = CredentialStoreError(.keyUnavailable, "")
    private static let unsafe = CredentialStoreError(.unsafePermissions, "")

    @Test func aKeyFileOpensItsStore() async throws {
        try await StoreFolder.with { folder in
            let path = folder.path + "/key"
            let file = try MasterKeyFile.create(path: path)
            #expect(try StoreFolder.mode(path) == 0o600)
            #expect(throws: CredentialStoreError(.alreadyThere, "")) { try MasterKeyFile.create(path: path) }
            try await SQLiteCredentialStore(try await folder.open(file)).add(StoreFolder.credential("anna"))
            #expect(try await folder.open(file).check().sound == 1)
            let other = try MasterKeyFile.create(path: folder.path + "/other")
            let error = await #expect(throws: CredentialStoreError.self) { _ = try await folder.open(other) }
            #expect(error?.code == .wrongKey)
            #expect(error?.message.contains(folder.path + "/other") == true)

            for mode in [0o640, 0o604, 0o644] {
                try StoreFolder.setMode(mode, path)
                await #expect(throws: Self.unsafe) { _ = try await folder.open(file) }
            }
            try StoreFolder.setMode(0o600, path)
            try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: path)
            await #expect(throws: Self.unsafe) { _ = try await folder.open(MasterKeyFile(path: folder.path + "/link")) }
            await #expect(throws: Self.unsafe) { _ = try await folder.open(MasterKeyFile(path: "/dev/zero")) }
            await #expect(throws: Self.unavailable) {
                _ = try await folder.open(MasterKeyFile(path: folder.path + "/none"))
            }
        }
    }

    @Test func aKeyBesideItsStoreIsRefused() async throws {
        try await StoreFolder.with { folder in
            _ = try await folder.open()
            let path = folder.path + "/data/key"
            _ = try MasterKeyFile.create(path: path)
            for name in [path, folder.path + "/data/../data/key"] {
                let error = await #expect(throws: CredentialStoreError.self) {
                    _ = try await folder.open(MasterKeyFile(path: name))
                }
                #expect(error?.code == .keyUnavailable)
            }
            // Allowed, it is only the wrong one.
            await #expect(throws: CredentialStoreError(.wrongKey, "")) {
                _ = try await folder.open(MasterKeyFile(path: path, isAllowedBesideStore: true))
            }
        }
    }

    @Test func keysAreReadInEachForm() throws {
        let bytes = (0..<32).map { UInt8(truncatingIfNeeded: $0 * 7 + 200) }
        let key = try MasterKey(SecretBytes(bytes))
        let (hexadecimal, base64) = (Text.hexadecimal(bytes), Data(bytes).base64EncodedString())
        for text in [hexadecimal, hexadecimal.uppercased() + "\n", base64, " \(base64)\r\n"] {
            #expect(try MasterKey(encoded: SecretBytes(text), source: "") == key)
        }
        #expect(try MasterKey(encoded: SecretBytes(bytes), source: "") == key)
        for text in [
            "", "canary", String(hexadecimal.dropLast()), hexadecimal + "00", String(repeating: "g", count: 64),
        ] {
            let error = #expect(throws: CredentialStoreError.self) {
                try MasterKey(encoded: SecretBytes(text), source: "The file")
            }
            #expect(error?.code == .keyUnavailable)
            #expect(error?.message.contains("canary") == false)
        }
        #expect(throws: Self.unavailable) { try MasterKey(SecretBytes([1, 2, 3])) }
        #expect(MasterKey.random() != MasterKey.random())
    }

    private static func request(_ path: String = "/var/lib/app/store.sqlite") -> MasterKeyRequest {
        MasterKeyRequest(path: path, keyID: "id", derivation: .none, isNew: false)
    }

    @Test func systemdGivesTheKey() async throws {
        try await StoreFolder.with { folder in
            let bytes = [UInt8](repeating: 9, count: 32)
            let file = folder.path + "/store-key"
            try Data(bytes).write(to: URL(filePath: file))
            try StoreFolder.setMode(0o400, file)
            func key(_ name: String, _ variables: [String: String]) throws -> MasterKey {
                try SystemdCredential(name: name) { variables[$0] }.masterKey(for: Self.request())
            }
            let variables = ["CREDENTIALS_DIRECTORY": folder.path]
            #expect(try key("store-key", variables) == MasterKey(SecretBytes(bytes)))
            for name in ["none", "", "..", "../store-key", "a/b", ".hidden"] {
                #expect(throws: Self.unavailable) { try key(name, variables) }
            }
            #expect(throws: Self.unavailable) { try key("store-key", [:]) }
            try StoreFolder.setMode(0o444, file)
            #expect(throws: Self.unsafe) { try key("store-key", variables) }
        }
    }

    @Test func theEnvironmentGivesTheKeyAndAWarning() throws {
        let bytes = [UInt8](repeating: 0xAB, count: 32)
        let warnings = Mutex<[String]>([])
        func key(_ value: String?) throws -> MasterKey {
            try EnvironmentMasterKey(
                variable: "APP_KEY", warn: { text in warnings.withLock { $0.append(text) } },
                environment: { $0 == "APP_KEY" ? value : nil }
            ).masterKey(for: Self.request())
        }
        for text in [Text.hexadecimal(bytes), Data(bytes).base64EncodedString()] {
            #expect(try key(text) == MasterKey(SecretBytes(bytes)))
        }
        let told = warnings.withLock { $0 }
        #expect(told.count == 2)
        for text in told {
            #expect(text.contains("APP_KEY"))
            #expect(!text.lowercased().contains("abab"))
        }
        for value in [nil, "", "canary", String(repeating: "x", count: 32)] {
            #expect(throws: Self.unavailable) { try key(value) }
        }
        #expect(warnings.withLock { $0.count } == 2)
    }

    @Test func aPassphraseOpensItsStore() async throws {
        try await StoreFolder.with { folder in
            let asked = Mutex<[Bool]>([])
            func passphrase(_ text: String?) -> PassphraseMasterKey {
                PassphraseMasterKey(cost: 1 << 14) { request in
                    asked.withLock { $0.append(request.isNew) }
                    return text.map { SecretBytes($0) }
                }
            }
            try await SQLiteCredentialStore(try await folder.open(passphrase("canary one"))).add(
                StoreFolder.credential("anna"))
            #expect(try await folder.open(passphrase("canary one")).check().sound == 1)
            #expect(asked.withLock { $0 } == [true, false, false])
            let error = await #expect(throws: CredentialStoreError.self) {
                _ = try await folder.open(passphrase("canary two"))
            }
            #expect(error?.code == .wrongKey)
            #expect(error?.message.contains("canary") == false)
            for nothing in [nil, ""] {
                await #expect(throws: Self.unavailable) { _ = try await folder.open(passphrase(nothing)) }
            }
            await #expect(throws: CredentialStoreError(.wrongKey, "")) { _ = try await folder.open() }

            // To a key and back to another passphrase, with another salt.
            let database = try await folder.open(passphrase("canary one"))
            try await database.rekey(to: folder.key)
            await #expect(throws: CredentialStoreError(.wrongKey, "")) {
                _ = try await folder.open(passphrase("canary one"))
            }
            try await database.rekey(to: passphrase("canary three"))
            #expect(try await folder.open(passphrase("canary three")).check().sound == 1)
        }
    }

    /// RFC 7914; its vectors have salts that are too short here, so the expected value was made with OpenSSL's scrypt.
    @Test func theDerivationIsScrypt() async throws {
        let provider = PassphraseMasterKey { _ in SecretBytes("pleaseletmein") }
        func key(_ salt: String) async throws -> MasterKey {
            let parameters = KeyDerivation.Scrypt(unchecked: Array(salt.utf8), 1 << 14, 8, 1)
            return try await provider.masterKey(
                for: MasterKeyRequest(path: "", keyID: "", derivation: .scrypt(parameters), isNew: false))
        }
        let expected = try #require(
            Text.bytes(hexadecimal: "5266323433bf611b859ac800e892b96da335a93270d5b16f5f66ab7b50f63817"))
        #expect(try await key("SodiumChloride!!") == MasterKey(SecretBytes(expected)))
        await #expect(throws: CredentialStoreError(.invalidItem, "")) { try await key("SodiumChloride") }
        guard case .scrypt(let standard) = provider.newDerivation() else {
            Issue.record("A passphrase is not used as a key.")
            return
        }
        #expect((standard.cost, standard.blockSize, standard.parallelism) == (1 << 17, 8, 1))
        #expect(standard.salt.count == 32)
        #expect(PassphraseMasterKey { _ in nil }.newDerivation() != .scrypt(standard))
    }

    @Test func anImpossibleCostFailsBeforeThePassphraseIsAsked() async throws {
        try await StoreFolder.with { folder in
            let asked = Mutex(false)
            let provider = PassphraseMasterKey(cost: 1 << 30) { _ in
                asked.withLock { $0 = true }
                return SecretBytes("canary")
            }
            await #expect(throws: CredentialStoreError(.invalidItem, "")) { _ = try await folder.open(provider) }
            #expect(asked.withLock { $0 } == false)
        }
    }

    @Test(arguments: [
        (1 << 21, 8, 1), (1 << 20, 32, 1), (3 << 14, 8, 1), (1 << 10, 8, 1), (1 << 17, 0, 1), (1 << 17, 33, 1),
        (1 << 17, 8, 0), (1 << 17, 8, 5), (-1, 8, 1), (Int.max, 8, 1), (Int.min, 8, 1),
    ]) func costlyParametersAreRefused(cost: Int, blockSize: Int, parallelism: Int) {
        let salt = [UInt8](repeating: 1, count: 16)
        #expect(throws: CredentialStoreError(.invalidItem, "")) {
            try KeyDerivation.Scrypt(salt: salt, cost: cost, blockSize: blockSize, parallelism: parallelism)
        }
        let unchecked = KeyDerivation.scrypt(.init(unchecked: salt, cost, blockSize, parallelism))
        #expect(throws: CredentialStoreError(.damaged, "")) { try KeyDerivation(encoded: unchecked.encoded) }
    }
}

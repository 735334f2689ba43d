import SignetAuthentication
import SignetCredentials

extension CredentialStoreConformance {
    /// The checks for every store. Each check needs an empty store of its own; the checks are independent of each
    /// other.
    public static let checks: [Check] = [
        Check("an empty store has nothing, and nothing to remove") { store in
            try expect(try await store.find(CredentialQuery()).isEmpty, "something in an empty store")
            try expect(try await store.list(CredentialQuery(space: space())).isEmpty, "something in an empty store")
            try expect(try await store.remove(key()) == false, "something was removed from an empty store")
        },
        Check("an added credential is found with all its parts") { store in
            let credential = StoredCredential(
                key: key(path: "/a", scheme: "Digest"), secret: SecretBytes("päss\n“wörd”"), label: "Réports",
                comment: "from\nIT")
            try await store.add(credential)
            let found = try await store.find(CredentialQuery(space: space(), path: "/a", scheme: "digest"))
            try expect(found.map(\.key), is: [credential.key], "what was found")
            try expect(found.first?.secret == credential.secret, "another secret was found")
            try expect(found.first?.entry.label, is: "Réports", "the label")
            try expect(found.first?.entry.comment, is: "from\nIT", "the comment")
            try expect((found.first?.entry.created ?? 0) > 1_700_000_000, "the date of its making is missing")
            try expect(try await store.list(CredentialQuery()), is: found.map(\.entry), "the list")
        },
        Check("a secret may be any bytes, or none") { store in
            let bytes = Array(UInt8.min ... .max)
            try await store.add(StoredCredential(key: key(account: "bytes"), secret: SecretBytes(bytes)))
            try await store.add(StoredCredential(key: key(account: "none"), secret: SecretBytes([])))
            let found = try await store.find(CredentialQuery())
            try expect(found.map(\.secret.bytes), is: [bytes, []], "the secrets")
        },
        Check("one key has one credential") { store in
            try await store.add(StoredCredential(key: key(), secret: SecretBytes("first")))
            try await expect(.alreadyThere, "adding again") {
                try await store.add(StoredCredential(key: key(), secret: SecretBytes("second")))
            }
            try expect(try await store.find(CredentialQuery()).map(\.secret.text), is: ["first"], "the secrets")
        },
        Check("each part of a key tells credentials apart") { store in
            let keys = distinctKeys
            for (number, key) in keys.enumerated() {
                try await store.add(StoredCredential(key: key, secret: SecretBytes("\(number)")))
            }
            try expect(Set(try await store.list(CredentialQuery()).map(\.key)), is: Set(keys), "all keys")
            for (number, key) in keys.enumerated() {
                let found = try await store.find(CredentialQuery(space: key.space, account: key.account))
                    .first { $0.key == key }
                try expect(found?.secret.text, is: "\(number)", "the secret for the \(key)")
            }
            for key in keys {
                try expect(try await store.remove(key), "the \(key) was not there to be removed")
                try expect(try await !store.list(CredentialQuery()).contains { $0.key == key }, "\(key) is still there")
            }
            try expect(try await store.list(CredentialQuery()).isEmpty, "not all was removed")
        },
        Check("each part of a query narrows it down, unless it is nil") { store in
            let keys = distinctKeys
            for key in keys { try await store.add(StoredCredential(key: key, secret: SecretBytes("x"))) }
            var queries = [CredentialQuery()]
            for (number, key) in keys.enumerated() {
                var query = CredentialQuery()
                switch number % 8 {
                case 0: query.host = key.space.host.uppercased()
                case 1: query.urlScheme = key.space.scheme
                case 2: query.port = key.space.port
                case 3: query.realm = key.space.realm
                case 4: query.isProxy = key.space.isProxy
                case 5: query.path = key.path
                case 6: query.scheme = key.scheme
                default: query.account = key.account
                }
                queries.append(query)
                query.host = key.space.host
                queries.append(query)
                queries.append(CredentialQuery(space: key.space))
                queries.append(
                    CredentialQuery(space: key.space, path: key.path, scheme: key.scheme, account: key.account))
            }
            for query in queries {
                let expected = keys.filter { query.matches($0) }.sorted(by: CredentialKey.precedes)
                try expect(try await store.list(query).map(\.key), is: expected, "the list for \(query)")
                try expect(try await store.find(query).map(\.key), is: expected, "what was found for \(query)")
            }
            try expect(
                try await store.find(CredentialQuery(space: space("nowhere.example"))).isEmpty,
                "something for another host")
        },
        Check("the deepest path comes first") { store in
            for path in ["/a", "", "/a/b/c", "/a/b"] {
                try await store.add(StoredCredential(key: key(path: path), secret: SecretBytes(path)))
            }
            func paths(_ path: String) async throws -> [String] {
                try await store.find(CredentialQuery(space: space(), path: path)).map(\.key.path)
            }
            try expect(try await paths("/a/b/c/d"), is: ["/a/b/c", "/a/b", "/a", ""], "below all")
            try expect(try await paths("/a/bc"), is: ["/a", ""], "beside one")
            try expect(try await paths("/a/b/../c"), is: [""], "a path that leads elsewhere")
            try expect(try await paths("/"), is: [""], "the root")
        },
        Check("a credential of the scheme comes before one for any scheme, and other schemes are not found") { store in
            for scheme in [nil, "basic", "ntlm"] {
                try await store.add(StoredCredential(key: key(scheme: scheme), secret: SecretBytes("x")))
            }
            let found = try await store.find(CredentialQuery(space: space(), scheme: "NTLM"))
            try expect(found.map(\.key.scheme), is: ["ntlm", nil], "the schemes")
        },
        Check("a change keeps the parts that it does not name") { store in
            try await store.add(
                StoredCredential(key: key(), secret: SecretBytes("old"), label: "label", comment: "comment"))
            let before = try await store.list(CredentialQuery())
            try await store.update(key(), with: CredentialChange(secret: SecretBytes("new")))
            try await store.update(key(), with: CredentialChange())
            var found = try await store.find(CredentialQuery())
            try expect(found.map(\.secret.text), is: ["new"], "the secret")
            try expect(found.first?.entry.label, is: "label", "the label")
            try expect(found.first?.entry.comment, is: "comment", "the comment")
            try expect(found.first?.entry.created, is: before.first?.created, "the date of its making")
            try await store.update(key(), with: CredentialChange(label: "", comment: "other"))
            found = try await store.find(CredentialQuery())
            try expect(found.first?.entry.label, is: "", "the label")
            try expect(found.first?.entry.comment, is: "other", "the comment")
            try expect(found.map(\.secret.text), is: ["new"], "the secret")
        },
        Check("a change changes one credential") { store in
            for key in distinctKeys { try await store.add(StoredCredential(key: key, secret: SecretBytes("old"))) }
            try await store.update(key(), with: CredentialChange(secret: SecretBytes("new")))
            let changed = try await store.find(CredentialQuery()).filter { $0.secret.text == "new" }
            try expect(changed.map(\.key), is: [key()], "what was changed")
        },
        Check("a missing credential cannot be changed") { store in
            try await store.add(StoredCredential(key: key(account: "bert"), secret: SecretBytes("x")))
            try await expect(.notFound, "a change of what is not there") {
                try await store.update(key(), with: CredentialChange(secret: SecretBytes("y")))
            }
            try expect(try await store.find(CredentialQuery()).map(\.secret.text), is: ["x"], "the secrets")
        },
        Check("a removed credential can be added again") { store in
            try await store.add(StoredCredential(key: key(), secret: SecretBytes("first")))
            try expect(try await store.remove(key()), "nothing was removed")
            try expect(try await store.remove(key()) == false, "something was removed twice")
            try await store.add(StoredCredential(key: key(), secret: SecretBytes("second")))
            try expect(try await store.find(CredentialQuery()).map(\.secret.text), is: ["second"], "the secrets")
        },
        Check("a credential without persistence is not kept") { store in
            try await store.add(StoredCredential(key: key(), secret: SecretBytes("x"), persistence: .none))
            try expect(try await store.find(CredentialQuery()).isEmpty, "it was kept")
        },
        Check("invalid keys and secrets are refused") { store in
            let long = String(repeating: "x", count: CredentialKey.maximumPartBytes + 1)
            let keys = [
                key(space(scheme: "ftp")), key(space("")), key(space(port: 0)), key(space(port: 65536)),
                key(space(port: -1)), key(space(realm: long)), key(path: "a"), key(path: long), key(scheme: ""),
                key(account: long), key(account: "a\u{0}b"),
            ]
            for key in keys {
                try await expect(.invalidItem, "adding \(key)") {
                    try await store.add(StoredCredential(key: key, secret: SecretBytes("x")))
                }
            }
            let secret = SecretBytes([UInt8](repeating: 0, count: StoredCredential.maximumSecretBytes + 1))
            try await expect(.invalidItem, "a long secret") {
                try await store.add(StoredCredential(key: key(), secret: secret))
            }
            try await expect(.invalidItem, "a long secret") {
                try await store.update(key(), with: CredentialChange(secret: secret))
            }
            try expect(try await store.find(CredentialQuery()).isEmpty, "something was kept")
        },
        Check("concurrent tasks lose no credential") { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<8 {
                    group.addTask {
                        for number in 0..<10 {
                            let key = key(account: "\(task)-\(number)")
                            try await store.add(StoredCredential(key: key, secret: SecretBytes("old")))
                            try await store.update(key, with: CredentialChange(secret: SecretBytes("\(key.account)")))
                        }
                    }
                }
                try await group.waitForAll()
            }
            let found = try await store.find(CredentialQuery())
            try expect(found.count, is: 80, "how many there are")
            for credential in found {
                try expect(credential.secret.text, is: credential.key.account, "the secret of \(credential.key)")
            }
        },
    ]

    /// Each differs from the first in one part.
    static var distinctKeys: [CredentialKey] {
        [
            key(), key(space("other.example")), key(space(scheme: "http")), key(space(port: 8443)),
            key(space(realm: "REPORTS")), key(space(isProxy: true)), key(path: "/a"), key(scheme: "basic"),
            key(scheme: "negotiate"), key(account: "Anna"), key(account: ""), key(space(realm: "")),
            key(space(scheme: "http", isProxy: true)), key(space("2001:db8::1")), key(path: "/a%20b"),
            key(space(realm: "“Zürich” \n")),
        ]
    }
}

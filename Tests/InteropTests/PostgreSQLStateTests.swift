import Foundation
import SignetCredentials
import SignetTesting
import Synchronization
import Testing

@testable import SignetCredentialsPostgreSQL

/// The state of servers in a real database.
@Suite(.serialized, .timeLimit(.minutes(10))) struct PostgreSQLStateTests {
    private static let key = FixedMasterKey(.random())

    private func database(
        _ cluster: PostgreSQLCluster, schema: String = "signet", connections: Int = 6
    ) -> PostgreSQLDatabase {
        var database = PostgreSQLDatabase(
            "postgres", at: .tls(host: "localhost", port: cluster.port, anchors: cluster.files.path("anchors.pem")),
            user: "signet", password: SecretBytes(cluster.password))
        database.schema = schema
        database.connections = connections
        return database
    }

    private func open(_ database: PostgreSQLDatabase, capacity: Int = 200) async throws -> PostgreSQLServerState {
        try await PostgreSQLServerState(database, key: Self.key, capacity: capacity)
    }

    private static func hash(_ number: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: 24) + UInt64(number).bigEndianBytes
    }

    @Test func conforms() async throws {
        let cluster = try await PostgreSQLCluster()
        try await cluster.run { () async throws in
            for (number, check) in ServerStateConformance.checks.enumerated() {
                let database = database(cluster, schema: "check_\(number)")
                do { try await check.run { try await open(database) } } catch {
                    Issue.record("\(check): \(error)")
                }
            }
            // Each has its own connections, as other machines have.
            for (number, check) in ServerStateConformance.sharedChecks.enumerated() {
                let database = database(cluster, schema: "shared_\(number)")
                do { try await check.run { try await open(database) } } catch {
                    Issue.record("\(check): \(error)")
                }
            }
        }
    }

    /// Several servers that start at the same time make one schema and one key.
    @Test func serversThatStartTogetherShareOneState() async throws {
        let cluster = try await PostgreSQLCluster()
        try await cluster.run { () async throws in
            let secrets = try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask { try await open(database(cluster, connections: 1)).secret(for: "one").bytes }
                }
                return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
            }
            #expect(secrets.count == 1)
            #expect(try await cluster.query("SELECT number FROM signet.version") == ["1"])
            await #expect(throws: CredentialStoreError(.wrongKey, "")) {
                try await PostgreSQLServerState(database(cluster), key: FixedMasterKey(.random()))
            }
        }
    }

    @Test func theDatabaseHoldsNoSecret() async throws {
        let cluster = try await PostgreSQLCluster()
        try await cluster.run { () async throws in
            let state = try await open(database(cluster))
            let accounts = Accounts(state, verifiers: [.hash, .password, .digest(realm: "canary-realm", .sha256)])
            try await accounts.add("canary-user", password: SecretBytes("canary-secret"))
            _ = try await accounts.accepts(SecretBytes("canary-guess"), of: "canary-user")
            _ = try await state.secret(for: "canary-purpose")
            let tables = try await cluster.query(
                "SELECT tablename FROM pg_tables WHERE schemaname = 'signet' ORDER BY tablename")
            #expect(tables == ["failure", "header", "record", "remembered", "sweep", "version"])
            for table in tables {
                let rows = try await cluster.query("SELECT encode(t::text::bytea, 'escape') FROM signet.\(table) t")
                let canary = Data("canary".utf8).map { String(format: "%02x", $0) }.joined()
                #expect(!rows.contains { $0.contains("canary") || $0.contains(canary) }, "\(table)")
            }
            #expect(!"\(state) \(String(reflecting: state)) \(state.database)".contains("canary"))
            // Over TLS.
            #expect(
                try await cluster.query(
                    "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'Signet'"
                ) == ["t"])
        }
    }

    @Test func aRecordThatWasChangedOrMovedIsRefused() async throws {
        let cluster = try await PostgreSQLCluster()
        try await cluster.run { () async throws in
            let state = try await open(database(cluster))
            let accounts = Accounts(state, verifiers: [.password])
            try await accounts.add("anna", password: SecretBytes("secret"))
            try await accounts.add("bert", password: SecretBytes("other"))
            // What is found by the name of one is the account of the other.
            try await cluster.query(
                """
                ALTER TABLE signet.record DROP CONSTRAINT record_kind_item_key;
                UPDATE signet.record AS one SET item = other.item FROM signet.record AS other
                WHERE one.kind = 6 AND other.kind = 6 AND one.id <> other.id
                """)
            await #expect(throws: CredentialStoreError(.damaged, "")) {
                try await accounts.accepts(SecretBytes("other"), of: "anna")
            }
            await #expect(throws: CredentialStoreError(.damaged, "")) { try await state.users() }
            try await cluster.query("UPDATE signet.record SET sealed = sha256(sealed)")
            await #expect(throws: CredentialStoreError(.damaged, "")) {
                try await accounts.accepts(SecretBytes("secret"), of: "anna")
            }
            try await accounts.remove("anna")
            #expect(try await state.account("anna") == nil)
        }
    }

    /// A function of another role must not run as the role of the servers.
    @Test func functionsOfOthersAreNotCalled() async throws {
        let cluster = try await PostgreSQLCluster()
        try await cluster.run { () async throws in
            try await cluster.query(
                """
                CREATE FUNCTION public.to_regnamespace(text) RETURNS regnamespace LANGUAGE plpgsql AS
                $$ BEGIN RAISE 'called'; END $$;
                CREATE FUNCTION public.to_regclass(text) RETURNS regclass LANGUAGE plpgsql AS $$ BEGIN RAISE 'called'; END $$;
                CREATE SCHEMA early; CREATE FUNCTION early.set_config(text, text, boolean) RETURNS text LANGUAGE plpgsql AS
                $$ BEGIN RAISE 'called'; END $$;
                ALTER ROLE signet SET search_path = early, public, pg_catalog;
                ALTER ROLE signet SET synchronous_commit = off;
                ALTER ROLE signet SET default_transaction_isolation = serializable
                """)
            let state = try await open(database(cluster, connections: 1))
            #expect(try await state.remember(Self.hash(1), until: 1300, now: 1000) == .new)
        }
    }

    /// What another program has changed in the tables ends in an error, and never in an accepted message.
    @Test func changedTablesAreRefused() async throws {
        let cluster = try await PostgreSQLCluster()
        try await cluster.run { () async throws in
            let state = try await open(database(cluster))
            _ = try await state.secret(for: "one")
            let changes: [(String, CredentialStoreError.Code)] = [
                ("UPDATE signet.sweep SET swept = 9223372036854775807", .damaged),
                (
                    """
                    CREATE OR REPLACE FUNCTION signet.remember(
                    the_key bytea, the_expiry bigint, the_time bigint, OUT finding integer, OUT swept_until bigint)
                    LANGUAGE plpgsql AS $$ BEGIN END $$
                    """, .damaged
                ),
                ("DROP FUNCTION signet.remember", .inputOutput), ("DROP TABLE signet.remembered", .inputOutput),
            ]
            for (change, code) in changes {
                try await cluster.query(change)
                await #expect(throws: CredentialStoreError(code, ""), "\(change)") {
                    try await state.remember(Self.hash(1), until: 1300, now: 1000)
                }
            }
            let headers: [(String, CredentialStoreError.Code)] = [
                ("UPDATE signet.header SET code = 'x'", .damaged),
                ("UPDATE signet.header SET verifier = 'x'", .wrongKey),
                ("UPDATE signet.header SET derivation = '\\x02'", .damaged),
                ("UPDATE signet.header SET store = 'x'", .damaged),
                // What is sealed must not get another key.
                ("DELETE FROM signet.header", .damaged), ("DELETE FROM signet.version", .damaged),
            ]
            for (change, code) in headers {
                try await cluster.query(change)
                await #expect(throws: CredentialStoreError(code, ""), "\(change)") {
                    _ = try await open(database(cluster))
                }
            }
        }
    }

    /// A transaction that fails, however it fails, does not spoil the connection for the next call.
    @Test func aFailedTransactionLeavesNoTrace() async throws {
        let cluster = try await PostgreSQLCluster()
        try await cluster.run { () async throws in
            let state = try await open(database(cluster, schema: "user", connections: 1))
            #expect(try await state.add(ServerAccount("anna")))
            struct Refusal: Error {}
            for _ in 0..<3 {
                await #expect(throws: Refusal.self) { try await state.update("anna") { _ in throw Refusal() } }
                #expect(try await state.add(ServerAccount("anna")) == false)
                #expect(try await state.users() == ["anna"])
            }
            // Its only connection is ended in the middle.
            try await cluster.query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'Signet'")
            #expect(try await state.users() == ["anna"])
        }
    }

    @Test func tablesOfOthersAndLaterVersionsAreLeftAsTheyAre() async throws {
        let cluster = try await PostgreSQLCluster()
        try await cluster.run { () async throws in
            try await cluster.query("CREATE SCHEMA taken; CREATE TABLE taken.mine (id integer)")
            await #expect(throws: CredentialStoreError(.notAStore, "")) {
                try await open(database(cluster, schema: "taken"))
            }
            #expect(try await cluster.query("SELECT tablename FROM pg_tables WHERE schemaname = 'taken'") == ["mine"])
            _ = try await open(database(cluster))
            try await cluster.query("INSERT INTO signet.version VALUES (1000)")
            await #expect(throws: CredentialStoreError(.newerVersion, "")) { try await open(database(cluster)) }
        }
    }

    /// A role that may make no schema can use one that its administrator has made for it.
    @Test func aRoleNeedsItsSchemaOnly() async throws {
        let cluster = try await PostgreSQLCluster()
        try await cluster.run { () async throws in
            try await cluster.query("CREATE ROLE clerk LOGIN PASSWORD 'clerk'")
            var database = database(cluster)
            (database.user, database.password) = ("clerk", SecretBytes("clerk"))
            await #expect(throws: CredentialStoreError(.notEntitled, "")) { try await open(database) }
            try await cluster.query("CREATE SCHEMA signet AUTHORIZATION clerk")
            let state = try await open(database)
            #expect(try await state.remember(Self.hash(1), until: 1300, now: 1000) == .new)
        }
    }

    /// The password of the role goes only to the database whose certificate is trusted.
    @Test func anotherDatabaseIsNotTrusted() async throws {
        let cluster = try await PostgreSQLCluster()
        try await cluster.run { () async throws in
            var database = database(cluster)
            database.address = .tls(
                host: "localhost", port: cluster.port, anchors: cluster.files.path("strangers.pem"))
            await #expect(throws: CredentialStoreError(.unreachable, "")) { try await open(database) }
            // The certificate is for another name.
            database.address = .tls(
                host: "127.0.0.1", port: cluster.port, anchors: cluster.files.path("anchors.pem"))
            await #expect(throws: CredentialStoreError(.unreachable, "")) { try await open(database) }
            database = self.database(cluster)
            database.password = SecretBytes("canary-guess")
            do {
                _ = try await open(database)
                Issue.record("a wrong password was accepted")
            } catch let error as CredentialStoreError {
                #expect(error.code == .unreachable)
                #expect(error.message.contains("password authentication failed"), "\(error)")
                #expect(!"\(error) \(String(reflecting: error))".contains("canary"))
            }
            // Sockets of this machine, and loopback without TLS.
            for address in [
                PostgreSQLDatabase.Address.socket(
                    folder: cluster.files.folder.path(percentEncoded: false), port: cluster.port),
                .unencrypted(port: cluster.port),
            ] {
                var database = self.database(cluster)
                database.address = address
                _ = try await open(database)
            }
        }
    }

    @Test func settingsThatCannotTakeEffectAreErrors() async throws {
        let good = PostgreSQLDatabase("db", at: .unencrypted(), user: "signet")
        let changes: [(String, (inout PostgreSQLDatabase) -> Void)] = [
            ("connections", { $0.connections = 0 }), ("connections", { $0.connections = 1001 }),
            ("timeout", { $0.timeout = .milliseconds(99) }), ("timeout", { $0.timeout = .seconds(601) }),
            ("schema", { $0.schema = "Signet" }), ("schema", { $0.schema = "a;b" }), ("schema", { $0.schema = "" }),
            ("schema", { $0.schema = "pg_x" }), ("schema", { $0.schema = "1a" }),
            ("schema", { $0.schema = String(repeating: "a", count: 41) }), ("name", { $0.name = "" }),
            ("user", { $0.user = "" }), ("dbname", { $0.name = "a\0b" }),
            ("password", { $0.password = SecretBytes([0xFF]) }), ("password", { $0.password = SecretBytes("") }),
            ("host", { $0.address = .unencrypted(host: "db.example.com") }),
            ("host", { $0.address = .tls(host: "/tmp") }), ("host", { $0.address = .tls(host: "@x") }),
            ("host", { $0.address = .tls(host: "a,/tmp") }), ("folder", { $0.address = .socket(folder: "/run,b") }),
            (
                "client certificate",
                {
                    $0.address = .tls(host: "localhost")
                    $0.clientCertificate = .init(certificate: "/absent", key: "/absent")
                }
            ), ("port", { $0.address = .unencrypted(port: 0) }),
            ("folder", { $0.address = .socket(folder: "tmp") }),
            ("client certificate", { $0.clientCertificate = .init(certificate: "a", key: "b") }),
        ]
        for (what, change) in changes {
            var database = good
            change(&database)
            do {
                _ = try await open(database)
                Issue.record("\(what) was accepted")
            } catch let error as CredentialStoreError {
                #expect(error.code == .invalidItem, "\(error)")
                #expect(error.message.contains(what), "\(error)")
            }
        }
    }

    @Test(arguments: ["PGHOSTADDR", "PGSERVICE", "PGPASSWORD"])
    func theEnvironmentDoesNotChangeTheDatabase(variable: String) throws {
        let database = PostgreSQLDatabase("db", at: .unencrypted(), user: "signet")
        #expect(throws: CredentialStoreError(.invalidItem, "")) {
            try database.parameters { $0 == variable ? "x" : nil }
        }
        #expect(try database.parameters { _ in nil }.contains { $0.keyword == "host" })
    }

    /// While the database is away, nothing is accepted; after it is back, nothing that was accepted before is accepted again.
    @Test func aRestartOfTheDatabaseForgetsNothing() async throws {
        let cluster = try await PostgreSQLCluster()
        let state = try await cluster.run { () async throws -> PostgreSQLServerState in
            let state = try await open(database(cluster))
            try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    group.addTask {
                        let finding = try await state.remember(Self.hash(number), until: 1300, now: 1000)
                        #expect(finding == .new)
                    }
                }
                try await group.waitForAll()
            }
            return state
        }
        await #expect(throws: CredentialStoreError(.unreachable, "")) {
            try await state.remember(Self.hash(100), until: 1300, now: 1000)
        }
        await #expect(throws: CredentialStoreError(.unreachable, "")) {
            try await state.countFailure(of: Self.hash(1), until: 1300, now: 1000)
        }
        try await cluster.run { () async throws in
            // Each of the old connections is noticed before a message is sent over it.
            for number in 0..<20 {
                #expect(try await state.remember(Self.hash(number), until: 1300, now: 1000) == .replayed)
            }
            #expect(try await state.remember(Self.hash(100), until: 1300, now: 1000) == .new)
        }
    }

    /// A database that does not answer does not keep the server waiting, and what waits for a connection ends as well.
    @Test func aDatabaseThatHangsEndsTheCall() async throws {
        let cluster = try await PostgreSQLCluster()
        try await cluster.run { () async throws in
            var database = database(cluster, connections: 2)
            database.timeout = .seconds(1)
            let state = try await open(database)
            _ = try await state.remember(Self.hash(1), until: 1300, now: 1000)
            let accounts = Accounts(state, verifiers: [.password])
            try await accounts.add("anna", password: SecretBytes("secret"))
            async let lock: [String] = cluster.query(
                "BEGIN; LOCK TABLE signet.remembered, signet.record; SELECT pg_sleep(4); COMMIT")
            while try await cluster.query(
                "SELECT count(*) FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted")
                == ["0"]
            {}
            let codes = await withTaskGroup { group in
                for number in 10..<20 {
                    group.addTask { () -> CredentialStoreError.Code? in
                        do {
                            _ = try await state.remember(Self.hash(number), until: 1300, now: 1000)
                            return nil
                        } catch { return (error as? CredentialStoreError)?.code }
                    }
                }
                return await group.reduce(into: [CredentialStoreError.Code?]()) { $0.append($1) }
            }
            #expect(codes.allSatisfy { $0 == .busy || $0 == .unreachable }, "\(codes)")
            _ = try await lock
            // A statement that this end gave up was given up by the database as well.
            for number in 10..<20 {
                #expect(try await state.remember(Self.hash(number), until: 1300, now: 1000) == .new, "\(number)")
            }
        }
    }

    /// What has expired is removed, also when there are more than a sweep removes at once.
    @Test func whatHasExpiredIsRemoved() async throws {
        let cluster = try await PostgreSQLCluster()
        try await cluster.run { () async throws in
            let state = try await open(database(cluster), capacity: 10_000)
            try await cluster.query(
                "INSERT INTO signet.remembered SELECT sha256(n::text::bytea), 1300 FROM generate_series(1, 5000) n")
            try await state.countFailure(of: Self.hash(1), until: 1300, now: 1000)
            #expect(try await state.remember(Self.hash(1), until: 1400, now: 1300) == .new)
            #expect(try await cluster.query("SELECT count(*) FROM signet.remembered") == ["5001"])
            #expect(try await state.remember(Self.hash(2), until: 1400, now: 1310) == .new)
            #expect(try await cluster.query("SELECT count(*) FROM signet.remembered") == ["2"])
            #expect(try await cluster.query("SELECT count(*) FROM signet.failure") == ["0"])
            // More than one sweep removes at once.
            try await cluster.query(
                "INSERT INTO signet.remembered SELECT sha256(n::text::bytea), 1315 FROM generate_series(1, 10001) n")
            #expect(try await state.remember(Self.hash(6), until: 1410, now: 1320) == .new)
            #expect(try await state.remember(Self.hash(7), until: 1410, now: 1320) == .new)
            #expect(try await cluster.query("SELECT count(*) FROM signet.remembered") == ["4"])
            // A clock that is far behind may not decide; one that is a little behind may.
            #expect(try await state.remember(Self.hash(3), until: 1400, now: 1000) == .new)
            #expect(try await state.remember(Self.hash(4), until: 1309, now: 1300) == .replayed)
            await #expect(throws: CredentialStoreError(.damaged, "")) {
                try await state.remember(Self.hash(5), until: 1400, now: 700)
            }
        }
    }
}

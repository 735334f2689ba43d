import SignetCredentials

/// The tables of a state, and the steps from each version to the next.
enum PostgreSQLSchema {
    /// The statements that lead to each version, from the first on; `S` stands for the schema.
    static let migrations: [[String]] = [
        [
            "CREATE TABLE S.header (id integer PRIMARY KEY CHECK (id = 1), store bytea NOT NULL, key bytea NOT NULL, derivation bytea NOT NULL, verifier bytea NOT NULL, code bytea NOT NULL)",
            // Accounts, secrets and issued certificates, sealed; `item` and `space` are codes of what they are looked up by.
            "CREATE TABLE S.record (id bytea PRIMARY KEY, kind integer NOT NULL, item bytea NOT NULL, space bytea NOT NULL, revision bigint NOT NULL, sealed bytea NOT NULL, UNIQUE (kind, item))",
            "CREATE INDEX record_space ON S.record (kind, space)",
            "CREATE TABLE S.failure (key bytea PRIMARY KEY, count integer NOT NULL, ends bigint NOT NULL)",
            "CREATE INDEX failure_ends ON S.failure (ends)",
            "CREATE TABLE S.remembered (key bytea PRIMARY KEY, expiry bigint NOT NULL)",
            "CREATE INDEX remembered_expiry ON S.remembered (expiry)",
            // Whether a message that expired before `swept` was accepted is not known any more.
            "CREATE TABLE S.sweep (id integer PRIMARY KEY CHECK (id = 1), swept bigint NOT NULL)",
            "INSERT INTO S.sweep VALUES (1, 0)",
            // While a sweep moves `swept`, no message is decided by its old value. Each statement of a function sees what was
            // committed before it, so that the lock comes first.
            """
            CREATE FUNCTION S.remember(the_key bytea, the_expiry bigint, the_time bigint, OUT finding integer, OUT swept_until bigint)
            LANGUAGE plpgsql AS $$
            BEGIN
                LOCK TABLE S.sweep IN ROW EXCLUSIVE MODE;
                SELECT swept INTO STRICT swept_until FROM S.sweep;
                IF swept_until - the_time > 600 THEN
                    finding := 2;
                ELSIF the_expiry < swept_until THEN
                    finding := 1;
                ELSE
                    INSERT INTO S.remembered VALUES (the_key, the_expiry) ON CONFLICT DO NOTHING;
                    finding := CASE WHEN FOUND THEN 0 ELSE 1 END;
                END IF;
            END $$
            """,
            """
            CREATE FUNCTION S.begin_sweep(the_time bigint) RETURNS void
            LANGUAGE plpgsql AS $$
            BEGIN
                LOCK TABLE S.sweep IN SHARE ROW EXCLUSIVE MODE;
                UPDATE S.sweep SET swept = the_time WHERE swept < the_time;
            END $$
            """,
        ]
    ]

    /// Makes the schema, or brings it to this version. Of several processes that do it at the same time, one does it: the others get an
    /// error of the system's tables, and look again.
    static func prepare(_ turn: ConnectionPool.Turn, _ database: PostgreSQLDatabase) throws {
        let schema = database.quotedSchema
        try turn.transaction {
            // A role that may make nothing in the database can use a schema that its administrator has made.
            if try turn.run("SELECT to_regnamespace($1)", .text(schema))[0] == nil {
                try turn.run("CREATE SCHEMA \(schema)")
            }
            // One statement sees one state of the tables.
            let tables = try turn.run(
                "SELECT count(*), count(*) FILTER (WHERE relname = 'version') FROM pg_class WHERE relnamespace = to_regnamespace($1)::oid",
                .text(schema))
            var version = 0
            if tables.integer(1) == 1 {
                guard let found = try turn.run("SELECT max(number) FROM \(schema).version").integer(0) else {
                    throw CredentialStoreError(
                        .damaged,
                        "The table “version” of the schema “\(database.schema)” of the database \(database.place) is empty: another program has changed it. Restore a backup, or name another schema."
                    )
                }
                version = Int(clamping: found)
            } else if tables.integer(0) == 0 {
                try turn.run("CREATE TABLE \(schema).version (number bigint PRIMARY KEY)")
            } else {
                // Tables of another program must stay as they are.
                throw CredentialStoreError(
                    .notAStore,
                    "The schema “\(database.schema)” of the database \(database.place) has tables of another program; it was left as it is. Name another schema."
                )
            }
            guard version <= migrations.count else {
                throw CredentialStoreError(
                    .newerVersion,
                    "The schema “\(database.schema)” of the database \(database.place) was written by a later version of Signet; it was left as it is. Update this program."
                )
            }
            for (number, statements) in migrations.enumerated().dropFirst(max(0, version)) {
                for statement in statements {
                    try turn.run(statement.replacing("S.", with: schema + "."))
                }
                try turn.run("INSERT INTO \(schema).version VALUES ($1)", .integer(Int64(number + 1)))
            }
        }
    }
}

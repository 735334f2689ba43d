import Foundation
import SignetAuthentication
public import SignetCredentials

/// A database of PostgreSQL: where it is, how it is reached, and who asks.
///
/// libpq of PostgreSQL 13 or later makes the connections; the program loads it at the first use. Its variables of the environment do not
/// take the place of what is set here: where one would, it is an error.
public struct PostgreSQLDatabase: Sendable {
    /// Where a database is reached.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Address: Sendable, Hashable {
        /// A socket of this machine: the folder of the socket, such as `/var/run/postgresql`.
        case socket(folder: String, port: Int = 5432)
        /// Over TLS 1.2 or later. The certificate of the database must be for the host and be issued by one of the anchors.
        ///
        /// `anchors` is a file with certificates in PEM.
        case tls(host: String, port: Int = 5432, anchors: String = "/etc/ssl/certs/ca-certificates.crt")
        /// Without encryption: only for a database on the same machine. Other hosts than `localhost`, `127.0.0.1` and `::1` are refused.
        case unencrypted(host: String = "127.0.0.1", port: Int = 5432)
    }

    /// A client certificate for the database, and its key, in PEM. Only the owner may read the file of the key.
    public struct ClientCertificate: Sendable, Hashable {
        /// The path of the certificate and those that issued it.
        public var certificate: String
        /// The path of the key, without a password.
        public var key: String

        /// - Parameters:
        ///   - certificate: the path of the certificate and those that issued it.
        ///   - key: the path of the key, without a password.
        public init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

    /// Where it is reached.
    public var address: Address
    /// The name of the database.
    public var name: String
    /// The role that asks.
    public var user: String
    /// The password of the role; nil when the database knows the role by its certificate or by the user of the system.
    public var password: SecretBytes?
    /// The certificate of the role, over TLS; nil when it has no certificate.
    public var clientCertificate: ClientCertificate?
    /// The schema of the tables: lowercase letters, digits and `_`, at most 40 characters. It is made when it is absent.
    public var schema = "signet"
    /// How many connections a process has at most, from 1 to 1,000. Calls beyond that wait.
    public var connections = 8
    /// How long a call waits for a connection and for its answer, from 100 milliseconds to 10 minutes. Then it fails.
    public var timeout = Duration.seconds(5)

    /// - Parameters:
    ///   - name: of the database.
    ///   - address: where it is reached.
    ///   - user: the role that asks.
    ///   - password: of the role; nil when the database knows the role by its certificate or by the user of the system.
    public init(_ name: String, at address: Address, user: String, password: SecretBytes? = nil) {
        self.name = name
        self.address = address
        self.user = user
        self.password = password
    }

    /// The keywords of libpq (PostgreSQL documentation §34.1.2).
    ///
    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `invalidItem` for a setting that cannot take effect.
    func parameters(
        _ environment: (String) -> String? = ProcessEnvironment.value
    ) throws(CredentialStoreError) -> [(keyword: String, value: String)] {
        for variable in ["PGHOSTADDR", "PGSERVICE"] + (password == nil ? ["PGPASSWORD"] : [])
            + (clientCertificate == nil ? [] : ["PGSSLCERTMODE"])
        where environment(variable)?.isEmpty == false {
            throw CredentialStoreError(
                .invalidItem,
                "The environment variable \(variable) would change how the database “\(name.printable)” is reached. Remove it from the environment of the program."
            )
        }
        guard (1...1000).contains(connections) else { throw invalid("connections", "is from 1 to 1,000") }
        guard (Duration.milliseconds(100)...Duration.seconds(600)).contains(timeout) else {
            throw invalid("timeout", "is from 100 milliseconds to 10 minutes")
        }
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard (1...40).contains(schema.utf8.count), !schema.hasPrefix("pg_"),
            !digits.contains(schema.utf8.first ?? UInt8(ascii: "0")),
            schema.utf8.allSatisfy({ letters.contains($0) || digits.contains($0) || $0 == UInt8(ascii: "_") })
        else {
            throw invalid("schema", "has lowercase letters, digits and “_”, and begins with a letter other than “pg_”")
        }
        guard !name.isEmpty, !user.isEmpty else { throw invalid("name and user", "are never empty") }
        let milliseconds = timeout.milliseconds
        var parameters: [(keyword: String, value: String)] = [
            ("dbname", name), ("user", user), ("application_name", "Signet"),
            ("client_encoding", "UTF8"), ("gssencmode", "disable"), ("target_session_attrs", "read-write"),
            ("keepalives", "1"), ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            // What this end has given up, the database gives up as well.
            (
                "options",
                "-c statement_timeout=\(milliseconds) -c idle_in_transaction_session_timeout=\(milliseconds * 2) -c search_path=pg_catalog,pg_temp"
            ),
            // No password of another file.
            ("passfile", "/dev/null/none"),
        ]
        if let password {
            guard let text = password.text, !text.isEmpty else { throw invalid("password", "is text in UTF-8") }
            parameters.append(("password", text))
        }
        let port: Int
        switch address {
        case .socket(let folder, let number):
            guard folder.hasPrefix("/"), !folder.contains(",") else {
                throw invalid("folder of the socket", "begins with “/” and has no comma")
            }
            guard clientCertificate == nil else { throw invalid("client certificate", "needs an address with TLS") }
            parameters += [("host", folder), ("sslmode", "disable")]
            port = number
        case .tls(let host, let number, let anchors):
            // libpq takes what begins so for a socket, which has no TLS.
            guard !host.hasPrefix("/"), !host.hasPrefix("@"), !host.contains(","), !host.isEmpty else {
                throw invalid("host", "is one name or address")
            }
            // libpq would go on without a certificate whose file is absent.
            if let clientCertificate {
                for path in [clientCertificate.certificate, clientCertificate.key] {
                    guard FileManager.default.isReadableFile(atPath: path) else {
                        throw invalid("client certificate", "is in files that can be read; “\(path.printable)” is not")
                    }
                }
            }
            parameters += [
                ("host", host), ("sslmode", "verify-full"), ("sslrootcert", anchors),
                ("ssl_min_protocol_version", "TLSv1.2"),
                // Where there is no such file, libpq sends no certificate, and not that of the user’s folder.
                ("sslcert", clientCertificate?.certificate ?? "/dev/null/none"),
            ]
            if let clientCertificate { parameters.append(("sslkey", clientCertificate.key)) }
            port = number
        case .unencrypted(let host, let number):
            guard ["localhost", "127.0.0.1", "::1"].contains(host) else {
                throw invalid("host", "is “localhost” without encryption; use the address with TLS for another machine")
            }
            guard clientCertificate == nil else { throw invalid("client certificate", "needs an address with TLS") }
            parameters += [("host", host), ("sslmode", "disable")]
            port = number
        }
        guard (1...65_535).contains(port) else { throw invalid("port", "is from 1 to 65535") }
        parameters.append(("port", String(port)))
        for (keyword, value) in parameters where value.utf8.contains(0) {
            throw invalid(keyword, "has no character with the code 0")
        }
        return parameters
    }

    /// As it is written in statements: it may be a word of SQL.
    var quotedSchema: String { "\"\(schema)\"" }

    private func invalid(_ what: String, _ rule: String) -> CredentialStoreError {
        CredentialStoreError(.invalidItem, "A setting of the database “\(name.printable)” is wrong: \(what) \(rule).")
    }

    /// Where the tables are, for messages.
    var place: String {
        let place =
            switch address {
            case .socket(let folder, let port): "\(folder)/.s.PGSQL.\(port)"
            case .tls(let host, let port, _), .unencrypted(let host, let port): "\(host):\(port)"
            }
        return "\(name.printable) at \(place.printable)"
    }

    func error(_ code: CredentialStoreError.Code, _ what: String) -> CredentialStoreError {
        CredentialStoreError(code, "The database \(place) cannot be used: \(what).")
    }

    func error(_ failure: PostgreSQLFailure) -> CredentialStoreError {
        var error: CredentialStoreError
        switch failure.state ?? "" {
        case "": error = self.error(.unreachable, failure.description)
        case "53100": error = self.error(.full, "its disk is full")
        case "57014", "55P03": error = self.error(.busy, "it did not answer within \(timeout)")
        case "42501": error = self.error(.notEntitled, "\(failure.description) (role “\(user.printable)”)")
        case _ where failure.isConnectionLost: error = self.error(.unreachable, failure.description)
        case let state:
            error = self.error(.inputOutput, "\(failure.description) (SQLSTATE \(state.printable))")
        }
        error.cause = failure
        return error
    }
}

extension PostgreSQLDatabase: CustomStringConvertible, CustomReflectable {
    public var description: String { "PostgreSQLDatabase(\(place))" }
    public var customMirror: Mirror { Mirror(self, children: ["name": name, "user": user], displayStyle: .struct) }
}

extension Duration {
    /// In whole milliseconds, for what takes no fractions.
    var milliseconds: Int64 {
        let (product, isOverflow) = components.seconds.multipliedReportingOverflow(by: 1000)
        return isOverflow ? .max : product + components.attoseconds / 1_000_000_000_000_000
    }
}

import SignetAuthentication
public import SignetCredentials

/// The behaviour that every ``/SignetCredentials/CredentialStore`` must have.
///
/// ```swift
/// @Test(arguments: CredentialStoreConformance.checks)
/// func conforms(_ check: CredentialStoreConformance.Check) async throws {
///     try await check.run { MyStore() }
/// }
/// ```
public enum CredentialStoreConformance {
    /// A violation: the store does something that it must not do, or fails to do something that it must.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// One required behaviour of a store.
    public struct Check: Sendable, CustomStringConvertible {
        /// The required behaviour, in words.
        public let description: String
        private let body: @Sendable (any CredentialStore) async throws -> Void

        init(_ description: String, _ body: @escaping @Sendable (any CredentialStore) async throws -> Void) {
            self.description = description
            self.body = body
        }

        /// - Parameter make: makes an empty store.
        /// - Throws: ``Failure``, or an error of the store.
        public func run(_ make: @Sendable () async throws -> any CredentialStore) async throws {
            try await body(try await make())
        }
    }

    /// Where the checks keep their credentials.
    static func space(
        _ host: String = "service.example", scheme: String = "https", port: Int = 443, realm: String = "reports",
        isProxy: Bool = false
    ) -> ProtectionSpace {
        ProtectionSpace(scheme: scheme, host: host, port: port, realm: realm, isProxy: isProxy)
    }

    static func key(
        _ space: ProtectionSpace = space(), path: String = "", scheme: String? = nil, account: String = "anna"
    ) -> CredentialKey {
        CredentialKey(space: space, path: path, scheme: scheme, account: account)
    }

    static func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws(Failure) {
        if !condition { throw Failure(description: what()) }
    }

    static func expect<Value: Equatable>(_ found: Value, is expected: Value, _ what: String) throws(Failure) {
        if found != expected { throw Failure(description: "\(what): \(found), not \(expected)") }
    }

    static func expect(
        _ code: CredentialStoreError.Code, _ what: String, _ body: () async throws -> Void
    ) async throws {
        do { try await body() } catch let error as CredentialStoreError {
            try expect(error.code, is: code, what)
            return
        }
        throw Failure(description: "\(what): no error, not \(code)")
    }
}

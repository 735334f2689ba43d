public import SignetAuthentication

/// The account of a client of a server: what the server keeps to verify passwords, and the certificates that belong to it.
///
/// ``Accounts`` makes and changes it. It is a secret: nothing that prints it shows more than the name.
public struct ServerAccount: Sendable, Equatable {
    /// The name of the user.
    public let user: String
    /// Whether the account is locked until an operator unlocks it: neither its passwords nor its certificates are accepted.
    public var isLocked = false
    /// For passwords that clients send: Basic, and `PasswordText` of UsernameTokens.
    public var hash: PasswordHash?
    /// For the Digest scheme.
    public var digests: [DigestHash] = []
    /// For `PasswordDigest` of UsernameTokens, which can be verified with the password only.
    public var password: SecretBytes?
    /// The certificates of the client, each by the SHA-256 of its DER.
    public var certificates: Set<[UInt8]> = []

    /// An account without password and certificates.
    public init(_ user: String) { self.user = user }

    /// For states: a change cannot give an account another name.
    ///
    /// - Throws: ``CredentialStoreError`` with `invalidItem`.
    public func check(isNamed name: String) throws(CredentialStoreError) {
        guard user.utf8.elementsEqual(name.utf8) else {
            throw CredentialStoreError(
                .invalidItem,
                "An account cannot get another name: remove that of “\(name.printable)”, and add one for “\(user.printable)”."
            )
        }
    }

    /// The hash of user, realm and password: H(A1) of the Digest scheme (RFC 7616 §3.4.2). It is as secret as a password: a client
    /// that has it can authenticate in its realm.
    public struct DigestHash: Sendable, Equatable {
        public var realm: String
        public var algorithm: DigestAlgorithm
        /// In hexadecimal digits.
        public var value: SecretBytes

        /// - Parameters:
        ///   - realm: of the server's challenges.
        ///   - algorithm: of the hash.
        ///   - value: in hexadecimal digits.
        public init(realm: String, algorithm: DigestAlgorithm, value: SecretBytes) {
            self.realm = realm
            self.algorithm = algorithm
            self.value = value
        }
    }
}

extension ServerAccount: CustomStringConvertible, CustomReflectable {
    public var description: String { "the account of “\(user.printable)”\(isLocked ? ", locked" : "")" }
    public var customMirror: Mirror { Mirror(self, children: ["user": user, "isLocked": isLocked]) }
}

extension ServerAccount.DigestHash: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(algorithm.rawValue) for the realm “\(realm.printable)”" }
    public var customMirror: Mirror { Mirror(self, children: ["realm": realm, "algorithm": algorithm]) }
}

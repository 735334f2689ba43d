import Crypto

/// The client's side of NTLM version 2 (MS-NLMP §3.1.5.1, §3.3.2): two messages around the server's challenge, over one
/// connection. Version 1 is not supported; signing is used only for SPNEGO's list of mechanisms.
package struct NTLMClient: Sendable {
    /// The user that logs in, and the domain.
    package struct Account: Sendable {
        package let user: String
        /// Empty when the user name contains the domain (`user@domain`), or for the server's own domain.
        package let domain: String
        fileprivate let password: String

        package init(user: String, domain: String, password: String) {
            self.user = user
            self.domain = domain
            self.password = password
        }

        /// The same password under the names that a client has written.
        func named(user: String, domain: String) -> Account {
            Account(user: user, domain: domain, password: password)
        }
    }

    /// Random bytes and the time; test vectors fix them.
    struct Freshness: Sendable {
        /// 8 bytes.
        let nonce: [UInt8]
        /// 100 nanoseconds since 1601, for servers that do not send the time.
        let time: UInt64

        static func now() -> Freshness {
            var random = SystemRandomNumberGenerator()
            return Freshness(
                nonce: (0..<8).map { _ in UInt8.random(in: 0...255, using: &random) }, time: currentTime)
        }

        /// 100 nanoseconds since 1601.
        static var currentTime: UInt64 {
            let now = SystemClock.now
            let from1601To1970: UInt64 = 11_644_473_600
            return (now.seconds &+ from1601To1970) &* 10_000_000 &+ now.nanoseconds / 100
        }
    }

    private static let flags: NTLMChallenge.Flags = [
        .unicode, .requestTarget, .sign, .ntlm, .alwaysSign, .extendedSessionSecurity, .targetInfo,
    ]

    /// The first message. It contains nothing about the user.
    package static let negotiation: [UInt8] =
        NTLMChallenge.signature + UInt32(1).littleEndianBytes + flags.rawValue.littleEndianBytes
        + [UInt8](repeating: 0, count: 16)

    /// More than any directory allows, and less than the length fields of a message can express.
    private static let longest = 1_024

    /// Refuses values that do not fit into a message.
    static func check(
        _ account: Credentials.Account, in space: ProtectionSpace
    ) throws(AuthenticationError) {
        guard [account.user, account.domain, account.password].allSatisfy({ $0.utf16.count <= longest }) else {
            throw .init(
                .invalidCredentials,
                "The user name, the domain or the password for \(space) is longer than \(longest) characters, which NTLM and Negotiate cannot carry.",
                space: space)
        }
    }

    /// The last message, and the key of the session that it opens.
    ///
    /// - Parameters:
    ///   - service: the principal of the service, for example `HTTP/host.example`.
    ///   - channelBinding: the channel binding of RFC 5929, with its prefix; nil without TLS.
    static func authentication(
        _ account: Account, for challenge: NTLMChallenge, service: String, channelBinding: [UInt8]?,
        _ freshness: Freshness
    ) -> (message: [UInt8], session: Session) {
        let key = responseKey(account)
        let serverTime = challenge.value(NTLMChallenge.Pair.timestamp)
        // §3.1.5.1.2: the message repeats the server's pairs and adds the client's.
        var pairs = challenge.pairs.filter {
            ![NTLMChallenge.Pair.flags, NTLMChallenge.Pair.targetName, NTLMChallenge.Pair.channelBindings].contains(
                $0.id)
        }
        if serverTime != nil {
            let flags = challenge.value(NTLMChallenge.Pair.flags) ?? [0, 0, 0, 0]
            // Bit 1: the message contains a code over all messages.
            let marked = [(flags.first ?? 0) | 2] + flags.dropFirst()
            pairs.append(.init(id: NTLMChallenge.Pair.flags, value: marked))
        }
        let binding = channelBinding.map(channelBindingHash) ?? [UInt8](repeating: 0, count: 16)
        pairs.append(.init(id: NTLMChallenge.Pair.channelBindings, value: binding))
        pairs.append(.init(id: NTLMChallenge.Pair.targetName, value: service.utf16LittleEndian))
        let information: [UInt8] = pairs.flatMap(\.bytes) + [0, 0, 0, 0]
        let response = response(
            key, challenge.nonce, freshness.nonce, time: serverTime ?? freshness.time.littleEndianBytes, information)
        // §3.1.5.1.2: when the server sends its time, the client sends no response of the old kind.
        let old =
            serverTime != nil
            ? [UInt8](repeating: 0, count: 24)
            : code(key, challenge.nonce + freshness.nonce) + freshness.nonce
        let session = Session(key: code(key, response.proof))
        let message = message(
            old, response.all, account, flags: challenge.flags.intersection(flags),
            sessionKey: session.key, hasCode: serverTime != nil, challenge: challenge)
        return (message, session)
    }

    /// The key for signatures of both sides, since no other key was exchanged (§3.4).
    struct Session: Sendable {
        fileprivate let key: [UInt8]

        /// The signature of a first message (§3.4.4.2).
        func signature(of message: [UInt8], toServer: Bool) -> [UInt8] {
            let direction = toServer ? "client-to-server" : "server-to-client"
            let magic = Array("session key to \(direction) signing key magic constant\0".utf8)
            let signingKey = Array(Insecure.MD5.hash(data: key + magic))
            let sequence = UInt32(0).littleEndianBytes
            return UInt32(1).littleEndianBytes + NTLMClient.code(signingKey, sequence + message).prefix(8) + sequence
        }
    }

    /// NTOWFv2 of §3.3.2.
    static func responseKey(_ account: Account) -> [UInt8] {
        code(
            MD4.hash(account.password.utf16LittleEndian),
            (account.user.uppercased() + account.domain).utf16LittleEndian)
    }

    /// NTProofStr and the whole response of §3.3.2.
    static func response(
        _ key: [UInt8], _ serverNonce: [UInt8], _ clientNonce: [UInt8], time: [UInt8], _ information: [UInt8]
    ) -> (proof: [UInt8], all: [UInt8]) {
        let zeros = [UInt8](repeating: 0, count: 6)
        let temporary = [1, 1] + zeros + time + clientNonce + zeros.prefix(4) + information + zeros.prefix(4)
        let proof = code(key, serverNonce + temporary)
        return (proof, proof + temporary)
    }

    static func code(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        Array(HMAC<Insecure.MD5>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }

    /// MD5 over a `gss_channel_bindings_struct` without addresses (§2.2.2.1, RFC 2744 §3.11).
    static func channelBindingHash(_ binding: [UInt8]) -> [UInt8] {
        let structure =
            [UInt8](repeating: 0, count: 16) + UInt32(truncatingIfNeeded: binding.count).littleEndianBytes + binding
        return Array(Insecure.MD5.hash(data: structure))
    }

    /// The AUTHENTICATE_MESSAGE (§2.2.1.3), with its code over all three messages.
    private static func message(
        _ old: [UInt8], _ response: [UInt8], _ account: Account, flags: NTLMChallenge.Flags, sessionKey: [UInt8],
        hasCode: Bool, challenge: NTLMChallenge
    ) -> [UInt8] {
        let parts = [old, response, account.domain.utf16LittleEndian, account.user.utf16LittleEndian, [], []]
        let headLength = 88
        var head = NTLMChallenge.signature + UInt32(3).littleEndianBytes
        var offset = headLength
        for part in parts {
            let length = UInt16(truncatingIfNeeded: part.count).littleEndianBytes
            head += length + length + UInt32(truncatingIfNeeded: offset).littleEndianBytes
            offset += part.count
        }
        head += flags.rawValue.littleEndianBytes + [UInt8](repeating: 0, count: 8)
        let payload = parts.flatMap { $0 }
        let empty = [UInt8](repeating: 0, count: 16)
        guard hasCode else { return head + empty + payload }
        let all = negotiation + challenge.bytes + head + empty + payload
        return head + code(sessionKey, all) + payload
    }
}

extension NTLMClient.Account: CustomStringConvertible, CustomReflectable {
    package var description: String { "the account “\(domain.isEmpty ? user : "\(domain)\\\(user)")”" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension NTLMClient.Session: CustomStringConvertible, CustomReflectable {
    var description: String { "a session" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension String {
    var utf16LittleEndian: [UInt8] { utf16.flatMap(\.littleEndianBytes) }
}

/// The server's side of NTLM version 2, for one account (MS-NLMP §3.2.5.1), to test clients. It accepts no older version, and checks
/// neither the code over all messages (MIC) nor channel bindings.
package struct NTLMServer: Sendable {
    /// The message to send to the client.
    package let challenge: [UInt8]
    private let nonce: [UInt8]

    /// Makes a challenge for a client's first message.
    ///
    /// - Parameters:
    ///   - negotiation: the first message of the client.
    ///   - domain: names the server's domain to the client.
    /// - Returns: nil for bytes that are not such a message.
    package init?(answering negotiation: [UInt8], domain: String) {
        var random = SystemRandomNumberGenerator()
        self.init(
            answering: negotiation, domain: domain,
            nonce: (0..<8).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    init?(answering negotiation: [UInt8], domain: String, nonce: [UInt8]) {
        guard negotiation.starts(with: NTLMChallenge.signature), NTLMChallenge.number(negotiation, at: 8, of: 4) == 1,
            let asked = NTLMChallenge.number(negotiation, at: 12, of: 4)
        else { return nil }
        let wanted = NTLMChallenge.Flags(rawValue: UInt32(truncatingIfNeeded: asked))
        let optional: NTLMChallenge.Flags = [.sign, .key128, .key56]
        let flags: NTLMChallenge.Flags = wanted.intersection(optional).union([
            .unicode, .requestTarget, .ntlm, .alwaysSign, .extendedSessionSecurity, .targetInfo, .targetIsDomain,
        ])
        let name = domain.utf16LittleEndian
        let pairs = [
            NTLMChallenge.Pair(id: NTLMChallenge.Pair.domainName, value: name),
            .init(id: NTLMChallenge.Pair.timestamp, value: NTLMClient.Freshness.currentTime.littleEndianBytes),
        ]
        let information: [UInt8] = pairs.flatMap(\.bytes) + [0, 0, 0, 0]
        let headLength = 48
        func field(_ count: Int, at offset: Int) -> [UInt8] {
            let length = UInt16(truncatingIfNeeded: count).littleEndianBytes
            return length + length + UInt32(truncatingIfNeeded: offset).littleEndianBytes
        }
        challenge =
            NTLMChallenge.signature + UInt32(2).littleEndianBytes + field(name.count, at: headLength)
            + flags.rawValue.littleEndianBytes + nonce + [UInt8](repeating: 0, count: 8)
            + field(information.count, at: headLength + name.count) + name + information
        self.nonce = nonce
    }

    /// Why a client's last message does not prove the account.
    package struct Refusal: Error, Sendable, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// Checks a client's last message.
    ///
    /// - Parameter account: its domain may be empty: then the client may name any.
    package func check(_ message: [UInt8], for account: NTLMClient.Account) throws(Refusal) {
        guard message.starts(with: NTLMChallenge.signature), NTLMChallenge.number(message, at: 8, of: 4) == 3 else {
            throw Refusal(description: "they are no last message of NTLM")
        }
        func part(at offset: Int) -> [UInt8]? {
            guard let count = NTLMChallenge.number(message, at: offset, of: 2),
                let place = NTLMChallenge.number(message, at: offset + 4, of: 4)
            else { return nil }
            return NTLMChallenge.bytes(message, at: place, count: count)
        }
        guard let response = part(at: 20), let domain = part(at: 28), let user = part(at: 36),
            domain.count.isMultiple(of: 2), user.count.isMultiple(of: 2)
        else { throw Refusal(description: "their message is damaged") }
        // A response of version 1 has 24 bytes.
        guard response.count >= 16 + 28, response[16] == 1, response[17] == 1 else {
            throw Refusal(description: "they are of version 1 of NTLM")
        }
        let (name, place) = (Self.text(user), Self.text(domain))
        let isUser = name.lowercased() == account.user.lowercased()
        let isDomain = account.domain.isEmpty || place.lowercased() == account.domain.lowercased()
        let key = NTLMClient.responseKey(account.named(user: name, domain: place))
        let proof = NTLMClient.code(key, nonce + response.dropFirst(16))
        let isProved = ConstantTime.equal(Array(response.prefix(16)), proof)
        guard isUser else { throw Refusal(description: "they name another user") }
        guard isDomain else { throw Refusal(description: "they name another domain") }
        guard isProved else { throw Refusal(description: "their password is wrong") }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
        return String(decoding: units, as: UTF16.self)
    }
}

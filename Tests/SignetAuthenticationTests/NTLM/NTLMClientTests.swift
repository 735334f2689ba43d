import Testing

@testable import SignetAuthentication

/// The values of MS-NLMP §4.2.4, and what no server may say.
@Suite struct NTLMClientTests {
    private let space = ProtectionSpace(scheme: "https", host: "h.example", port: 443, realm: "")
    private let account = NTLMClient.Account(user: "User", domain: "Domain", password: "Password")
    private let nonce: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF]
    private let ours = [UInt8](repeating: 0xAA, count: 8)

    private func bytes(_ digits: String) throws -> [UInt8] {
        let characters = Array(digits.filter { !$0.isWhitespace })
        return try stride(from: 0, to: characters.count, by: 2).map {
            try #require(UInt8(String(characters[$0..<$0 + 2]), radix: 16))
        }
    }

    private func pair(_ id: UInt16, _ value: [UInt8]) -> [UInt8] {
        id.littleEndianBytes + UInt16(value.count).littleEndianBytes + value
    }

    /// A challenge as a server writes it.
    private func challenge(
        flags: UInt32 = 0xE28A_8233, _ information: [UInt8], type: UInt32 = 2, offset: UInt32 = 56
    ) -> [UInt8] {
        NTLMChallenge.signature + type.littleEndianBytes + [UInt8](repeating: 0, count: 8) + flags.littleEndianBytes
            + nonce + [UInt8](repeating: 0, count: 8)
            + UInt16(information.count).littleEndianBytes + UInt16(information.count).littleEndianBytes
            + offset.littleEndianBytes + [UInt8](repeating: 0, count: 8) + information
    }

    @Test func theResponseMatchesTheStandardsExample() throws {
        let key = NTLMClient.responseKey(account)
        #expect(try key == bytes("0c868a403bfd7a93a3001ef22ef02e3f"))
        let information = try bytes("02000c0044006f006d00610069006e0001000c0053006500720076006500720000000000")
        let (proof, all) = NTLMClient.response(
            key, nonce, ours, time: [UInt8](repeating: 0, count: 8), information)
        #expect(try proof == bytes("68cd0ab851e51c96aabc927bebef6a1c"))
        #expect(all.starts(with: proof) && all.count == 16 + 28 + information.count + 4)
        #expect(try NTLMClient.code(key, proof) == bytes("8de40ccadbc14a82f15cb0ad0de95ca3"))
        #expect(try NTLMClient.code(key, nonce + ours) == bytes("86c35097ac9cec102554764a57cccc19"))
    }

    @Test(arguments: [
        ("", "31d6cfe0d16ae931b73c59d7e0c089c0"), ("a", "bde52cb31de33e46245e05fbdbd6fb24"),
        ("abc", "a448017aaf21d8525fc10ae87aa6729d"), ("message digest", "d9130a8164549fe818874806e1c7014b"),
        ("abcdefghijklmnopqrstuvwxyz", "d79e1c308aa5bbcdeea8ed63df412da9"),
        (
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "043f8582f241db351ce627e153e7f0e4"
        ),
        (
            "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
            "e33b4ddc9c38f2199c3e7b164fcc0536"
        ),
    ])
    func md4(text: String, hash: String) throws {
        // RFC 1320 §A.5.
        #expect(try MD4.hash(Array(text.utf8)) == bytes(hash))
    }

    @Test func theResponseEndsWithACodeOverAllMessages() throws {
        let time = try bytes("0090d336b734c301")
        let information = pair(2, "Domain".utf16LittleEndian) + pair(7, time) + pair(0, [])
        let read = try NTLMChallenge(challenge(information), space: space)
        let message = NTLMClient.authentication(
            account, for: read, service: "HTTP/h.example", channelBinding: Array("tls-server-end-point:x".utf8),
            .init(nonce: ours, time: 1)
        ).message
        func field(_ number: Int) -> [UInt8] {
            let place = 12 + number * 8
            let length = Int(message[place]) | Int(message[place + 1]) << 8
            let offset = Int(message[place + 4]) | Int(message[place + 5]) << 8
            return Array(message[offset..<offset + length])
        }
        #expect(field(0) == [UInt8](repeating: 0, count: 24))
        #expect(field(2) == "Domain".utf16LittleEndian)
        #expect(field(3) == "User".utf16LittleEndian)
        let key = NTLMClient.responseKey(account)
        let response = field(1)
        #expect(NTLMClient.code(key, nonce + response.dropFirst(16)) == Array(response.prefix(16)))
        // The server's time, and not the client's.
        #expect(Array(response[24..<32]) == time)
        let sent = Array(response.dropFirst(16 + 28))
        #expect(sent.starts(with: pair(2, "Domain".utf16LittleEndian) + pair(7, time) + pair(6, [2, 0, 0, 0])))
        var empty = message
        empty.replaceSubrange(72..<88, with: [UInt8](repeating: 0, count: 16))
        let code = NTLMClient.code(
            NTLMClient.code(key, Array(response.prefix(16))),
            NTLMClient.negotiation + challenge(information) + empty)
        #expect(Array(message[72..<88]) == code)
    }

    @Test func malformedChallengesAreRefused() throws {
        let good = pair(2, [1, 0]) + pair(0, [])
        for broken in [
            [], Array("NTLMSSP".utf8), Array(challenge(good).prefix(40)), challenge(good, type: 1),
            challenge(good, type: 3), challenge(good, offset: 1_000), challenge(good, offset: .max),
            challenge(pair(2, [1, 0])), challenge(Array(good.dropLast())), challenge([2, 0, 0xFF, 0xFF]),
            // Version 1, and what is not Unicode.
            challenge(flags: 0x0000_0201, good), challenge(flags: 0x0080_0202, good),
            challenge(good) + [UInt8](repeating: 0, count: 20_000),
        ] {
            #expect(throws: AuthenticationError(.malformedChallenge, "")) { try NTLMChallenge(broken, space: space) }
        }
    }

    @Test func nothingSecretIsShown() {
        var text = "\(account)"
        dump(account, to: &text)
        #expect(!text.contains("Password"))
    }

    @Test func tooLongUserAndDomainNamesAreNotSent() async throws {
        for account in [
            Credentials.account(user: String(repeating: "u", count: 1_025), password: "p"),
            .account(user: "u", password: "p", domain: String(repeating: "d", count: 70_000)),
        ] {
            var policy = AuthenticationPolicy(credentials: .fixed(account))
            policy.schemes = [.ntlm]
            policy.ntlmHosts = ["h"]
            let session = AuthenticationSession(policy)
            var exchange = try session.begin(scheme: "https", host: "h", port: 443)
            let error = await #expect(throws: AuthenticationError.self) {
                try await session.challenged(&exchange, status: 401, fields: ["NTLM"])
            }
            #expect(error?.code == .invalidCredentials)
            session.finish(&exchange, status: nil)
        }
    }
}

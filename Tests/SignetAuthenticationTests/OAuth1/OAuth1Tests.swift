import Testing

@testable import SignetAuthentication

/// RFC 5849.
@Suite struct OAuth1Tests {
    private let freshness = OAuth1Consumer.Freshness(nonce: "kllo9940pd9333jh", time: 1_191_242_096)

    /// Made for these tests with `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048`.
    private static let rsaKey = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCUN+dZRYzvX349
        RMd+SjKPESH76p8egbKFPXgyzrdkuLcQKStH0HAmtxCUPV+Mt7zyOPBQ5o6aDZNb
        GiltizCnNgk9VAIHp6qYPcBZ7UiIaLRw37Hg3Dc7wFJ85pcya5q6LVvlmxsiuwIp
        oipFJbM+NBwQ/tdeje6FKpUsL6gtTiiEqyY3bWBAwfO5aNzAzAqkvXlFtx9/xH/N
        G4QWJJ6TGaEr/eb1Br5NgM1j7rRfdmeIRp+j7tmb0Om272Ged/HDXVgAlHzfw1aO
        /KH9hICOdA9g0v0VlLMraL1sWXwB+PfLlOb1ZamOzt+ywvSnpWBtpgC3U6BUX2yZ
        eChjOJ4nAgMBAAECggEAAdOEgrmUKHjlPc0Epj40zEV6RTfZWQ9hCzo8KmgYo2GR
        Q941/c8IKrnzttfgvwOejN99uol0tVo4eBVk8EgYQ98rEvnfgoei1vhfz9vYGnIr
        0v42m14rQg23Fnni4AiqYePgL36PQYjLWIb6fVqfEEOlGuKA9dXK3BIvv1kg+dnp
        YCYv3nPM2tu/O9xGyyHE15TJRw2ktzbwCi48LhcSyjtsXK98GhTAELMT11vsDDEw
        9I37FCIPB9h4ZVKLkC0vWFMwfv9JTdqbVdJgDAnAzNViSiOnTJgAu9G4TMKIZAiA
        1fFQwXwj7rOCRvSLgoMwRyp3v5hVKXFpKCHOaihW+QKBgQDN4GCqeo/Ubu2KussV
        LG7Bd4s8pmN2Lhh89tTn62OilpRECCVY2CJ6TFpA/WCLCHYPULnrxxeh36Ta+NS1
        /8Yi/ufGlaeJZDeX7r7IdDgnA06J+D2xfzwCY4iL8W6R+D5Kh7uFPfjtJW4M6Xhe
        c9JCjLSXvMambwhr6nAI03THHwKBgQC4TeGKmAlbbDCi0W/DAvzCVCZknmaZCX/d
        Er2yuzz68D9t6HOmL6SnucYotyfKgyaogW/4JWWC5qdODiwkp34gFPkw+2aYIlSu
        KcPV6wGVHgfXCS0DOf7eLBI+9dGpqRG+Fax1mBJoxDmtY2xcfDPga+G+jmshmHAE
        KE59GKPv+QKBgQCvRFLnL3oc/ubJUSas+uu7Vrs5wekw5iNA153/ZtymwQyuMkUh
        Mrd/aFr5svuqwWRIu4/cUt0imNOu+2GTI5GZn2rQG/3KMIBHnx/aZV6cj+sf+C8F
        We1Ll1La2IoqSK03JACXeV/e/BuJcIVh27Zno4PnHfX8INCJlscULHjhPwKBgGGb
        9ahmLwZ5PSTuEOfSLDVrRc4iSiog6tQVudvv6DLqjF1UL/PC5cxiyj0EC5Hodc/m
        hXuBqspyCAeB4AUlo9mv4e38J3DJNdnriqk/xl3IQtSzKmC8FWxrINqxa/IT9a6b
        YfQBrzZHPljDAD/XE852tF8spDZtul2pTzBXnXNZAoGBAMIU2dK8Sxleso7+VnSz
        yL62BoprJafN9+a6iKRBPTsu8uxJQB5wBt1X9koDArJQGTQbgsrVHerdTVNa9Z69
        GYNxbNMmTcx4Ts2PonU2AQSbt259GbuSJSkpnRh/iB66IAcBdJ/hxwoyx836bPeA
        gCe8fZX//BeG1XpW4o3L3s/F
        -----END PRIVATE KEY-----
        """

    /// The same key in PKCS#1: PKCS#8 has 26 bytes before it.
    private static func rsaKeyOfItsOwn() throws -> String {
        let text = rsaKey.split(separator: "\n").dropFirst().dropLast().joined(separator: "")
        let bytes = try #require(Base64.decode(text))
        let inner = Base64.encode(Array(bytes.dropFirst(26)))
        let lines = stride(from: 0, to: inner.count, by: 64).map { String(inner.dropFirst($0).prefix(64)) }
        return (["-----BEGIN RSA PRIVATE KEY-----"] + lines + ["-----END RSA PRIVATE KEY-----", ""])
            .joined(separator: "\n")
    }

    private func parameters(_ field: String) throws -> [String: String] {
        let read = try #require(try Challenge.read([field]).first)
        #expect(read.isScheme("OAuth"))
        return Dictionary(uniqueKeysWithValues: read.parameters.map { ($0.name, $0.value) })
    }

    /// §1.2, second request: with the host as it stands there and the query of the third.
    @Test func theExampleOfTheStandard() throws {
        let consumer = OAuth1Consumer(
            key: "dpf43f3p2l4k3l03", secret: "kd94hf93k423kf44", token: "nnch734d00sl2jdk",
            tokenSecret: "pfkkdhi9sl3r4s00", signature: .hmacSHA1)
        let space = ProtectionSpace(scheme: "http", host: "photos.example.net", port: 80, realm: "Photos")
        let request = AuthenticationRequest(
            method: "GET", target: "/photos?file=vacation.jpg&size=original", content: [])
        let field = try consumer.authorization(
            for: request, at: space, .init(nonce: "chapoH", time: 137_131_202))
        let parameters = try parameters(field)
        // The example leaves out oauth_version, which is then not signed: the base string is compared in the next test.
        #expect(parameters["realm"] == "Photos")
        #expect(parameters["oauth_consumer_key"] == "dpf43f3p2l4k3l03")
        #expect(parameters["oauth_timestamp"] == "137131202")
        #expect(parameters["oauth_nonce"] == "chapoH")
    }

    /// §3.4.1.1
    @Test func theBaseStringOfTheStandard() {
        var request = AuthenticationRequest(
            method: "POST", target: "/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b", content: Array("c2&a3=2+q".utf8))
        request.isForm = true
        let space = ProtectionSpace(scheme: "http", host: "example.com", port: 80, realm: "Example")
        let base = OAuth1Consumer.baseString(
            for: request, at: space,
            [
                ("oauth_consumer_key", "9djdj82h48djs9d2"), ("oauth_token", "kkk9d7dh3k39sjv7"),
                ("oauth_signature_method", "HMAC-SHA1"), ("oauth_timestamp", "137131201"),
                ("oauth_nonce", "7d8f3e4a"),
            ])
        #expect(
            base
                == "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7"
        )
    }

    /// OAuth Core 1.0a, appendix A.5: the signature that all implementations are tried with.
    @Test func theSignatureOfTheFirstEdition() throws {
        let consumer = OAuth1Consumer(
            key: "dpf43f3p2l4k3l03", secret: "kd94hf93k423kf44", token: "nnch734d00sl2jdk",
            tokenSecret: "pfkkdhi9sl3r4s00", signature: .hmacSHA1)
        let space = ProtectionSpace(scheme: "http", host: "photos.example.net", port: 80, realm: "")
        for target in ["/photos?file=vacation.jpg&size=original", "/photos?size=original&file=vacation.jpg"] {
            let request = AuthenticationRequest(method: "get", target: target, content: [])
            let field = try consumer.authorization(for: request, at: space, freshness)
            #expect(try parameters(field)["oauth_signature"] == "tR3%2BTy81lMeYAr%2FFid0kMTYa%2FWM%3D")
        }
    }

    /// §1.2, the second and the third request, which are signed without oauth_version. HMAC-SHA1 over these texts gives
    /// the signatures of the standard, gKgrFCywp7rO0OXSjdot/IHF7IU= and MdpQcU8iPSUjWoN/UDMsK2sui9I=.
    @Test func theBaseStringsOfTheExamples() {
        let token = OAuth1Consumer.baseString(
            for: .init(method: "POST", target: "/token", content: []),
            at: ProtectionSpace(scheme: "https", host: "photos.example.net", port: 443, realm: "Photos"),
            [
                ("oauth_consumer_key", "dpf43f3p2l4k3l03"), ("oauth_token", "hh5s93j4hdidpola"),
                ("oauth_signature_method", "HMAC-SHA1"), ("oauth_timestamp", "137131201"),
                ("oauth_nonce", "walatlh"), ("oauth_verifier", "hfdp7dh39dks9884"),
            ])
        #expect(
            token
                == "POST&https%3A%2F%2Fphotos.example.net%2Ftoken&oauth_consumer_key%3Ddpf43f3p2l4k3l03%26oauth_nonce%3Dwalatlh%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dhh5s93j4hdidpola%26oauth_verifier%3Dhfdp7dh39dks9884"
        )
        let photos = OAuth1Consumer.baseString(
            for: .init(method: "GET", target: "/photos?file=vacation.jpg&size=original", content: []),
            at: ProtectionSpace(scheme: "http", host: "photos.example.net", port: 80, realm: "Photos"),
            [
                ("oauth_consumer_key", "dpf43f3p2l4k3l03"), ("oauth_token", "nnch734d00sl2jdk"),
                ("oauth_signature_method", "HMAC-SHA1"), ("oauth_timestamp", "137131202"),
                ("oauth_nonce", "chapoH"),
            ])
        #expect(
            photos
                == "GET&http%3A%2F%2Fphotos.example.net%2Fphotos&file%3Dvacation.jpg%26oauth_consumer_key%3Ddpf43f3p2l4k3l03%26oauth_nonce%3DchapoH%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131202%26oauth_token%3Dnnch734d00sl2jdk%26size%3Doriginal"
        )
    }

    /// The request of the first edition, signed otherwise: openssl dgst -sha256 -hmac
    /// 'kd94hf93k423kf44&pfkkdhi9sl3r4s00'.
    @Test func theSignatureWithSHA256() throws {
        let consumer = OAuth1Consumer(
            key: "dpf43f3p2l4k3l03", secret: "kd94hf93k423kf44", token: "nnch734d00sl2jdk",
            tokenSecret: "pfkkdhi9sl3r4s00", signature: .hmacSHA256)
        let space = ProtectionSpace(scheme: "http", host: "photos.example.net", port: 80, realm: "")
        let request = AuthenticationRequest(
            method: "GET", target: "/photos?file=vacation.jpg&size=original", content: [])
        let read = try parameters(try consumer.authorization(for: request, at: space, freshness))
        #expect(read["oauth_signature_method"] == "HMAC-SHA256")
        #expect(
            read["oauth_signature"] == "WVPzl1j6ZsnkIjWr7e3OZ3jkenL57KwaLFhYsroX1hg=".percentEncoded)
    }

    /// And with a key: openssl dgst -sha1 -sign. The padding of PKCS#1 leaves nothing to chance, and no secret is part
    /// of it.
    @Test(arguments: [false, true], ["", "s"]) func theSignatureWithAKey(isPKCS1: Bool, secret: String) throws {
        let pem = try isPKCS1 ? Self.rsaKeyOfItsOwn() : Self.rsaKey
        let consumer = OAuth1Consumer(
            key: "dpf43f3p2l4k3l03", secret: secret, token: "nnch734d00sl2jdk", tokenSecret: secret,
            signature: .rsaSHA1(privateKey: pem))
        let space = ProtectionSpace(scheme: "http", host: "photos.example.net", port: 80, realm: "")
        let request = AuthenticationRequest(
            method: "GET", target: "/photos?file=vacation.jpg&size=original", content: [])
        let read = try parameters(try consumer.authorization(for: request, at: space, freshness))
        #expect(read["oauth_signature_method"] == "RSA-SHA1")
        let expected = [
            "YKq4yJIIxggI4p/ORNQ1kP/zFocvV0FmTyl97X6M+HPdKDEsuWbsC1RXy64BCpJM4sdKZvql+lj+q/ol7DMslkUCsE5avz7V6x0V",
            "yks2/DDfeLpuepgyROL4xhtzD8uCx7npGNyQYstzDPpFhzGlamvcbidrtKVcS5PN0qTIY1QllZTDXnPgeYUuUBad4lQcir1uJUDD",
            "POZflyKjzNAB7cBQ5CCQtKNRJWz4jJ1edKELq3D5R7FnCmq4NJjevnglcPQ5+JExnjhExg++tgwfZ+h1QM9VInbSKOs4aU9gX3xi",
            "o3kWJugFPhPjOAHsymWrQ1V5yyiVRKKLwW7X2M7nKw==",
        ].joined(separator: "")
        #expect(read["oauth_signature"] == expected.percentEncoded)
    }

    @Test func plaintextOverTLSOnly() throws {
        let consumer = OAuth1Consumer(key: "k", secret: "a&b", tokenSecret: "c d", signature: .plaintext)
        let request = AuthenticationRequest(method: "POST", target: "/", content: [])
        let secure = ProtectionSpace(scheme: "https", host: "h", port: 443, realm: "")
        let field = try parameters(try consumer.authorization(for: request, at: secure))
        #expect(field["oauth_signature"] == "a%2526b%26c%2520d")
        #expect(field["oauth_nonce"] == nil)
        let plain = ProtectionSpace(scheme: "http", host: "h", port: 80, realm: "")
        #expect(throws: AuthenticationError.self) { try consumer.authorization(for: request, at: plain) }
    }

    @Test func anInvalidPrivateKeyIsReportedWithoutItsText() {
        let consumer = OAuth1Consumer(key: "k", secret: "", signature: .rsaSHA1(privateKey: "canary"))
        let space = ProtectionSpace(scheme: "https", host: "h", port: 443, realm: "")
        let error = #expect(throws: AuthenticationError.self) {
            try consumer.authorization(for: .init(method: "POST", target: "/", content: []), at: space)
        }
        #expect(error?.code == .invalidCredentials)
        #expect(error?.message.contains("canary") == false)
    }

    /// A request is signed each time it is sent, with another nonce.
    @Test func eachRequestHasItsOwnNonce() async throws {
        let session = AuthenticationSession(
            .init(credentials: .fixed(.consumer(.init(key: "k", secret: "s"))), sendsWithoutChallenge: true))
        var nonces: Set<String> = []
        for _ in 0..<20 {
            var exchange = try session.begin(scheme: "https", host: "h", port: 443, path: "/")
            if exchange.needsPreparation { try await session.prepare(&exchange) }
            let field = try await session.authorization(
                &exchange, for: .init(method: "POST", target: "/", content: []), over: .any)
            let written = try #require(field)
            let nonce = try parameters(written)["oauth_nonce"]
            nonces.insert(try #require(nonce))
            session.finish(&exchange, status: 200)
        }
        #expect(nonces.count == 20)
    }
}

import Testing

@testable import SignetAuthentication

@Suite struct DigestKeyTests {
    private let space = ProtectionSpace(scheme: "https", host: "api.example.org", port: 443, realm: "")

    private func challenge(_ field: String) throws -> DigestChallenge {
        let read = try #require(try Challenge.read([field]).first)
        return try #require(try DigestChallenge(read, space: space))
    }

    /// The parameters that answer a challenge, without quotes.
    private func answer(
        _ field: String, user: String, password: String, cnonce: String, method: String = "GET", target: String,
        content: String = ""
    ) throws -> [String: String] {
        var key = DigestKey(.account(user: user, password: password), for: try challenge(field), cnonce: cnonce)
        let written = key.authorization(for: .init(method: method, target: target, content: Array(content.utf8))).field
        let read = try #require(try Challenge.read([written]).first)
        #expect(read.isScheme("Digest"))
        return Dictionary(uniqueKeysWithValues: read.parameters.map { ($0.name, $0.value) })
    }

    /// RFC 2617 §3.5, RFC 7616 §3.9.1.
    @Test(arguments: [
        (
            "", "testrealm@host.com", "Circle Of Life", "dcd98b7102dd2f0e8b11d0f600bfb0c093", "0a4f113b",
            "6629fae49393a05397450978507c4ef1"
        ),
        (
            ", algorithm=MD5", "http-auth@example.org", "Circle of Life",
            "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
            "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "8ca523f5e9506fed4657c9700eebdbec"
        ),
        (
            ", algorithm=SHA-256", "http-auth@example.org", "Circle of Life",
            "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
            "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
        ),
    ])
    func answersTheExamplesOfTheStandards(
        algorithm: String, realm: String, password: String, nonce: String, cnonce: String, response: String
    ) throws {
        let answer = try answer(
            "Digest realm=\"\(realm)\", qop=\"auth, auth-int\", nonce=\"\(nonce)\", opaque=\"5ccc\"\(algorithm)",
            user: "Mufasa", password: password, cnonce: cnonce, target: "/dir/index.html")
        #expect(answer["response"] == response)
        #expect(answer["nc"] == "00000001")
        #expect(answer["qop"] == "auth")
        #expect(answer["opaque"] == "5ccc")
        #expect(answer["username"] == "Mufasa")
    }

    /// RFC 7616 §3.9.2, whose values come from another function than the one that it names: erratum 4897 has the right
    /// ones.
    @Test func theUserNameIsHashedWhenOffered() throws {
        let answer = try answer(
            #"Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", charset=UTF-8, userhash=true"#,
            user: "Jäsøn Doe", password: "Secret, or not?", cnonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v",
            target: "/doe.json")
        #expect(answer["username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
        #expect(answer["userhash"] == "true")
        #expect(answer["response"] == "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5")
    }

    @Test func namesThatAreNotASCIIAreExtended() throws {
        let answer = try answer(
            #"Digest realm="r", qop=auth, nonce="n""#, user: "Jäger €", password: "x", cnonce: "c", target: "/")
        #expect(answer["username"] == nil)
        #expect(answer["username*"] == "UTF-8''J%C3%A4ger%20%E2%82%AC")
    }

    @Test func specialCharactersAreQuoted() throws {
        let answer = try answer(
            #"Digest realm="a \"b\" \\c", qop=auth, nonce="n\\\"", opaque="\"""#, user: #"Do\main"#, password: "x",
            cnonce: "c", target: #"/a"b"#)
        #expect(answer["realm"] == #"a "b" \c"#)
        #expect(answer["nonce"] == #"n\""#)
        #expect(answer["opaque"] == #"""#)
        #expect(answer["username"] == #"Do\main"#)
        #expect(answer["uri"] == #"/a"b"#)
    }

    @Test(arguments: [
        (#"Digest realm="r", nonce="n", algorithm=SHA-3"#, false),
        (#"Digest realm="r", nonce="n", qop=auth-conf"#, false),
        (#"Digest realm="r", nonce="n", qop="auth-conf,AUTH""#, true), (#"Digest realm="r", nonce="n""#, true),
        (#"Digest realm="r", nonce="n", algorithm="sha-256-SESS""#, true),
    ])
    func challengesWithUnknownAlgorithmOrQopAreNotRead(field: String, isKnown: Bool) throws {
        let challenge = try #require(try Challenge.read([field]).first)
        #expect(try (DigestChallenge(challenge, space: space) != nil) == isKnown)
    }

    @Test(arguments: [#"Digest nonce="n""#, #"Digest realm="r""#, "Digest abcd=", "Digest"])
    func challengesWithoutRealmOrNonceAreRefused(field: String) throws {
        let challenge = try #require(try Challenge.read([field]).first)
        #expect(throws: AuthenticationError(.malformedChallenge, "")) { try DigestChallenge(challenge, space: space) }
    }

    @Test func theNonceCountRestartsWithAnotherNonce() throws {
        let challenge = try challenge(#"Digest realm="r", nonce="n", qop=auth"#)
        var key = DigestKey(.account(user: "u", password: "p"), for: challenge, cnonce: "c")
        var fields: [String] = []
        for _ in 0..<17 { fields.append(key.authorization(for: .init(method: "GET", target: "/", content: [])).field) }
        #expect(fields.last?.contains("nc=00000011") == true)
        #expect(Set(fields).count == 17)
        key.use(nonce: "n", cnonce: "another")
        #expect(key.authorization(for: .init(method: "GET", target: "/", content: [])).field.contains("nc=00000012"))
        key.use(nonce: "m", cnonce: "another")
        let next = key.authorization(for: .init(method: "GET", target: "/", content: [])).field
        #expect(next.contains("nc=00000001") && next.contains("nonce=\"m\""))
        #expect(!"\(key)".contains("p\"") && Mirror(reflecting: key).children.isEmpty)
    }

    @Test func theContentIsHashedWhenOnlyAuthIntIsOffered() throws {
        func response(_ qop: String, _ content: String) throws -> String? {
            try answer(
                "Digest realm=\"r\", nonce=\"n\", qop=\"\(qop)\"", user: "u", password: "p", cnonce: "c",
                method: "POST",
                target: "/", content: content)["response"]
        }
        #expect(try response("auth", "a") == response("auth", "b"))
        #expect(try response("auth,auth-int", "a") == response("auth", "b"))
        #expect(try response("auth-int", "a") != response("auth-int", "b"))
    }

    @Test func theServerProvesThatItKnowsThePassword() throws {
        let challenge = try challenge(#"Digest realm="r", nonce="n", qop=auth, algorithm=SHA-256"#)
        var key = DigestKey(.account(user: "u", password: "p"), for: challenge, cnonce: "c")
        let expectation = key.authorization(for: .init(method: "POST", target: "/x", content: [])).expectation
        let algorithm = DigestAlgorithm.sha256
        let right = algorithm.hash("\(algorithm.hash("u:r:p")):n:00000001:c:auth:\(algorithm.hash(":/x"))")
        func isProved(_ field: String) throws -> Bool? {
            expectation.isProved(by: try #require(try AuthenticationInformation([field])), content: [])
        }
        #expect(try isProved("rspauth=\"\(right)\", qop=auth, nc=00000001, cnonce=\"c\"") == true)
        #expect(try isProved("rspauth=\"\(right.uppercased())\"") == true)
        #expect(try isProved("rspauth=\"\(right)\", nc=00000002") == false)
        #expect(try isProved("rspauth=\"\(right)\", cnonce=\"d\"") == false)
        #expect(try isProved("rspauth=\"\(String(right.reversed()))\"") == false)
        #expect(try isProved("rspauth=\"\"") == false)
        #expect(try isProved("nextnonce=\"m\"") == nil)
    }

    @Test func sha512_256MatchesOtherImplementations() {
        // FIPS 180-4, and Python's hashlib.
        #expect(
            DigestAlgorithm.sha512_256.hash("abc")
                == "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23")
        for (length, expected) in Self.hashes {
            #expect(DigestAlgorithm.sha512_256.hash(String(repeating: "x", count: length)) == expected, "\(length)")
        }
    }

    /// SHA-512/256 of so many times `x`.
    private static let hashes: [(Int, String)] = [
        (0, "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
        (1, "6a1db6c1dd481f7aab2adb9c262b210edcca35624ec64c29ffca6857b1e30253"),
        (111, "79a6132b3c9df0f7dfcb5c9c3c663d829a6e7f1c26440afa4eb49cfef669c8ea"),
        (112, "5349e8f46fcc4e650fe93ee6cd1459ff00c27733cc6f86c1925ceef63bece149"),
        (127, "fdd3cc6eb81f7da2e82bce47b75ef26f881d7118e9d968baaefea61764d70a42"),
        (128, "6c0dfa95c650de7bb33dedd62fe0b0363f5deec77c582a216c7e33253f59a518"),
        (129, "32bfe612284b067af66790fc1f422108b4bcd670b698de913465b3e75a5c0078"),
        (239, "3627d7a2f2e67bb7923f57d4afe5c35c9aec7c8e0f0e536a26ad5bbd0bfaac66"),
        (240, "d26144396797444999c7cc520210ea92966e88ef1ff227009889ae5c081adf45"),
        (1000, "906942b77a1b72ae432c5b080a07af6a8f382f49f56abb935e24811a15285acf"),
    ]

    /// A mark that joins the quotation mark or the backslash before it makes another character of it for a reader of
    /// characters.
    @Test(arguments: ["a\"\u{308}, uri=x", "\\\u{308}", "\"\u{200D}", "\u{FFFD}\"\u{FE0F}\\"])
    func quotedValuesAreEscaped(text: String) throws {
        let escaped = text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }
        let joined = escaped.reduce(into: "") { $0.unicodeScalars.append(contentsOf: $1.unicodeScalars) }
        let answer = try answer(
            "Digest realm=\"\(joined)\", nonce=\"\(joined)\", opaque=\"\(joined)\", qop=\"auth\"", user: "u",
            password: "p",
            cnonce: "c", target: "/")
        for name in ["realm", "nonce", "opaque"] {
            #expect(answer[name].map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
        }
    }

    /// Answers overtake each other: a nonce is named again, and nothing counts twice.
    @Test func noCountIsUsedTwice() throws {
        let challenge = try challenge("Digest realm=\"r\", nonce=\"a\", qop=\"auth\"")
        var key = DigestKey(.account(user: "u", password: "p"), for: challenge, cnonce: "c0")
        var seen: Set<[String?]> = []
        for (number, nonce) in ["a", "b", "a", "b", "b", "c", "a"].enumerated() {
            key.use(nonce: nonce, cnonce: "c\(number + 1)")
            for _ in 0..<2 {
                let field = key.authorization(for: .init(method: "GET", target: "/", content: [])).field
                let read = try #require(try Challenge.read([field]).first)
                #expect(seen.insert([read["nonce"], read["nc"], read["cnonce"]]).inserted)
            }
        }
    }
}

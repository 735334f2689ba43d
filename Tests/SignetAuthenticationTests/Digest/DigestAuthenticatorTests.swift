import Testing

@testable import SignetAuthentication

/// The server's side of Digest, against the examples of RFC 7616 and against the client of this library.
@Suite struct DigestAuthenticatorTests {
    private static let realm = "http-auth@example.org"
    private static let target = "/dir/index.html"

    private func authenticator(
        _ realm: String = realm, _ algorithms: Set<DigestAlgorithm> = [.md5, .sha256]
    ) throws -> DigestAuthenticator { try DigestAuthenticator(realm: realm, algorithms: algorithms) }

    /// The credentials of RFC 7616 §3.9.1, one part of which may be replaced.
    private static func credentials(
        _ change: (String, String)? = nil, algorithm: String = "SHA-256",
        response: String = "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
    ) -> String {
        let text = """
            Digest username="Mufasa", realm="http-auth@example.org", uri="/dir/index.html", algorithm=\(algorithm), \
            nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", nc=00000001, \
            cnonce="f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", qop=auth, response="\(response)", \
            opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"
            """
        return change.map { text.replacing($0, with: $1) } ?? text
    }

    private func value(_ presented: DigestAuthenticator.Presented) throws -> DigestProof {
        guard case .value(let proof) = presented else {
            Issue.record("\(presented)")
            throw CancellationError()
        }
        return proof
    }

    @Test(arguments: [
        (DigestAlgorithm.sha256, "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
        (.md5, "8ca523f5e9506fed4657c9700eebdbec"),
    ]) func theExamplesOfTheStandardAreRight(algorithm: DigestAlgorithm, response: String) throws {
        let line = Self.credentials(algorithm: algorithm.rawValue, response: response)
        let proof = try value(try authenticator().read([line], method: "GET", target: Self.target))
        #expect(proof.user == "Mufasa" && proof.algorithm == algorithm && proof.count == "00000001")
        let secret = algorithm.hash("Mufasa:\(Self.realm):Circle of Life")
        #expect(proof.isRight(secret))
        #expect(!proof.isRight(algorithm.hash("Mufasa:\(Self.realm):Circle of life")))
        let other = try value(try authenticator().read([line], method: "POST", target: Self.target))
        #expect(!other.isRight(secret))
        #expect(!"\(proof) \(String(reflecting: proof))".contains(response))
    }

    @Test func withoutAnAlgorithmItIsMD5() throws {
        let line = Self.credentials((" algorithm=SHA-256,", ""), response: "8ca523f5e9506fed4657c9700eebdbec")
        let proof = try value(try authenticator().read([line], method: "GET", target: Self.target))
        #expect(proof.isRight(DigestAlgorithm.md5.hash("Mufasa:\(Self.realm):Circle of Life")))
        let presented = try authenticator(Self.realm, [.sha256]).read([line], method: "GET", target: Self.target)
        #expect(presented == .unusable("another algorithm of Digest than the challenge’s"))
    }

    @Test(arguments: [
        ("realm=\"http-auth@example.org\"", "realm=\"http-auth@example.com\"", "another realm"),
        ("realm=\"http-auth@example.org\", ", "", "without realm"), ("username=\"Mufasa\", ", "", "without username"),
        ("qop=auth,", "qop=auth-int,", "another qop"), ("qop=auth, ", "", "without qop"),
        ("nc=00000001", "nc=1", "8 hexadecimal digits"), ("nc=00000001", "nc=0000000g", "8 hexadecimal digits"),
        ("nc=00000001", "nc=00000000", "above zero"), ("nc=00000001", "nc=00000001, nc=00000002", "malformed"),
        ("cnonce=\"f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ\"", "cnonce=\"\"", "an empty cnonce"),
        ("cnonce=\"", "cnonce=\"\(String(repeating: "a", count: 1024))", "more than 1024 bytes"),
        ("nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", ", "", "without nonce"),
        ("uri=\"/dir/index.html\"", "uri=\"/dir/index.htm\"", "another request target"),
        ("uri=\"/dir/index.html\"", "uri=\"/dir/index.html?x\"", "another request target"),
        ("uri=\"/dir/index.html\"", "uri=\"https:///dir\"", "another request target"),
        ("algorithm=SHA-256", "algorithm=SHA-256-sess", "another algorithm"),
        ("algorithm=SHA-256", "algorithm=SHA-512-256", "another algorithm"),
        ("algorithm=SHA-256", "algorithm=SHA-256, userhash=true", "hash of the user"),
        ("username=\"Mufasa\"", "username=\"Mufasa\", username*=UTF-8''Scar", "beside a username"),
        ("username=\"Mufasa\"", "username*=UTF-8''%zz", "not UTF-8"),
        ("username=\"Mufasa\"", "username*=UTF-8''%4", "not UTF-8"),
        ("username=\"Mufasa\"", "username*=UTF-8''%ff", "not UTF-8"),
        ("username=\"Mufasa\"", "username*=ISO-8859-1''Mufasa", "not UTF-8"),
        ("username=\"Mufasa\"", "username*=Mufasa", "not UTF-8"), ("Digest ", "Basic ", "another scheme"),
        ("Digest username", "Digest abc, Digest username", "malformed"), ("response=", "response;", "malformed"),
    ]) func brokenCredentialsAreRefused(part: String, replacement: String, reason: String) throws {
        let line = Self.credentials((part, replacement))
        let presented = try authenticator().read([line], method: "GET", target: Self.target)
        guard case .unusable(let found) = presented else {
            Issue.record("\(presented)")
            return
        }
        #expect(found.contains(reason), "\(found)")
    }

    @Test func credentialsStandAlone() throws {
        let line = Self.credentials()
        #expect(try authenticator().read([], method: "GET", target: Self.target) == .nothing)
        #expect(
            try authenticator().read([line, line], method: "GET", target: Self.target)
                == .unusable("several Authorization fields"))
        // Some clients name the whole URI.
        let whole = Self.credentials(("uri=\"", "uri=\"https://example.org"))
        #expect(try value(try authenticator().read([whole], method: "GET", target: Self.target)).user == "Mufasa")
        let root = Self.credentials(("uri=\"/dir/index.html\"", "uri=\"HTTPS://example.org\""))
        #expect(try value(try authenticator().read([root], method: "GET", target: "/")).user == "Mufasa")
    }

    /// What the client of this library answers, for names and realms with all kinds of characters.
    @Test(arguments: DigestAlgorithm.allCases, ["Mufasa", "Jäsøn Doe", "a\"b\\c", "o'hara%41"])
    func theClientIsUnderstood(algorithm: DigestAlgorithm, user: String) throws {
        let realm = "Reports “\"1\"\\” and more"
        let authenticator = try authenticator(realm, [algorithm])
        let field = try #require(authenticator.challenges(nonce: "abc", isStale: false).first)
        let space = ProtectionSpace(scheme: "https", host: "api.example.org", port: 443, realm: "")
        let read = try #require(try Challenge.read([field]).first)
        let challenge = try #require(try DigestChallenge(read, space: space))
        #expect(challenge.realm == realm && challenge.protections == [.auth] && !challenge.isStale)
        var key = DigestKey(.account(user: user, password: "Secret, or not?"), for: challenge, cnonce: "q\"w")
        let secret = algorithm.hash("\(user):\(realm):Secret, or not?")
        for use in 1...2 {
            let (line, expectation) = key.authorization(
                for: .init(method: "POST", target: "/soap?x=1", content: Array("content".utf8)))
            let proof = try value(authenticator.read([line], method: "POST", target: "/soap?x=1"))
            #expect(proof.user == user && proof.isRight(secret) && proof.count == "0000000\(use)")
            let information = try #require(
                try AuthenticationInformation([proof.information(secret, next: "def")]))
            #expect(expectation.isProved(by: information, content: []) == true)
            #expect(information["nextnonce"] == "def")
            let wrong = try #require(try AuthenticationInformation([proof.information("00", next: nil)]))
            #expect(expectation.isProved(by: wrong, content: []) == false)
        }
    }

    @Test func theStrongestAlgorithmComesFirst() throws {
        let authenticator = try authenticator("R", Set(DigestAlgorithm.allCases))
        let fields = authenticator.challenges(nonce: "abc", isStale: true)
        #expect(
            fields
                == ["SHA-512-256", "SHA-256", "MD5"].map {
                    #"Digest realm="R", qop="auth", algorithm=\#($0), nonce="abc", charset=UTF-8, stale=true"#
                })
        #expect(throws: AuthenticationError.self) { try DigestAuthenticator(realm: "R", algorithms: []) }
        #expect(throws: AuthenticationError.self) { try DigestAuthenticator(realm: "R\r", algorithms: [.md5]) }
    }

    @Test func noncesAreKnownUntilTheyAreOld() {
        let secret = [UInt8](repeating: 7, count: 32)
        let nonces = DigestNonces(secret: secret, realm: "R", seconds: 300)
        let nonce = nonces.next(now: 1000)
        #expect(nonce != nonces.next(now: 1000))
        #expect(nonces.find(nonce, now: 1000) == .fresh(until: 1300, isYoung: true))
        #expect(nonces.find(nonce, now: 1299) == .fresh(until: 1300, isYoung: false))
        #expect(nonces.find(nonce, now: 1300) == .unknown)
        // Another server of the realm is ahead.
        #expect(nonces.find(nonce, now: 950) == .fresh(until: 1300, isYoung: true))
        #expect(nonces.find(nonce, now: 900) == .unknown)
        #expect(nonces.find(nonce, now: .min) == .unknown)
        #expect(nonces.find(nonce, now: .max) == .unknown)
        #expect(DigestNonces(secret: secret, realm: "S", seconds: 300).find(nonce, now: 1000) == .unknown)
        let other = DigestNonces(secret: [UInt8](repeating: 8, count: 32), realm: "R", seconds: 300)
        #expect(other.find(nonce, now: 1000) == .unknown)
        for index in nonce.indices {
            var changed = nonce
            changed.replaceSubrange(index...index, with: nonce[index] == "A" ? "B" : "A")
            #expect(nonces.find(changed, now: 1000) == .unknown)
        }
        for text in ["", "A", "AAAA", nonce + "AAAA", String(nonce.dropLast(4)), "é"] {
            #expect(nonces.find(text, now: 1000) == .unknown)
        }
    }

    @Test func aUseOfANonceHasANameOfItsOwn() throws {
        let lines = [
            Self.credentials(), Self.credentials(("nc=00000001", "nc=0000000a")),
            Self.credentials(("nonce=\"7", "nonce=\"8")), Self.credentials(("Mufasa", "Scar")),
        ]
        let proofs = try lines.map {
            try value(try authenticator().read([$0], method: "GET", target: Self.target)).use
        }
        #expect(Set(proofs).count == 4 && proofs.allSatisfy { $0.count == 32 })
        // Both are the same number.
        let upper = Self.credentials(("nc=00000001", "nc=0000000A"))
        #expect(try value(try authenticator().read([upper], method: "GET", target: Self.target)).use == proofs[1])
    }
}

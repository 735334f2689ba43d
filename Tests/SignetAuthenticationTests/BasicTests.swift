import Testing

@testable import SignetAuthentication

@Suite struct BasicTests {
    @Test func writesTheExamplesOfTheStandard() throws {
        #expect(
            try BasicScheme.authorization(for: .account(user: "Aladdin", password: "open sesame"))
                == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(
            try BasicScheme.authorization(for: .account(user: "test", password: "123£")) == "Basic dGVzdDoxMjPCow==")
        #expect(try BasicScheme.authorization(for: .account(user: "", password: "a:b")) == "Basic OmE6Yg==")
    }

    @Test(arguments: [
        ("a:b", "c"), ("a", "b\n"), ("a\r\nX: y", "b"), ("a", "\u{00}"), ("\u{85}", "b"), ("a", "\u{7F}"),
    ])
    func charactersThatBasicCannotCarryAreRefused(user: String, password: String) {
        #expect(throws: AuthenticationError(.invalidCredentials, "")) {
            try BasicScheme.authorization(for: .account(user: user, password: password))
        }
    }

    @Test func writtenFieldsAreReadAgain() throws {
        let authenticator = try BasicAuthenticator(realm: "Web\"Ease\\")
        #expect(authenticator.challenge == #"Basic realm="Web\"Ease\\", charset="UTF-8""#)
        #expect(try Challenge.read([authenticator.challenge]).first?["realm"] == "Web\"Ease\\")
        for (user, password) in [("a", "b"), ("", ""), ("Jäger", "p:ä:ß"), ("x", String(repeating: "y", count: 1000))] {
            let credentials = Credentials.Account.account(user: user, password: password)
            let field = try BasicScheme.authorization(for: credentials)
            #expect(authenticator.read([field]) == .value(credentials))
            #expect(authenticator.read([field.replacing("Basic", with: "bASIC ")]) == .value(credentials))
        }
    }

    @Test(arguments: [
        ["Bearer abc"], ["Basic"], ["Basic abc"], ["Basic ====", "Basic YTpi"], ["Basic YTpi, Basic YTpi"],
        ["Basic YWI="],
        ["Basic gDp4"], ["Basic YTpj=="], ["Basic YT pi"], ["Basic realm=\"YTpi\""], [""], ["Basic YTpjZ=="],
        ["Basic ===="],
        // a line break, NUL, DEL and U+0085 in the name or the password
        ["Basic YQpiOmM="], ["Basic YTpiDQo="], ["Basic YQA6Yg=="], ["Basic YX86Yg=="], ["Basic YTpiwoU="],
    ])
    func refusesUnusableCredentials(_ lines: [String]) throws {
        guard case .unusable = try BasicAuthenticator(realm: "r").read(lines) else {
            Issue.record("\(lines) was read")
            return
        }
    }

    @Test func noFieldIsNoCredentials() throws {
        #expect(try BasicAuthenticator(realm: "r").read([]) == .nothing)
        #expect(throws: AuthenticationError.self) { try BasicAuthenticator(realm: "a\r\nb") }
    }

    @Test func base64KeepsEveryLength() {
        for length in 0..<40 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37 + 200) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test func constantTimeComparisonIsCorrect() {
        #expect(ConstantTime.equal("secret", "secret"))
        #expect(ConstantTime.equal("", ""))
        for other in ["", "s", "secres", "Secret", "secret ", "secretsecret"] {
            #expect(!ConstantTime.equal(other, "secret"))
            #expect(!ConstantTime.equal("secret", other))
        }
        #expect(!ConstantTime.equal([UInt8](repeating: 0, count: 256), []))
        #expect(!ConstantTime.equal([], [0]))
    }
}

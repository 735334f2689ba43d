import SignetAuthentication
import SignetURLSession
import Testing

@Suite struct RefusedCredentialsTests {
    private func space(_ realm: String, isProxy: Bool = false) -> ProtectionSpace {
        .init(scheme: "https", host: "h", port: 443, realm: realm, isProxy: isProxy)
    }

    @Test func refusedCredentialsAreNotGivenAgain() {
        let refusals = RefusedCredentials()
        let (wrong, right) = (
            Credentials.account(user: "u", password: "1"), Credentials.account(user: "u", password: "2")
        )
        #expect(refusals.mayGive(wrong, in: space("r")))
        refusals.refuse(wrong, in: space("r"))
        #expect(!refusals.mayGive(wrong, in: space("r")))
        #expect(refusals.mayGive(right, in: space("r")))
        // Another server or a proxy may accept the same credentials.
        #expect(refusals.mayGive(wrong, in: space("r", isProxy: true)))
        #expect(refusals.mayGive(wrong, in: space("other")))
    }

    @Test func aServerThatInventsRealmsGetsNoMoreCredentials() {
        let refusals = RefusedCredentials()
        let wrong = Credentials.account(user: "u", password: "1")
        for number in 0..<1_000 { refusals.refuse(wrong, in: space("\(number)")) }
        #expect(!refusals.mayGive(wrong, in: space("1001")))
        #expect(!refusals.mayGive(wrong, in: space("1")))
    }
}

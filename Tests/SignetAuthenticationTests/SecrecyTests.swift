import SignetAuthentication
import Testing

/// The password must be readable nowhere but on the wire.
@Suite struct SecrecyTests {
    @Test func passwordsAreInNoDescription() {
        let canary = "canary-7c1e"
        let credentials = Credentials.account(user: "service", password: canary)
        let policy = AuthenticationPolicy(credentials: .fixed(credentials))
        for value: Any in [credentials, policy, policy.credentials, [credentials], Optional(credentials) as Any] {
            var dumped = ""
            dump(value, to: &dumped)
            for text in [String(describing: value), String(reflecting: value), dumped] {
                #expect(!text.contains(canary))
            }
            #expect(dumped.contains("service"))
        }
    }
}

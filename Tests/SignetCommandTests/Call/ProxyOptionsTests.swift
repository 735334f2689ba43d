import ArgumentParser
import Foundation
import Signet
import SignetTesting
import Testing

@testable import SignetCommand

@Suite struct ProxyOptionsTests {
    private func origin(_ url: String) throws -> Origin { try Endpoint(url).origin }

    @Test func optionsNameTheProxyAndItsUser() async throws {
        let options = try ProxyOptions.parse([
            "--proxy", "https://proxy.example:3129", "--no-proxy", "intern.example,10.0.0.0/8", "--proxy-user", "clerk",
            "--proxy-password-env", "SECRET",
        ])
        let proxy = try options.load(environment: ["SECRET": "way out", "https_proxy": "http://other"])
        #expect(proxy.rules?.proxy(for: try origin("https://a.example"))?.description == "https://proxy.example:3129")
        #expect(proxy.rules?.proxy(for: try origin("https://a.intern.example")) == nil)
        #expect(proxy.authentication.allowsPlaintext == false)
        #expect("\(proxy.authentication.credentials)".contains("clerk"))
        #expect(!"\(proxy)".contains("way out"))
    }

    @Test func theEnvironmentIsReadOnlyWhenAsked() throws {
        let environment = ["https_proxy": "http://clerk:way%20out@proxy.example:3128", "no_proxy": "a.example"]
        #expect(try ProxyOptions.parse([]).load(environment: environment).rules == nil)
        let asked = try ProxyOptions.parse(["--proxy", "environment"]).load(environment: environment)
        #expect(asked.rules?.https?.description == "http://proxy.example:3128")
        #expect(asked.rules?.exceptions.contains(try origin("https://a.example")) == true)
        #expect(asked.authentication.allowsPlaintext)
        let wrong = #expect(throws: CommandError.self) {
            try ProxyOptions.parse(["--proxy", "environment"]).load(environment: ["ALL_PROXY": "socks5://u:geheim@h"])
        }
        #expect(wrong?.message.contains("$ALL_PROXY") == true)
        #expect(wrong?.message.contains("geheim") == false)
    }

    @Test(arguments: [
        ["--proxy", "http://u:geheim@h"], ["--proxy", "socks5://h"], ["--no-proxy", "a"], ["--proxy-user", "a"],
        ["--proxy", "http://h", "--proxy-user", "a:geheim"], ["--proxy", "http://h", "--proxy-allow-plaintext"],
        ["--proxy", "http://h", "--proxy-user", "a", "--proxy-password-file", "f", "--proxy-password-env", "E"],
        ["--proxy-ca", "f"], ["--proxy", "http://h", "--proxy-ca", "f"],
        ["--proxy", "http://h", "--proxy-allow-digest-without-qop"],
        ["--proxy-insecure-ciphers"], ["--proxy", "http://h", "--proxy-insecure-ciphers"],
        ["--proxy", "http://h", "--proxy-user", "a", "--proxy-auth", "basic", "--proxy-allow-digest-without-qop"],
        ["--proxy", "https://h", "--proxy-user", "a", "--proxy-allow-plaintext"],
    ])
    func wrongUsageIsRefusedWithoutRepeatingPasswords(arguments: [String]) {
        let error = #expect(throws: (any Error).self) { try ProxyOptions.parse(arguments) }
        #expect(error.map { !"\($0)".contains("geheim") } == true)
    }
}

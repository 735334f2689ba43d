import SignetTesting
import Testing

@testable import SignetTLS

/// RFC 9525.
@Suite struct HostNameTests {
    @Test(
        arguments: [
            ("127.0.0.1", [127, 0, 0, 1]), ("255.255.255.255", [255, 255, 255, 255]),
            ("::1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
            ("::", [UInt8](repeating: 0, count: 16)),
            ("2001:db8::ff00:42:8329", [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0xFF, 0, 0, 0x42, 0x83, 0x29]),
            ("::ffff:192.0.2.1", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 192, 0, 2, 1]),
            ("1:2:3:4:5:6:7:8", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]),
            ("1::", [0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ] as [(String, [UInt8])]) func readsAddresses(text: String, bytes: [UInt8])
    {
        #expect(ReferenceIdentifier(host: text) == .ip(bytes))
    }

    @Test(arguments: [
        "127.0.0.01", "127.0.1", "1.2.3.256", "1.2.3.4.5", "0x7f.0.0.1", "1.2.3.", ":", ":::", "1:2:3:4:5:6:7",
        "12345::",
        "1::2::3", "1:2:3:4:5:6:7:8:9", ":1:2:3:4:5:6:7:8", "fe80::1%eth0", "::1.2.3", "::+1", "1:2:3:4:5:6:7::8:9",
        "[::1]",
    ]) func refusesLooseAddresses(text: String) throws {
        guard case .dns = ReferenceIdentifier(host: text) else {
            Issue.record("\(text) was read as an address")
            return
        }
        #expect(!ReferenceIdentifier(host: text).matches([.dns(text), .ip([127, 0, 0, 1])]))
    }

    /// An address that stands there as a name looks as if it were right.
    @Test func anAddressInTheWrongPlaceIsExplained() throws {
        let root = try CertificateAuthority()
        let server = try root.issueServer(dnsNames: ["127.0.0.1"], commonName: "127.0.0.1")
        let result = TrustPolicy.anchors(root.bundle)
            .evaluate(server.chain, as: .server(.init(host: "127.0.0.1")), at: TrustPolicyTests.now)
        let error = #expect(throws: TrustError.self) { try result.get() }
        #expect(error?.code == .hostNameMismatch)
        #expect(error?.message.contains("stands there as a DNS name") == true)
    }

    @Test func foldsNames() {
        #expect(ReferenceIdentifier(host: "WWW.Example.") == .dns("www.example"))
        #expect(ReferenceIdentifier(host: "WWW.Example").description == "www.example")
    }

    @Test(arguments: [
        ("service.example", "service.example", true), ("SERVICE.example", "service.EXAMPLE", true),
        ("service.example", "other.example", false), ("service.example", "a.service.example", false),
        ("*.example.com", "a.example.com", true), ("*.example.com", "example.com", false),
        ("*.example.com", "a.b.example.com", false), ("*.example", "service.example", false), ("*", "localhost", false),
        ("*.", "service.", false), ("a*.example.com", "ab.example.com", false),
        ("*a.example.com", "ba.example.com", false),
        ("*.*.example.com", "a.b.example.com", false), ("a.*.example.com", "a.b.example.com", false),
        ("xn--*.example.com", "xn--a.example.com", false), ("service.example.", "service.example", false),
        (".example.com", "a.example.com", false), ("localhost", "localhost", true),
        ("a_b.example", "a_b.example", true),
        ("127.0.0.1", "127.0.0.1", false), ("*.0.0.1", "127.0.0.1", false),
    ]) func matches(presented: String, host: String, expected: Bool) throws {
        let root = try CertificateAuthority()
        let server = try root.issueServer(dnsNames: [presented], commonName: "unused")
        let result = TrustPolicy.anchors(root.bundle)
            .evaluate(server.chain, as: .server(.init(host: host)), at: TrustPolicyTests.now)
        switch result {
        case .success: #expect(expected, "\(presented) for \(host)")
        case .failure(let error): #expect(!expected && error.code == .hostNameMismatch, "\(error)")
        }
    }

    @Test func theCommonNameNeverCounts() throws {
        let root = try CertificateAuthority()
        let policy = TrustPolicy.anchors(root.bundle)
        for server in [
            try root.issueServer(commonName: "service.example"),
            try root.issueServer(ipAddresses: ["127.0.0.1"], commonName: "service.example"),
            try root.issueServer(dnsNames: ["other.example"], commonName: "service.example"),
        ] {
            #expect(TrustPolicyTests.verdict(server.chain, policy) == .hostNameMismatch)
        }
    }

    @Test func addressesAndNamesAreKeptApart() throws {
        let root = try CertificateAuthority()
        let policy = TrustPolicy.anchors(root.bundle)
        let server = try root.issueServer(ipAddresses: ["127.0.0.1", "::1"])
        func verdict(_ host: String) -> TrustError.Code? {
            TrustPolicyTests.verdict(server.chain, policy, .server(.init(host: host)))
        }
        #expect(verdict("127.0.0.1") == nil)
        #expect(verdict("::1") == nil)
        #expect(verdict("0:0:0:0:0:0:0:1") == nil)
        for host in ["127.0.0.2", "::2", "bank.example", "localhost", "127.0.0.1.example", ""] {
            #expect(verdict(host) == .hostNameMismatch, "\(host)")
        }
    }
}

import SignetXML
import Testing

@testable import SignetDiscovery

@Suite struct DiscoveryRequestTests {
    @Test func probeHasTheNamesOfItsVersion() throws {
        let probe = try DiscoveryRequest(
            .probe(types: [DeviceDiscovery.onvifCamera], scopes: ["onvif://a", "onvif://b"], .segments), .v2005,
            messageID: "urn:uuid:1")
        let text = String(decoding: probe.bytes, as: UTF8.self)
        #expect(text.contains("http://schemas.xmlsoap.org/ws/2005/04/discovery/Probe</wsa:Action>"))
        #expect(text.contains("<wsa:MessageID>urn:uuid:1</wsa:MessageID>"))
        #expect(text.contains("<wsa:To>urn:schemas-xmlsoap-org:ws:2005:04:discovery</wsa:To>"))
        #expect(text.contains(">dn:NetworkVideoTransmitter</d:Types>"))
        #expect(
            text.contains(
                "<d:Scopes MatchBy=\"http://schemas.xmlsoap.org/ws/2005/04/discovery/rfc2396\">onvif://a onvif://b</d:Scopes>"
            ))
    }

    @Test func resolveNamesTheDevice() throws {
        let resolve = try DiscoveryRequest(.resolve("urn:uuid:2"), .v11)
        let text = String(decoding: resolve.bytes, as: UTF8.self)
        #expect(text.contains("http://docs.oasis-open.org/ws-dd/ns/discovery/2009/01/Resolve</wsa:Action>"))
        #expect(
            text.contains(
                "<d:Resolve><wsa:EndpointReference><wsa:Address>urn:uuid:2</wsa:Address></wsa:EndpointReference></d:Resolve>"
            ))
    }

    @Test func typesInSeveralNamespacesHaveSeveralPrefixes() throws {
        let types = [XMLName("urn:a", "A"), XMLName("urn:b", "B"), XMLName("", "C")]
        let probe = try DiscoveryRequest(.probe(types: types, scopes: [], nil), .v11)
        let names = try XMLReader.read(probe.bytes) { (reader) throws(XMLError) in
            _ = try reader.nextElement(XMLName(DiscoveryVersion.v11.namespace, "Types"))
            var scope: [String: String] = [:]
            for (prefix, uri) in reader.namespacesInScope { scope[prefix] = uri }
            return try reader.elementText().split(separator: " ").map { word in
                let parts = word.split(separator: ":")
                return parts.count == 2 ? "\(scope[String(parts[0])] ?? "?") \(parts[1])" : String(word)
            }
        }
        #expect(names == ["urn:a A", "urn:b B", "C"])
    }

    @Test func identifiersAreRandomUUIDs() {
        let one = DiscoveryRequest.newMessageID()
        #expect(
            one.wholeMatch(of: /urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        #expect(Set((0..<100).map { _ in DiscoveryRequest.newMessageID() }).count == 100)
    }

    private static let unusable: [(String, @Sendable (inout DeviceDiscovery) -> Void)] = [
        ("versions", { $0.versions = [] }), ("listening", { $0.listening = .zero }),
        ("listening", { $0.listening = .seconds(3_601) }), ("scope", { $0.scopes = ["two words"] }),
        ("scope", { $0.scopes = ["\u{1B}[2J"] }), ("type", { $0.types = [XMLName("urn:a", "a:b")] }),
        ("target", { $0.target = .host("", port: 3702) }), ("target", { $0.target = .host("a", port: 0) }),
        ("datagramBytes", { $0.limits.datagramBytes = 1 << 20 }), ("answersPerHost", { $0.limits.answersPerHost = 0 }),
        (
            "none",
            {
                $0.matching = ScopeMatching.none
                $0.scopes = ["urn:a"]
            }
        ),
        (
            "1.1",
            {
                $0.matching = ScopeMatching.none
                $0.versions = [.v2005]
            }
        ),
    ]

    @Test(arguments: unusable.indices) func unusableSettingsAreRefusedBeforeAnythingIsSent(
        _ index: Int
    ) async throws {
        let (word, change) = Self.unusable[index]
        var discovery = DeviceDiscovery()
        change(&discovery)
        let asked = discovery
        let error = await #expect(throws: DiscoveryError.self) { for try await _ in asked.probe() {} }
        #expect(error?.code == .unusableSetting)
        #expect(error?.message.contains(word) == true)
        #expect(error?.message.contains("\u{1B}") == false)
    }

    @Test func aTargetIsAHost() {
        var discovery = DeviceDiscovery()
        for host in ["cam.example", "10.9.0.2", "fe80::1%eth0", "kamera-1.büro.example"] {
            discovery.target = .host(host)
            #expect(discovery.problem == nil, "\(host)")
        }
        for host in ["http://u:SECRET@h/", "u:SECRET@h", "h/path", "a b", "h\u{1B}[31m"] {
            discovery.target = .host(host)
            #expect(discovery.problem?.contains("without a scheme, a user or a path") == true, "\(host)")
            #expect(discovery.problem?.contains("SECRET") == false)
        }
    }
}

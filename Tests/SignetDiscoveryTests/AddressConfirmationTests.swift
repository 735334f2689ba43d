import SignetTLS
import Testing

@testable import SignetDiscovery

@Suite struct AddressConfirmationTests {
    private func device(_ addresses: String..., from host: String = "192.0.2.7") throws -> DiscoveredDevice {
        var collector = DiscoveryCollector.probing(at: [[192, 0, 2, 1]])
        collector.receive(
            AnswerText.datagram(AnswerText.match(addresses: addresses.joined(separator: " "))), from: host)
        return try collector.first()
    }

    private func refusal(_ device: DiscoveredDevice, _ confirmation: AddressConfirmation) -> DiscoveryError? {
        #expect(throws: DiscoveryError.self) { try device.endpoint(confirming: confirmation) }
    }

    @Test func wholeAddressesConfirm() throws {
        let device = try device("http://192.0.2.7/a?b=c", "http://192.0.2.9/elsewhere")
        #expect(try device.endpoint(confirming: .address("HTTP://192.0.2.7:80/a?b=c")).endpoint.path == "/a?b=c")
        #expect(
            try device.endpoint(confirming: .address("http://192.0.2.9/elsewhere")).endpoint.origin.host == "192.0.2.9")
        #expect(refusal(device, .address("http://192.0.2.7/other"))?.code == .notConfirmed)
        #expect(refusal(device, .address("https://192.0.2.7/a?b=c"))?.code == .notConfirmed)
        #expect(refusal(device, .address("ftp://192.0.2.7/"))?.code == .unusableAddress)
    }

    @Test func hostsConfirmWhatTheyClaimOfThemselves() throws {
        let device = try device("http://192.0.2.9/x", "http://192.0.2.7/a", "https://192.0.2.7/b")
        #expect(try device.endpoint(confirming: .host("192.0.2.7")).endpoint.url == "https://192.0.2.7/b")
        // The host 192.0.2.9 has not said so itself.
        #expect(refusal(device, .host("192.0.2.9"))?.code == .notConfirmed)
        #expect(refusal(device, .host("camera.example"))?.code == .notConfirmed)
        #expect(refusal(try self.device("http://camera.example/"), .host("192.0.2.7"))?.code == .notConfirmed)
    }

    @Test func formsOfOneAddressAreTheSameHost() throws {
        let device = try device("http://[2001:db8:0:0::7]/x", from: "2001:db8::7")
        #expect(try device.endpoint(confirming: .host("2001:DB8::0:7")).endpoint.path == "/x")
    }

    @Test func pinsGoWithTheEndpoint() throws {
        let pin = TrustPolicy.Pin.publicKey(sha256: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        let device = try device("http://192.0.2.7/a", "https://192.0.2.9/b", "https://192.0.2.7:8443/c")
        let confirmed = try device.endpoint(confirming: .pins([pin]))
        #expect(confirmed.endpoint.url == "https://192.0.2.7:8443/c")
        let pins = try #require(confirmed.pins)
        #expect(pins.pins == [pin] && pins.host == "192.0.2.7" && pins.mode == .enforce && pins.allowsSinglePin)
        #expect(refusal(device, .pins([]))?.code == .notConfirmed)
        #expect(refusal(try self.device("http://192.0.2.7/a"), .pins([pin]))?.code == .notConfirmed)
        #expect(try device.endpoint(confirming: .host("192.0.2.7")).pins == nil)
    }

    /// An impostor that answers first takes nothing from the device: its address is one of several.
    @Test func allAddressesThatPinsCanConfirmAreGivenInOrder() throws {
        let pin = TrustPolicy.Pin.publicKey(sha256: "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        var collector = DiscoveryCollector.probing()
        collector.receive(
            AnswerText.datagram(
                AnswerText.match(addresses: "https://192.0.2.66/a https://192.0.2.9/b http://192.0.2.66/c")),
            from: "192.0.2.66")
        _ = collector.next()
        collector.receive(
            AnswerText.datagram(AnswerText.match(addresses: "https://192.0.2.9/b https://192.0.2.7/d")))
        let device = try collector.first()
        let confirmed = try device.endpoints(confirming: .pins([pin]))
        #expect(
            confirmed.map(\.endpoint.url) == ["https://192.0.2.66/a", "https://192.0.2.7/d", "https://192.0.2.9/b"])
        #expect(confirmed.map(\.pins?.host) == ["192.0.2.66", "192.0.2.7", "192.0.2.9"])
        #expect(try device.endpoint(confirming: .pins([pin])) == confirmed.first)
    }

    @Test func allAddressesOfAHostAreGivenInOrder() throws {
        let device = try device("http://192.0.2.7/a", "https://192.0.2.7/b", "https://192.0.2.7/c")
        #expect(
            try device.endpoints(confirming: .host("192.0.2.7")).map(\.endpoint.url) == [
                "https://192.0.2.7/b", "https://192.0.2.7/c", "http://192.0.2.7/a",
            ])
    }

    @Test func interfacesOfHostsCountWhereTheyAreGiven() throws {
        let device = try device("http://169.254.1.1/x", from: "169.254.1.1%eth0")
        #expect(try device.endpoint(confirming: .host("169.254.1.1")).endpoint.path == "/x")
        #expect(try device.endpoint(confirming: .host("169.254.1.1%eth0")).endpoint.path == "/x")
        #expect(refusal(device, .host("169.254.1.1%eth1"))?.code == .notConfirmed)
        #expect(
            refusal(try self.device("http://[fe80::1]/", from: "fe80::1%eth0"), .host("fe80::1"))?.code
                == .unusableAddress)
    }

    @Test(arguments: [
        "ftp://192.0.2.7/", "file:///etc/passwd", "soap.udp://192.0.2.7/", "192.0.2.7", "http://", "http://0.0.0.0/",
        "http://[::]/", "http://127.0.0.1/", "http://127.9.9.9:8080/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
        "http://localhost/", "http://a.localhost/", "http://127.1/", "http://2130706433/", "http://0x7f000001/",
        "http://0x7f.0.0.0x1/", "http://169.254.1.1/", "http://[fe80::1]/", "http://[fe80::1%25eth0]/",
        "http://239.255.255.250/", "http://255.255.255.255/", "http://[ff02::c]/", "http://192.0.2.7/#a",
        "http://192.0.2.1:8080/", "http://[::ffff:192.0.2.1]/", "http://[::7f00:1]/", "http://[::192.0.2.7]/",
        "http://localhost.localdomain/", "http://ip6-localhost/", "http://IP6-loopback./",
        "http://192.0.2.7:0/", "http://192.0.2.7:99999/", "http://192.0.2.7/\"", "http://kamerä.example/",
    ]) func hostileAddressesAreMarkedAndRefused(_ address: String) throws {
        let device = try device(address)
        let found = try #require(device.addresses.first)
        let problem = try #require(found.problem)
        #expect(!problem.isEmpty && found.scheme == nil && found.host == nil && found.port == nil)
        #expect(found.description.contains("unusable"))
        #expect(refusal(device, .address(address))?.code == .unusableAddress)
        #expect(refusal(device, .host("192.0.2.7"))?.code == .unusableAddress)
    }

    @Test func thisMachineMayNameItself() throws {
        let device = try device("http://127.0.0.1:8080/x", from: "127.0.0.1")
        #expect(try device.endpoint(confirming: .host("127.0.0.1")).endpoint.path == "/x")
        let other = try self.device("http://192.0.2.1:8080/x", from: "192.0.2.1")
        #expect(try other.endpoint(confirming: .host("192.0.2.1")).endpoint.path == "/x")
        // A link-local address is right when it is the one that answered.
        let near = try self.device("http://169.254.1.1/x", from: "169.254.1.1")
        #expect(try near.endpoint(confirming: .host("169.254.1.1")).endpoint.path == "/x")
    }

    @Test func passwordsInAddressesAreShownNowhere() throws {
        let device = try device("http://admin:secret@192.0.2.7/")
        let address = try #require(device.addresses.first)
        #expect(address.problem != nil)
        var dumped = ""
        dump(device, to: &dumped)
        #expect(!dumped.contains("secret") && !"\(device)".contains("secret"))
        let error = refusal(device, .address("http://admin:secret@192.0.2.7/"))
        #expect(error?.code == .unusableAddress && error?.message.contains("secret") == false)
    }

    @Test func errorsShowNoControlCharacters() throws {
        let device = try device("http://192.0.2.7/")
        for confirmation in [AddressConfirmation.host("\u{1B}[2J"), .address("http://192.0.2.8/\u{7}")] {
            let message = refusal(device, confirmation)?.message ?? ""
            #expect(!message.isEmpty && !message.unicodeScalars.contains { $0.value < 0x20 })
        }
    }
}

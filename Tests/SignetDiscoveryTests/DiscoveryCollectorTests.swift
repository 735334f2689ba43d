import SignetSOAP
import Testing

@testable import SignetDiscovery

@Suite struct DiscoveryCollectorTests {
    @Test(arguments: [DiscoveryVersion.v2005, .v11]) func answersAreRead(_ version: DiscoveryVersion) throws {
        var collector = DiscoveryCollector.probing()
        collector.receive(
            AnswerText.datagram(
                in: version,
                AnswerText.match(
                    types: "\n dn:NetworkVideoTransmitter\tunknown:X d:Y Z", scopes: "onvif://a  onvif://b",
                    addresses: "http://192.0.2.7/onvif/device_service https://192.0.2.7:8443/x", metadata: " 12 ")))
        let device = try collector.first()
        #expect(device.endpointAddress == AnswerText.camera)
        #expect(device.isOf(DeviceDiscovery.onvifCamera))
        #expect(
            device.types.map(\.description) == [
                "{http://www.onvif.org/ver10/network/wsdl}NetworkVideoTransmitter", "{\(version.namespace)}Y", "Z",
            ])
        #expect(device.scopes == ["onvif://a", "onvif://b"])
        #expect(device.metadataVersion == 12)
        #expect(device.hosts == ["192.0.2.7"])
        #expect(device.answers.first?.versions == [version])
        #expect(device.addresses.map(\.port) == [80, 8443])
        #expect(device.addresses.allSatisfy { $0.isAtAnsweringHost })
        let further = collector.next()
        #expect(further == nil)
        #expect(collector.tally == DiscoveryTally(datagrams: 1))
    }

    /// Cameras declare all namespaces that they know.
    @Test func answersDeclareManyNamespaces() throws {
        let declarations = (0..<120).map { " xmlns:n\($0)=\"urn:n\($0)\"" }.joined()
        let text = String(decoding: AnswerText.datagram(AnswerText.match()), as: UTF8.self)
            .replacing("<s:Envelope", with: "<s:Envelope\(declarations)")
        var collector = DiscoveryCollector.probing()
        collector.receive(Array(text.utf8))
        #expect(try collector.first().endpointAddress == AnswerText.camera)
    }

    @Test func oneDeviceInBothVersionsAndOverTwoInterfacesIsOne() throws {
        var collector = DiscoveryCollector.probing()
        collector.receive(AnswerText.datagram(in: .v2005, AnswerText.match()))
        collector.receive(AnswerText.datagram(in: .v11, AnswerText.match(types: "d:Device")))
        collector.receive(
            AnswerText.datagram(in: .v11, AnswerText.match(addresses: "http://[2001:db8::7]/x")), from: "2001:db8::7")
        let devices = collector.all()
        #expect(devices.count == 1)
        let device = try #require(devices.first)
        #expect(device.hosts == ["192.0.2.7", "2001:db8::7"])
        #expect(device.answers.first?.versions == [.v11, .v2005])
        #expect(device.types.count == 2)
        #expect(
            device.addresses.map(\.untrustedText) == [
                "http://192.0.2.7/onvif/device_service", "http://[2001:db8::7]/x",
            ])
        #expect(device.addresses.allSatisfy { $0.isAtAnsweringHost })
    }

    @Test func newerDescriptionReplacesAndOlderDoesNot() throws {
        var collector = DiscoveryCollector.probing()
        collector.receive(AnswerText.datagram(AnswerText.match(types: "d:B", scopes: "urn:b", metadata: "5")))
        collector.receive(AnswerText.datagram(AnswerText.match(types: "d:A", scopes: "urn:a", metadata: "4")))
        let found = try collector.first()
        #expect(found.types.map(\.localName) == ["B"] && found.scopes == ["urn:b"] && found.metadataVersion == 5)
        collector.receive(AnswerText.datagram(AnswerText.match(types: "d:C", scopes: "urn:c", metadata: "6")))
        let later = try collector.first()
        #expect(later.types.map(\.localName) == ["C"] && later.scopes == ["urn:c"] && later.metadataVersion == 6)
    }

    /// A datagram with a forged sender takes no address away, whether it comes before or after that of the device.
    @Test(arguments: [false, true]) func addressesOfAllDescriptionsStay(_ isForgedFirst: Bool) throws {
        var collector = DiscoveryCollector.probing()
        var datagrams = [
            AnswerText.datagram(AnswerText.match(addresses: "https://192.0.2.7/onvif")),
            AnswerText.datagram(AnswerText.match(addresses: "http://192.0.2.7:8080/forged", metadata: "4294967295")),
        ]
        if isForgedFirst { datagrams.reverse() }
        for datagram in datagrams { collector.receive(datagram) }
        let found = last(&collector)
        let device = try #require(found)
        #expect(device.addresses.count == 2)
        #expect(try device.endpoint(confirming: .host("192.0.2.7")).endpoint.url == "https://192.0.2.7/onvif")
    }

    @Test func oneLinkLocalAddressInTwoNetworksIsTwoHosts() throws {
        var collector = DiscoveryCollector.probing()
        collector.receive(AnswerText.datagram(AnswerText.match()), from: "fe80::99%eth0")
        collector.receive(
            AnswerText.datagram(AnswerText.match(addresses: "http://[fe80::99]/", metadata: "9")), from: "fe80::99%eth1"
        )
        let found = last(&collector)
        let device = try #require(found)
        #expect(device.hosts == ["fe80::99%eth0", "fe80::99%eth1"])
        let address = try #require(device.addresses.last)
        #expect(address.isAtAnsweringHost && address.problem?.contains("link-local") == true)
    }

    @Test func anImpostorTakesNothingFromTheDevice() throws {
        var collector = DiscoveryCollector.probing()
        let impostor = AnswerText.match(addresses: "http://192.0.2.66/evil", metadata: "4294967295")
        collector.receive(AnswerText.datagram(impostor), from: "192.0.2.66")
        collector.receive(AnswerText.datagram(AnswerText.match()))
        collector.receive(AnswerText.datagram(impostor), from: "192.0.2.66")
        let last = last(&collector)
        let device = try #require(last)
        #expect(device.hosts == ["192.0.2.66", "192.0.2.7"])
        #expect(device.answers.last?.addresses.first?.untrustedText == "http://192.0.2.7/onvif/device_service")
        #expect(
            try device.endpoint(confirming: .host("192.0.2.7")).endpoint.url == "http://192.0.2.7/onvif/device_service")
    }

    @Test func onlyAnswersToTheQuestionCount() {
        var collector = DiscoveryCollector.probing()
        collector.receive(AnswerText.datagram(relatesTo: "urn:uuid:other", AnswerText.match()))
        collector.receive(AnswerText.datagram(AnswerText.match(name: "ResolveMatch"), body: "ResolveMatches"))
        collector.receive(AnswerText.datagram(AnswerText.match(), body: "Hello"))
        let found = collector.all()
        #expect(found.isEmpty)
        #expect(collector.tally == DiscoveryTally(datagrams: 3, unrelated: 3))
    }

    @Test func repeatedDatagramsAreDropped() {
        var collector = DiscoveryCollector.probing()
        for _ in 0..<3 { collector.receive(AnswerText.datagram(messageID: "urn:uuid:1", AnswerText.match())) }
        // Another host cannot use up the identifier.
        collector.receive(AnswerText.datagram(messageID: "urn:uuid:1", AnswerText.match("urn:b")), from: "192.0.2.8")
        let found = collector.all()
        #expect(found.map(\.endpointAddress) == [AnswerText.camera, "urn:b"])
        #expect(collector.tally == DiscoveryTally(datagrams: 4, repeated: 2))
    }

    @Test func oneHostThatIsAskedIsTheOnlyOneToAnswer() {
        var collector = DiscoveryCollector.probing(hosts: ["192.0.2.7"])
        collector.receive(AnswerText.datagram(AnswerText.match("urn:b")), from: "192.0.2.8")
        collector.receive(AnswerText.datagram(AnswerText.match()))
        let found = collector.all()
        #expect(found.map(\.endpointAddress) == [AnswerText.camera])
        #expect(collector.tally.unrelated == 1)
    }

    @Test func resolvingTakesTheWantedDeviceOnly() {
        var collector = DiscoveryCollector(.resolve(AnswerText.camera), questions: ["urn:uuid:question"])
        collector.receive(
            AnswerText.datagram(
                AnswerText.match("urn:b", name: "ResolveMatch"), AnswerText.match(name: "ResolveMatch"),
                body: "ResolveMatches"))
        let found = collector.all()
        #expect(found.map(\.endpointAddress) == [AnswerText.camera])
        #expect(collector.tally.unrelated == 1)
    }

    @Test(arguments: [
        "", "x", "<a", "\u{FEFF}", "<!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "<a xmlns='urn:a'/>",
        "<s:Envelope xmlns:s='http://www.w3.org/2003/05/soap-envelope'/>",
        "<s:Envelope xmlns:s='http://www.w3.org/2003/05/soap-envelope'><s:Body/><s:Header/></s:Envelope>",
        String(repeating: "<a>", count: 10_000),
    ]) func malformedDatagramsAreCounted(_ text: String) {
        var collector = DiscoveryCollector.probing()
        collector.receive(Array(text.utf8))
        #expect(collector.tally == DiscoveryTally(datagrams: 1, malformed: 1))
    }

    @Test func devicesWithoutAUsableNameAreCounted() {
        var collector = DiscoveryCollector.probing()
        let names = [
            "", "two words", "urn:\u{202E}a", String(repeating: "a", count: 3_000), "urn:\u{2800}a", "urn:\u{115F}a",
            "\u{1160}", "\u{3164}", "\u{FFA0}", "urn:\u{34F}",
        ]
        for name in names { collector.receive(AnswerText.datagram(AnswerText.match(name))) }
        collector.receive(AnswerText.datagram("<d:ProbeMatch/>", AnswerText.match()))
        let found = collector.all()
        #expect(found.map(\.endpointAddress) == [AnswerText.camera])
        #expect(collector.tally.malformed == 11)
    }

    @Test func typesInUnusableNamespacesAreSkipped() throws {
        var collector = DiscoveryCollector.probing()
        let types = ["urn:&#x202E;a", "two words", "urn:\u{2800}a", "urn:a"].enumerated().map {
            "<d:Types xmlns:x=\"\($1)\">x:T\($0)</d:Types>"
        }
        collector.receive(
            AnswerText.datagram(
                AnswerText.match().replacing("<d:Types>dn:NetworkVideoTransmitter</d:Types>", with: types.joined())))
        let device = try collector.first()
        #expect(device.types.map(\.description) == ["{urn:a}T3"])
    }

    @Test func unknownHeaderBlocksThatMustBeUnderstoodEndTheMessage() {
        var collector = DiscoveryCollector.probing()
        collector.receive(
            AnswerText.datagram(header: #"<x xmlns="urn:x" s:mustUnderstand="1"/>"#, AnswerText.match()))
        collector.receive(AnswerText.datagram(header: #"<x xmlns="urn:x"/>"#, AnswerText.match()))
        #expect(collector.tally.malformed == 1)
        let found = collector.all()
        #expect(found.count == 1)
    }

    private func last(_ collector: inout DiscoveryCollector) -> DiscoveredDevice? { collector.all().last }

    // MARK: Limits

    @Test func aHostThatAnswersWithoutEndStarvesNobody() {
        var collector = DiscoveryCollector.probing()
        var read = 0
        for index in 0..<10_000 {
            let datagram = AnswerText.datagram(AnswerText.match("urn:flood:\(index)"))
            collector.receive(from: "192.0.2.66", size: datagram.count) {
                read += 1
                return datagram
            }
        }
        collector.receive(AnswerText.datagram(AnswerText.match()))
        #expect(read == 64)
        let found = collector.all()
        #expect(found.count == 65)
        #expect(collector.tally.beyondLimits == 9_936)
    }

    @Test func manyDevicesInOneDatagramCountEach() {
        var collector = DiscoveryCollector.probing()
        let matches = (0..<200).map { AnswerText.match("urn:\($0)") }.joined()
        collector.receive(AnswerText.datagram(matches))
        collector.receive(AnswerText.datagram(AnswerText.match("urn:late")))
        let found = collector.all()
        #expect(found.count == 64)
        #expect(collector.tally.beyondLimits == 137)
    }

    @Test func devicesHostsAndAddressesAreLimited() throws {
        var collector = DiscoveryCollector.probing {
            $0.devices = 3
            $0.addressesPerDevice = 2
        }
        let addresses = (0..<50).map { "http://192.0.2.7/\($0)" }.joined(separator: " ")
        for host in 0..<5 {
            collector.receive(
                AnswerText.datagram(AnswerText.match("urn:\(host)", addresses: addresses)), from: "192.0.2.\(host)")
        }
        let devices = collector.all()
        #expect(devices.map(\.endpointAddress) == ["urn:0", "urn:1", "urn:2"])
        #expect(devices.allSatisfy { !$0.hasFurtherHosts })
        #expect(devices.allSatisfy { $0.addresses.count == 2 })
        // The same host may add nothing either, in another datagram.
        collector.receive(
            AnswerText.datagram(AnswerText.match("urn:0", addresses: "http://192.0.2.7/more")), from: "192.0.2.0")
        let found = collector.all()
        #expect(found.isEmpty)
        #expect(collector.tally.beyondLimits == 2)
    }

    @Test func hostsThatAnswerForOneDeviceAreLimited() throws {
        var collector = DiscoveryCollector.probing()
        for host in 1...64 { collector.receive(AnswerText.datagram(AnswerText.match()), from: "192.0.2.\(host)") }
        let full = try collector.first()
        #expect(full.hosts.count == 64 && !full.hasFurtherHosts)
        for host in 65...69 { collector.receive(AnswerText.datagram(AnswerText.match()), from: "192.0.2.\(host)") }
        let device = try collector.first()
        #expect(device.hosts.count == 64 && device.hasFurtherHosts)
        #expect(collector.tally.beyondLimits == 5)
        // A host that was left out has answered nevertheless.
        let error = #expect(throws: DiscoveryError.self) { try device.endpoint(confirming: .host("192.0.2.69")) }
        #expect(error?.code == .notConfirmed && error?.message.contains("left out") == true)
    }

    @Test func oneMachineWithSeveralAddressesLeavesRoomForOthers() {
        var collector = DiscoveryCollector.probing()
        for host in 1...40 {
            let matches = (0..<64).map { AnswerText.match("urn:\(host):\($0)") }.joined()
            collector.receive(AnswerText.datagram(matches), from: "192.0.2.\(host)")
        }
        collector.receive(AnswerText.datagram(AnswerText.match()), from: "192.0.2.77")
        let found = collector.all()
        #expect(found.last?.endpointAddress == AnswerText.camera)
        #expect(found.count < 600)
    }

    @Test func aHostThatIsAskedAloneMayFillTheRoom() {
        var collector = DiscoveryCollector.probing(hosts: ["192.0.2.7"]) { $0.devices = 4 }
        collector.receive(AnswerText.datagram((0..<6).map { AnswerText.match("urn:\($0)") }.joined()))
        let found = collector.all()
        #expect(found.count == 4)
        #expect(collector.tally.beyondLimits == 2)
    }

    @Test func textOfOneHostIsLimited() {
        var collector = DiscoveryCollector.probing()
        let scopes = (0..<15).map { "urn:\($0):" + String(repeating: "a", count: 2_000) }.joined(separator: " ")
        for index in 0..<60 { collector.receive(AnswerText.datagram(AnswerText.match("urn:\(index)", scopes: scopes))) }
        let kept = collector.all().flatMap(\.scopes).reduce(0) { $0 + $1.utf8.count }
        #expect(kept > 100_000 && kept <= DiscoveryLimits.bytesPerHost)
        #expect(collector.tally.beyondLimits > 40)
    }

    @Test func largeDatagramsAreNotRead() {
        var collector = DiscoveryCollector.probing { $0.datagramBytes = 512 }
        collector.receive(from: "192.0.2.7", size: 513) {
            Issue.record("a datagram that is too large was read")
            return []
        }
        #expect(collector.tally.malformed == 1)
    }
}

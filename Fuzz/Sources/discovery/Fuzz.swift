import Support

@testable import SignetDiscovery

/// Datagrams that hosts send as answers to a search..
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let bytes = input.rest()
    var limits = DiscoveryLimits()
    limits.devices = 4
    limits.answersPerHost = 8
    limits.addressesPerDevice = 4
    var collector = DiscoveryCollector(
        .probe(types: [], scopes: [], nil), questions: ["urn:uuid:question"], limits: limits)
    for host in ["192.0.2.7", "2001:db8::7", "192.0.2.7"] { collector.receive(from: host, size: bytes.count) { bytes } }
    while let device = collector.next() {
        require(!device.endpointAddress.isEmpty && device.endpointAddress.utf8.count <= 2_048, "a device has no name")
        require((1...4).contains(device.answers.count), "too many hosts answer for a device")
        for answer in device.answers {
            require(
                answer.addresses.count <= 4 && answer.scopes.count <= 4 && answer.types.count <= 4, "too much is kept")
        }
        for address in device.addresses {
            require((address.problem == nil) == (address.host != nil), "an address is neither usable nor refused")
            for scalar in address.description.unicodeScalars {
                require(scalar.value >= 0x20, "an address has a control")
            }
            let confirmed = try? device.endpoint(confirming: .host(address.answeringHost))
            require(
                confirmed == nil || device.addresses.contains { $0.isAtAnsweringHost },
                "a host confirms an address that is elsewhere")
        }
    }
    require(collector.tally.datagrams == 3, "a datagram is not counted")
    return 0
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

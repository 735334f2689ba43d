public import SignetSOAP

/// A device that hosts have claimed to know. Nothing of it is proved.
public struct DiscoveredDevice: Sendable, Hashable {
    /// What one host says about the device.
    public struct Answer: Sendable, Hashable {
        /// The IP address of the host. A link-local one has its network interface behind it, as in `fe80::99%eth0`: the
        /// same address in another network is another host.
        public let host: String
        /// The versions in which it has answered.
        public internal(set) var versions: Set<DiscoveryVersion>
        /// The number of the description: a host raises it whenever types, scopes or addresses change.
        public internal(set) var metadataVersion: UInt32
        /// The types of the device, of the newest description.
        public internal(set) var types: [ReceivedName]
        /// The scopes of the device, such as its place and its model, as URIs; of the newest description.
        public internal(set) var scopes: [String]
        /// The addresses of the device in the order in which they came, of every description: a newer one may be forged
        /// in the host's name. When it is empty, ask with ``DeviceDiscovery/resolve(_:)``.
        public internal(set) var addresses: [DiscoveredAddress]
    }

    /// The stable name of the device, a URI such as `urn:uuid:…`. Devices are told apart by it.
    public let endpointAddress: String
    /// What hosts say about the device, in the order in which they answered; one answer for each host, and at most 64.
    /// A device with several network interfaces answers as several hosts. So does an impostor beside the real device;
    /// neither takes the other's place.
    public internal(set) var answers: [Answer]
    /// Whether further hosts have answered for the device whose answers were left out because a limit was reached. The
    /// real device may be among them: ask its host alone.
    public internal(set) var hasFurtherHosts = false

    /// The IP addresses of the hosts that have answered.
    public var hosts: [String] { answers.map(\.host) }
    /// The types that the hosts claim, each once.
    public var types: [ReceivedName] { merged(\.types) }
    /// The scopes that the hosts claim, each once.
    public var scopes: [String] { merged(\.scopes) }
    /// The addresses that the hosts claim. Each says which host claims it.
    public var addresses: [DiscoveredAddress] { merged(\.addresses) }
    /// The greatest number of a description.
    public var metadataVersion: UInt32 { answers.map(\.metadataVersion).max() ?? 0 }

    /// Whether a host claims that the device has this type.
    public func isOf(_ type: XMLName) -> Bool {
        answers.contains { answer in
            answer.types.contains { $0.localName == type.localName && $0.namespaceURI == type.namespace.uri }
        }
    }

    private func merged<Value: Hashable>(_ values: (Answer) -> [Value]) -> [Value] {
        var seen: Set<Value> = []
        return answers.flatMap(values).filter { seen.insert($0).inserted }
    }
}

extension DiscoveredDevice.Answer {
    /// The number of bytes that its texts take.
    var bytes: Int {
        types.reduce(0) { $0 + $1.namespaceURI.utf8.count + $1.localName.utf8.count }
            + scopes.reduce(0) { $0 + $1.utf8.count } + addresses.reduce(0) { $0 + $1.untrustedText.utf8.count * 2 }
    }

    /// Adds what the same host says in another version or another datagram. The types and scopes of the newest
    /// description count, and the addresses of all, since the sender's address of a datagram can be forged.
    mutating func add(_ other: Self, limit: Int) {
        func join<Value: Hashable>(_ old: [Value], _ new: [Value]) -> [Value] {
            var seen = Set(old)
            return Array((old + new.filter { seen.insert($0).inserted }).prefix(limit))
        }
        if other.metadataVersion > metadataVersion {
            (metadataVersion, types, scopes) = (other.metadataVersion, other.types, other.scopes)
        } else if other.metadataVersion == metadataVersion {
            types = join(types, other.types)
            scopes = join(scopes, other.scopes)
        }
        versions.formUnion(other.versions)
        addresses = join(addresses, other.addresses)
    }
}

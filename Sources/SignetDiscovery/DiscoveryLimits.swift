/// Limits of what a search keeps of the answers, so that answers cannot fill the memory, and one address cannot keep
/// the devices of the others from being found.
///
/// When half of the room for devices or texts is used, the other half is for the first device of each further host. An
/// attacker who has hundreds of addresses, as every machine can have in IPv6, or who forges the sender's address of
/// datagrams, can use up the limits nevertheless. Only a network that drops such datagrams prevents that; ask one host
/// to be independent of the others.
public struct DiscoveryLimits: Sendable, Hashable {
    /// The size of a datagram in bytes, at most 65,535. Larger ones count as malformed.
    public var datagramBytes = 65_535
    /// How many devices are found at most. Answers come from no more hosts than that either.
    public var devices = 1_000
    /// How many answers of one host are read. Each device that an answer describes counts, and each datagram that cannot
    /// be read. Devices send an answer more than once, in each version. Raise it for a discovery proxy, which answers
    /// for many devices.
    public var answersPerHost = 64
    /// How many addresses (XAddrs) of a device are kept of each host that answers for it; the same number of types and
    /// of scopes.
    public var addressesPerDevice = 32

    /// The usual limits: 64 KiB for a datagram, 1,000 devices, 64 answers of one host, 32 addresses of a device.
    public init() {}

    /// How many hosts may answer for one device.
    static let hostsPerDevice = 64
    /// How many bytes of text are kept of all answers of one host.
    static let bytesPerHost = 256 << 10
    /// The same for all hosts.
    static let bytes = 16 << 20

    /// Why the limits cannot be used; nil when they can.
    var problem: String? {
        guard (512...65_535).contains(datagramBytes) else { return "datagramBytes is a number from 512 to 65535" }
        let numbers = [
            ("devices", devices), ("answersPerHost", answersPerHost), ("addressesPerDevice", addressesPerDevice),
        ]
        for (name, number) in numbers where !(1...1_000_000).contains(number) {
            return "\(name) is a number from 1 to 1000000"
        }
        return nil
    }
}

/// How many datagrams came during a search, and what became of them.
public struct DiscoveryTally: Sendable, Hashable {
    /// All datagrams that came.
    public internal(set) var datagrams = 0
    /// Those that are no answers in XML, and descriptions of devices that have no usable endpoint address.
    public internal(set) var malformed = 0
    /// Those that answer another question, or come from another host than the one that was asked.
    public internal(set) var unrelated = 0
    /// Those that had come before.
    public internal(set) var repeated = 0
    /// Datagrams, and parts of them, that were not used because a limit was reached.
    public internal(set) var beyondLimits = 0
    /// Addresses of network interfaces over which the question was not sent: the system refused it, for example because
    /// the interface is down, or there were more than 32. Devices there can be missing.
    public internal(set) var unaskedInterfaces = 0
}

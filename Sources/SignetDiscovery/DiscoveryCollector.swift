import SignetSOAP

/// What a search has learned: datagrams go in, devices come out. It has no I/O.
struct DiscoveryCollector: Sendable {
    private let limits: DiscoveryLimits
    /// The identifiers of the questions that were sent.
    private let questions: Set<String>
    private let kind: DiscoveryAnswer.Kind
    /// The one device that is wanted; nil for all.
    private let wanted: String?
    /// The hosts whose answers count; nil for all.
    private let hosts: Set<String>?
    /// The addresses of this machine.
    private let ownAddresses: Set<[UInt8]>

    var tally = DiscoveryTally()
    private var seen: Set<String> = []
    private var uses: [String: Use] = [:]
    private var devices: [String: DiscoveredDevice] = [:]
    private var bytes = 0
    /// The devices that have changed since they were last taken, in the order of the change.
    private var changed: [String] = []

    /// How much of its limits a host has used.
    private struct Use {
        var answers = 0
        var bytes = 0
    }

    init(
        _ kind: DiscoveryRequest.Kind, questions: Set<String>, hosts: Set<String>? = nil,
        ownAddresses: Set<[UInt8]> = [], limits: DiscoveryLimits = .init()
    ) {
        switch kind {
        case .probe: (self.kind, wanted) = (.probeMatches, nil)
        case .resolve(let address): (self.kind, wanted) = (.resolveMatches, address)
        }
        self.questions = questions
        self.hosts = hosts
        self.ownAddresses = ownAddresses
        self.limits = limits
    }

    /// Takes a datagram.
    ///
    /// - Parameters:
    ///   - host: the IP address that it came from, with the interface when it is link-local.
    ///   - size: its size in bytes.
    ///   - datagram: the bytes, which are fetched only when they are read.
    mutating func receive(from host: String, size: Int, _ datagram: () -> [UInt8]) {
        tally.datagrams += 1
        if let hosts, !hosts.contains(host) {
            tally.unrelated += 1
            return
        }
        var use = uses[host] ?? Use()
        guard use.answers < limits.answersPerHost, uses[host] != nil || uses.count < limits.devices else {
            tally.beyondLimits += 1
            return
        }
        use.answers += 1
        defer { uses[host] = use }
        guard size <= limits.datagramBytes,
            let answer = try? DiscoveryAnswer(
                datagram(), maximumMatches: limits.answersPerHost - use.answers + 1,
                maximumWords: limits.addressesPerDevice)
        else {
            tally.malformed += 1
            return
        }
        guard answer.kind == kind, answer.relatesTo.contains(where: questions.contains) else {
            tally.unrelated += 1
            return
        }
        // Another host must not be able to use up an identifier.
        if let identifier = answer.messageID, !seen.insert("\(host) \(identifier)").inserted {
            tally.repeated += 1
            return
        }
        use.answers += max(0, answer.matches.count + answer.malformedMatches - 1)
        tally.malformed += answer.malformedMatches
        tally.beyondLimits += answer.furtherMatches
        for match in answer.matches {
            if let wanted, wanted != match.endpointAddress {
                tally.unrelated += 1
            } else if !take(match, answer.version, from: host, &use) {
                tally.beyondLimits += 1
            }
        }
    }

    /// - Returns: whether there was room for it.
    private mutating func take(
        _ match: DiscoveryAnswer.Match, _ version: DiscoveryVersion, from host: String, _ use: inout Use
    ) -> Bool {
        let answer = DiscoveredDevice.Answer(
            host: host, versions: [version], metadataVersion: match.metadataVersion, types: match.types,
            scopes: match.scopes,
            addresses: match.addresses.map { DiscoveredAddress($0, claimedBy: host, at: ownAddresses) })
        let before = devices[match.endpointAddress]
        var device = before ?? DiscoveredDevice(endpointAddress: match.endpointAddress, answers: [])
        let index = device.answers.firstIndex { $0.host == host }
        let size = answer.bytes + (before == nil ? match.endpointAddress.utf8.count : 0)
        // Half of the room is for the first device of each host, unless one host alone is asked.
        let isFirst = use.bytes == 0 || hosts != nil
        let hasRoom =
            use.bytes + size <= DiscoveryLimits.bytesPerHost
            && bytes + size <= DiscoveryLimits.bytes / (isFirst ? 1 : 2)
            && (before != nil || devices.count < (isFirst ? limits.devices : (limits.devices + 1) / 2))
            && (index != nil || device.answers.count < DiscoveryLimits.hostsPerDevice)
        if !hasRoom {
            guard before != nil, index == nil else { return false }
            device.hasFurtherHosts = true
        } else if let index {
            device.answers[index].add(answer, limit: limits.addressesPerDevice)
        } else {
            device.answers.append(answer)
        }
        guard device != before else { return hasRoom }
        if hasRoom {
            use.bytes += size
            bytes += size
        }
        devices[match.endpointAddress] = device
        if !changed.contains(match.endpointAddress) { changed.append(match.endpointAddress) }
        return hasRoom
    }

    /// A device that is new or has changed; nil when there is none.
    mutating func next() -> DiscoveredDevice? { changed.isEmpty ? nil : devices[changed.removeFirst()] }
}

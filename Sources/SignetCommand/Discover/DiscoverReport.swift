#if CommandLine
import SignetDiscovery
import SignetSOAP
import SignetWSDL

/// What `signet discover --json` prints.
struct DiscoverReport: Encodable {
    struct Device: Encodable {
        let endpointAddress: String
        let answers: [Answer]
        /// Whether answers of further hosts were left out.
        let hasFurtherHosts: Bool
    }

    struct Answer: Encodable {
        let host: String
        let versions: [String]
        let metadataVersion: UInt32
        let types: [String]
        let scopes: [String]
        let addresses: [Address]
    }

    struct Address: Encodable {
        let address: String
        let isAtAnsweringHost: Bool
        /// Why it must not be called; absent when nothing speaks against it.
        let problem: String?
    }

    struct Datagrams: Encodable {
        let all: Int
        let malformed: Int
        let unrelated: Int
        let repeated: Int
        let beyondLimits: Int
    }

    let devices: [Device]
    let datagrams: Datagrams
    let unaskedInterfaces: Int

    init(_ devices: [DiscoveredDevice], _ tally: DiscoveryTally) {
        self.devices = devices.map { device in
            Device(
                endpointAddress: device.endpointAddress,
                answers: device.answers.map { answer in
                    Answer(
                        host: answer.host, versions: answer.versions.map(\.description).sorted(),
                        metadataVersion: answer.metadataVersion, types: answer.types.map(\.description),
                        scopes: answer.scopes,
                        addresses: answer.addresses.map {
                            Address(
                                address: $0.untrustedText, isAtAnsweringHost: $0.isAtAnsweringHost, problem: $0.problem)
                        })
                }, hasFurtherHosts: device.hasFurtherHosts)
        }
        datagrams = Datagrams(
            all: tally.datagrams, malformed: tally.malformed, unrelated: tally.unrelated, repeated: tally.repeated,
            beyondLimits: tally.beyondLimits)
        unaskedInterfaces = tally.unaskedInterfaces
    }
}

/// What `signet discover` prints for people. Every text of a device is made safe for a terminal.
enum DiscoverText {
    static func block(of device: DiscoveredDevice) -> String {
        var lines = [TerminalText.line(device.endpointAddress)]
        func add(_ label: String, _ text: String) {
            lines.append(
                "  \(label)\(String(repeating: " ", count: max(1, 10 - label.count)))\(TerminalText.line(text))")
        }
        if device.answers.count > 1 {
            add(
                "WARNING",
                "\(device.answers.count) hosts answer for it: has it several addresses, or is one an impostor?")
        }
        if device.hasFurtherHosts {
            add(
                "WARNING", "further hosts answer for it, and were left out: ask the host that you know, with --unicast."
            )
        }
        for answer in device.answers {
            let versions = answer.versions.map(\.description).sorted().joined(separator: ", ")
            add("host", "\(answer.host) (\(versions); description \(answer.metadataVersion))")
            for type in answer.types { add("type", type.description) }
            for scope in answer.scopes { add("scope", scope) }
            for address in answer.addresses {
                if let problem = address.problem {
                    add("address", "\(address.untrustedText) -- DO NOT CALL: \(problem)")
                } else if address.isAtAnsweringHost {
                    add("address", address.untrustedText)
                } else {
                    add("address", "\(address.untrustedText) -- NOT AT THE HOST THAT ANSWERED, \(answer.host)")
                }
            }
            if answer.addresses.isEmpty { add("address", "(none)") }
        }
        return lines.joined(separator: "\n")
    }

    /// What is to be said about the search as a whole.
    static func remarks(_ tally: DiscoveryTally) -> [String] {
        var lines: [String] = []
        if tally.unaskedInterfaces > 0 {
            lines.append(
                "warning: the question could not be sent from \(tally.unaskedInterfaces) addresses of network interfaces; devices there can be missing."
            )
        }
        if tally.malformed > 0 { lines.append("warning: \(tally.malformed) answers could not be read.") }
        if tally.beyondLimits > 0 {
            lines.append(
                "warning: \(tally.beyondLimits) answers were left out, because a host sent too many or too much.")
        }
        return lines
    }
}
#endif

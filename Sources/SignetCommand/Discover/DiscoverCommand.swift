#if CommandLine
import ArgumentParser
import SignetDiscovery
import SignetWSDL
import SignetXML

struct DiscoverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discover",
        abstract: "Looks for devices, such as cameras, in the networks of this machine (WS-Discovery).",
        discussion: """
            The command asks by multicast, over all network interfaces unless --interface names some, or one host alone \
            with --unicast. It listens for the time of --seconds, and then prints each device with what the hosts say that \
            answered for it.

            What is printed are claims: any machine in the network can answer, in the name of a device too. An address \
            that is not at the host that claims it is marked. Call an address only when you know that it is the device's.

            The status is 0 when a device has answered, and 1 when none has.

            Examples:
              signet discover --onvif
              signet discover --onvif --scope onvif://www.onvif.org/location/hall --json
              signet discover --unicast 192.168.0.10 --seconds 2
              signet discover --type '{http://schemas.xmlsoap.org/ws/2006/02/devprof}Device' --interface eth0 --version 2005
            """)

    /// The versions by the names that the option has for them.
    enum Version: String, ExpressibleByArgument, CaseIterable {
        case v2005 = "2005"
        case v11 = "1.1"
    }

    @Option(
        help: ArgumentHelp("A type that the devices must have; may be repeated.", valueName: "{namespace}name"))
    var type: [String] = []

    @Flag(help: "Look for ONVIF's cameras and other video transmitters.")
    var onvif = false

    @Option(help: ArgumentHelp("A scope that the devices must have; may be repeated.", valueName: "uri"))
    var scope: [String] = []

    @Option(
        help: ArgumentHelp(
            "How devices compare scopes with their own: \(ScopeMatching.all.map(\.description).joined(separator: ", ")).",
            valueName: "rule"),
        completion: .list(ScopeMatching.all.map(\.description)))
    var match: String?

    @Option(help: "How many seconds the command listens for answers.")
    var seconds = 5.0

    @Option(help: ArgumentHelp("Ask this host alone.", valueName: "host[:port]"))
    var unicast: String?

    @Option(
        help: ArgumentHelp(
            "A network interface to ask over, by its name or address; may be repeated.", valueName: "interface"))
    var interface: [String] = []

    @Option(help: "The version of WS-Discovery, 2005 or 1.1; both unless given.")
    var version: Version?

    @Flag(help: "Print the devices as JSON.")
    var json = false

    func validate() throws {
        _ = try discovery()
    }

    func run() async throws {
        let probe = try discovery().probe()
        var order: [String] = []
        var devices: [String: DiscoveredDevice] = [:]
        for try await device in probe {
            if devices.updateValue(device, forKey: device.endpointAddress) == nil {
                order.append(device.endpointAddress)
            }
        }
        let found = order.compactMap { devices[$0] }
        let tally = probe.tally
        if json {
            try Output.report(DiscoverReport(found, tally))
        } else {
            print(
                found.map { DiscoverText.block(of: $0) }.joined(separator: "\n\n"),
                terminator: found.isEmpty ? "" : "\n")
            for line in DiscoverText.remarks(tally) { print(line, to: &standardError) }
            if found.isEmpty { print("No device has answered in \(seconds) seconds.", to: &standardError) }
        }
        if found.isEmpty { throw ExitCode(1) }
    }

    /// The search that the options ask for.
    func discovery() throws -> DeviceDiscovery {
        var discovery = DeviceDiscovery()
        discovery.types = try type.map(Self.name) + (onvif ? [DeviceDiscovery.onvifCamera] : [])
        discovery.scopes = scope
        if let match {
            guard let rule = ScopeMatching.all.first(where: { $0.description == match }) else {
                throw ValidationError(
                    "--match is one of \(ScopeMatching.all.map(\.description).joined(separator: ", ")).")
            }
            discovery.matching = rule
        }
        guard seconds > 0, seconds <= 3_600 else {
            throw ValidationError("--seconds is a number above 0 and at most 3600.")
        }
        discovery.listening = .seconds(seconds)
        if let unicast {
            guard interface.isEmpty else {
                throw ValidationError("--interface is for multicast: leave it out, or --unicast.")
            }
            let (host, port) = try Self.hostAndPort(unicast)
            discovery.target = .host(host, port: port)
        } else {
            discovery.target = .networks(interfaces: interface)
        }
        switch version {
        case .v2005: discovery.versions = [.v2005]
        case .v11: discovery.versions = [.v11]
        case nil: break
        }
        if let problem = discovery.problem { throw ValidationError("This cannot be asked: \(problem).") }
        return discovery
    }

    private static func name(_ text: String) throws -> XMLName {
        guard text.hasPrefix("{"), let end = text.firstIndex(of: "}") else {
            throw ValidationError("--type: “\(TerminalText.line(text))” has no namespace. Write {namespace}name.")
        }
        let (namespace, name) = (text[..<end].dropFirst(), text[text.index(after: end)...])
        guard XMLName.isNCName(String(name)) else {
            throw ValidationError("--type: “\(TerminalText.line(name))” is no name of a type. Write {namespace}name.")
        }
        return XMLName(String(namespace), String(name))
    }

    private static func hostAndPort(_ text: String) throws -> (String, Int) {
        // An address of IPv6 has brackets when a port follows.
        var (host, port) = (text[...], "")
        if text.hasPrefix("["), let close = text.firstIndex(of: "]") {
            host = text[..<close].dropFirst()
            let rest = text[text.index(after: close)...]
            guard rest.isEmpty || rest.hasPrefix(":") else {
                throw ValidationError("--unicast: write host, host:port or [address]:port.")
            }
            if !rest.isEmpty { port = String(rest.dropFirst()) }
        } else if text.count(where: { $0 == ":" }) == 1, let colon = text.firstIndex(of: ":") {
            (host, port) = (text[..<colon], String(text[text.index(after: colon)...]))
        }
        guard let number = port.isEmpty && !text.hasSuffix(":") ? DeviceDiscovery.port : Int(port),
            (1...65_535).contains(number), !host.isEmpty
        else { throw ValidationError("--unicast: write host, host:port or [address]:port.") }
        return (String(host), number)
    }
}
#endif

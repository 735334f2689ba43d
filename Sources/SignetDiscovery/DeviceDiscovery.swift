public import SignetSOAP

/// A search for devices in the networks of this machine, or at one host, by WS-Discovery.
///
/// ```swift
/// var discovery = DeviceDiscovery()
/// discovery.types = [DeviceDiscovery.onvifCamera]
/// for try await device in discovery.probe() { print(device.endpointAddress, device.addresses) }
/// ```
///
/// The client sends a Probe to the multicast addresses 239.255.255.250 and ff02::c, port 3702, and listens for the
/// answers (SOAP over UDP 1.1). **Whatever is found is a claim:** every machine in the network can answer, in the name
/// of others too. The program decides which address it calls: see ``DiscoveredDevice/endpoint(confirming:)``.
public struct DeviceDiscovery: Sendable, Hashable {
    /// The type of cameras and other video transmitters of ONVIF: `dn:NetworkVideoTransmitter`.
    public static let onvifCamera = XMLName("http://www.onvif.org/ver10/network/wsdl", "NetworkVideoTransmitter")
    /// The port of WS-Discovery.
    public static let port = 3702

    /// Whom the client asks.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Target: Sendable, Hashable {
        /// All devices of the networks that these interfaces belong to, by multicast. Each is given by its name, such as
        /// `eth0`, or by its address; an empty list stands for all interfaces. When the question cannot be sent over
        /// one that is given, the search throws.
        case networks(interfaces: [String] = [])
        /// One host alone, by its name or address: a device, or a discovery proxy. Answers of other hosts are dropped.
        case host(String, port: Int = DeviceDiscovery.port)
    }

    /// The versions of WS-Discovery in which the client asks. Devices answer in the one that they speak.
    public var versions: [DiscoveryVersion] = [.v11, .v2005]
    /// Whom the client asks.
    public var target = Target.networks()
    /// The types that a device must all have; empty for devices of any type.
    public var types: [XMLName] = []
    /// The scopes that a device must all have, as URIs; empty for devices in any scope.
    public var scopes: [String] = []
    /// How devices compare the scopes with their own; nil for the usual rule, ``ScopeMatching/segments``.
    public var matching: ScopeMatching?
    /// How long the client listens for answers, at most an hour. No answer makes it longer. The lookup of a host's name
    /// may take the same time before.
    public var listening = Duration.seconds(5)
    /// The limits of what is kept.
    public var limits = DiscoveryLimits()

    /// Makes a search for all devices in all networks of this machine.
    public init() {}

    /// Why the settings cannot be used; nil when they can.
    package var problem: String? {
        if versions.isEmpty { return "no version is given: name one in versions" }
        if matching == ScopeMatching.none, !scopes.isEmpty {
            return "the rule “none” finds devices without scopes: give no scopes with it"
        }
        if matching == ScopeMatching.none, !versions.contains(.v11) {
            return "the rule “none” exists in version 1.1 only: add it to versions"
        }
        for type in types where !XMLName.isNCName(type.localName) {
            return "“\(type.localName.printable)” is no name of a type: write an XML name without a colon"
        }
        for scope in scopes where !scope.isUsableWord {
            return
                "a scope is a URI of 1 to \(DiscoveryText.longest) bytes without white space, not “\(scope.printable)”"
        }
        guard listening > .zero, listening <= .seconds(3_600) else {
            return "listening is a time above 0 and at most an hour"
        }
        if case .host(let host, _) = target, !host.unicodeScalars.allSatisfy(Self.isOfHost) {
            // What is given by mistake can be a URL with a password.
            return "the target is the name or the IP address of a host, without a scheme, a user or a path"
        }
        if case .host(let host, let port) = target, !(1...65_535).contains(port) || host.isEmpty {
            return "the target is a host and a port from 1 to 65535, not “\(host.printable)” and \(port)"
        }
        return limits.problem
    }

    /// Whether a character can stand in the name or the address of a host; a zone of IPv6 follows a percent sign.
    private static func isOfHost(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            || ".-_:%".unicodeScalars.contains(scalar)
    }
}

/// The server that the client wants to reach, in the form in which a certificate must confirm it (RFC 9525 §6.1).
public enum ReferenceIdentifier: Sendable, Hashable, CustomStringConvertible {
    /// A DNS name in lower case without a trailing dot.
    case dns(String)
    /// Four octets of an IPv4 or sixteen of an IPv6 address.
    case ip([UInt8])

    /// Takes the host of a URL: an IPv4 or IPv6 literal (without brackets) is an address, everything else a DNS name.
    public init(host: String) {
        if let bytes = IPAddress.bytes(of: host) {
            self = .ip(bytes)
        } else {
            let name = host.lowercased()
            self = .dns(name.hasSuffix(".") ? String(name.dropLast()) : name)
        }
    }

    public var description: String {
        switch self {
        case .dns(let name): name
        case .ip(let bytes): IPAddress.text(bytes)
        }
    }

    /// Whether the certificate confirms this identifier. Only its subjectAltName counts, never a Common Name; an
    /// address never matches a DNS name, nor a DNS name an address (RFC 9525 §6.3–6.5).
    func matches(_ names: [GeneralName]) -> Bool {
        switch self {
        case .ip(let bytes): names.contains(.ip(bytes))
        case .dns(let name):
            DNSName.isHost(name)
                && names.contains {
                    if case .dns(let presented) = $0 { DNSName.matches(presented, host: name) } else { false }
                }
        }
    }

    /// The same for a whole certificate.
    package func isConfirmed(by certificate: EncodedCertificate) -> Bool {
        (try? certificate.content?.subjectAltNames()).map(matches) ?? false
    }
}

/// DNS names in lower case, as certificates and their constraints compare them.
enum DNSName {
    /// Whether a name can be a host's: its labels consist of letters, digits, hyphens and (as is common) underscores,
    /// and the last one is not a number, since that would be an address.
    static func isHost(_ name: some StringProtocol) -> Bool {
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard name.utf8.count <= 253, let last = labels.last else { return false }
        return labels.allSatisfy { isLabel(Array($0)) } && !last.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isLabel(_ label: [UInt8]) -> Bool {
        (1...63).contains(label.count)
            && label.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: "_")
            }
    }

    /// The name after `*.`; nil when the name is not an allowed wildcard: `*` must be the whole left-most label,
    /// followed by at least two others (RFC 9525 §6.3).
    static func wildcardBase(_ presented: String) -> Substring? {
        guard presented.hasPrefix("*.") else { return nil }
        let base = presented.dropFirst(2)
        return isHost(base) && base.contains(".") ? base : nil
    }

    static func matches(_ presented: String, host: String) -> Bool {
        if presented == host { return true }
        guard let base = wildcardBase(presented), let dot = host.firstIndex(of: ".") else { return false }
        return host[host.index(after: dot)...] == base
    }
}

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An IP address, or a block of addresses (RFC 4632, RFC 4291 §2.3). An IPv4 address inside IPv6 (RFC 4291 §2.5.5.2)
/// equals the IPv4 address.
package struct AddressBlock: Sendable, Hashable {
    private let octets: [UInt8]
    private let bits: Int

    /// - Parameter text: an address such as `192.0.2.7` or `2001:db8::1`, or a block such as `192.0.2.0/24`.
    package init?(_ text: some StringProtocol) {
        guard let slash = text.firstIndex(of: "/") else {
            guard let octets = Self.octets(of: String(text)) else { return nil }
            self.octets = octets
            bits = octets.count * 8
            return
        }
        let address = String(text[..<slash])
        guard let octets = Self.octets(of: address), let length = Int(text[text.index(after: slash)...]) else {
            return nil
        }
        // The prefix length of an IPv4 block that is written in IPv6 includes the 96 bits before it.
        let bits = octets.count == 4 && address.contains(":") ? length - 96 : length
        guard (0...octets.count * 8).contains(bits) else { return nil }
        self.octets = octets
        self.bits = bits
    }

    /// The octets of an IP literal, 4 or 16; nil for anything else.
    package static func octets(of text: String) -> [UInt8]? {
        var octets = [UInt8](repeating: 0, count: 16)
        guard text.utf8.contains(UInt8(ascii: ":")) else {
            return unsafe inet_pton(AF_INET, text, &octets) == 1 ? Array(octets.prefix(4)) : nil
        }
        return unsafe inet_pton(AF_INET6, text, &octets) == 1 ? unmapped(octets) : nil
    }

    /// The octets of an IPv4 address that is written in IPv6, and other addresses as they are.
    package static func unmapped(_ octets: [UInt8]) -> [UInt8] {
        let isMapped = octets.count == 16 && octets.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        return isMapped ? Array(octets.suffix(4)) : octets
    }

    package func contains(_ address: [UInt8]) -> Bool {
        guard address.count == octets.count else { return false }
        for (index, (left, right)) in zip(address, octets).enumerated() {
            let rest = bits - index * 8
            if rest <= 0 { return true }
            let mask = rest >= 8 ? UInt8.max : ~(UInt8.max >> UInt8(rest))
            if left & mask != right & mask { return false }
        }
        return true
    }
}

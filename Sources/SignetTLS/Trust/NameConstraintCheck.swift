/// Compares the names of certificates with the constraints of the authorities above them (RFC 5280 §4.2.1.10).
struct NameConstraintCheck {
    /// The limit of comparisons (names times constraints) in one evaluation, whatever the number of paths.
    static let maximumComparisons = 65_536

    enum Problem: Error {
        case outside(String)
        case tooMany
        /// A form of constraint that cannot be checked applies to the name.
        case unknownForm
        case malformed(String)
    }

    private var comparisons = 0
    /// The names of certificates that were read before, since many paths may contain the same certificate.
    private var known: [EncodedCertificate: [GeneralName]] = [:]

    mutating func check(
        _ constraints: NameConstraints, on certificate: EncodedCertificate, _ content: CertificateContent
    ) throws(Problem) {
        let names: [GeneralName]
        if let before = known[certificate] { names = before } else { names = try Self.names(of: content) }
        known[certificate] = names
        let (product, overflow) = names.count.multipliedReportingOverflow(
            by: constraints.permitted.count + constraints.excluded.count)
        comparisons += overflow ? Self.maximumComparisons : product
        guard !overflow, comparisons <= Self.maximumComparisons else { throw .tooMany }
        try Self.checkHosts(names, constraints)
        for name in names {
            if case .dns = name { continue }
            let permitted = constraints.permitted.filter { Self.sameForm(name, $0) }
            if !permitted.isEmpty, try !Self.isAny(permitted, name) { throw .outside("\(name)") }
            let excluded = constraints.excluded.filter { Self.sameForm(name, $0) }
            if try Self.isAny(excluded, name) { throw .outside("\(name)") }
        }
    }

    private static func isAny(_ constraints: [GeneralName], _ name: GeneralName) throws(Problem) -> Bool {
        // All constraints are read, so that a malformed one after the first match is noticed too.
        var isWithin = false
        for constraint in constraints where try Self.isWithin(name, constraint) { isWithin = true }
        return isWithin
    }

    private static func names(of certificate: CertificateContent) throws(Problem) -> [GeneralName] {
        var names: [GeneralName]
        do { names = try certificate.subjectAltNames() } catch { throw .malformed("a subjectAltName") }
        if !certificate.subject.isEmpty { names.append(.directory(certificate.subject)) }
        return names + certificate.subject.emailAddresses.map { .email($0) }
    }

    private static func sameForm(_ name: GeneralName, _ constraint: GeneralName) -> Bool {
        switch (name, constraint) {
        case (.ip, .ip), (.directory, .directory), (.email, .email): true
        case (.other(let left), .other(let right)): left == right
        default: false
        }
    }

    /// Whether every name that `name` covers lies within the constraint.
    private static func isWithin(_ name: GeneralName, _ constraint: GeneralName) throws(Problem) -> Bool {
        switch (name, constraint) {
        case (.ip(let address), .ip(let range)): return try contains(range, address)
        case (.directory(let name), .directory(let constraint)): return name.isWithin(constraint)
        case (.email(let address), .email(let constraint)): return try isMailbox(address, within: constraint)
        default: throw .unknownForm
        }
    }

    /// A constraint is a mailbox, a host, or, with a leading dot, the hosts below a domain. It has no wildcards, and
    /// the part before the at-sign is compared exactly (RFC 5280 §4.2.1.10, §7.5).
    private static func isMailbox(_ address: String, within constraint: String) throws(Problem) -> Bool {
        guard let (local, host) = mailbox(address) else {
            throw .malformed("the e-mail address “\(DistinguishedName.printable(address))”")
        }
        if constraint.contains("@") {
            guard let (wantedLocal, wantedHost) = mailbox(constraint) else {
                throw .malformed("the e-mail constraint “\(DistinguishedName.printable(constraint))”")
            }
            return local == wantedLocal && host == wantedHost
        }
        let domain = try domain(constraint.lowercased())
        return constraint.hasPrefix(".") ? host.hasSuffix(".\(domain)") : domain.isEmpty || host == domain
    }

    private static func mailbox(_ address: String) -> (local: Substring, host: String)? {
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let local = parts.first, !local.isEmpty, let host = parts.last?.lowercased(),
            DNSName.isHost(host)
        else { return nil }
        return (local, host)
    }

    /// The host of an e-mail constraint.
    private static func domain(_ constraint: String) throws(Problem) -> Substring {
        let domain = constraint.hasPrefix(".") ? constraint.dropFirst() : constraint[...]
        guard domain.isEmpty || DNSName.isHost(domain) else {
            throw .malformed("the constraint “\(DistinguishedName.printable(constraint))”")
        }
        return domain
    }

    private static func contains(_ range: [UInt8], _ address: [UInt8]) throws(Problem) -> Bool {
        guard range.count == 8 || range.count == 32 else { throw .malformed("an IP constraint") }
        guard address.count == 4 || address.count == 16 else { throw .malformed("an IP address") }
        guard range.count == address.count * 2 else { return false }
        let (base, mask) = (range.prefix(address.count), range.suffix(address.count))
        let bits = mask.reduce(into: (ended: false, valid: true)) { state, byte in
            if state.ended && byte != 0 || byte.leadingOnes + byte.trailingZeroBitCount != 8 { state.valid = false }
            if byte != 0xFF { state.ended = true }
        }
        guard bits.valid else { throw .malformed("the mask of an IP constraint") }
        return zip(zip(base, mask), address).allSatisfy { $0.0 & $0.1 == $1 & $0.1 }
    }
}

extension UInt8 {
    fileprivate var leadingOnes: Int { (~self).leadingZeroBitCount }
}

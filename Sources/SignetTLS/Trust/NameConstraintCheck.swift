/// Holds the names of certificates against the constraints of the authorities above them (RFC 5280 §4.2.1.10).
struct NameConstraintCheck {
    /// Names times constraints that are compared for one evaluation, whatever the number of paths.
    static let maximumComparisons = 65_536

    enum Problem: Error {
        case outside(String)
        case tooMany
        /// A form of constraint that cannot be checked, for a name that it concerns.
        case unknownForm
        case malformed(String)
    }

    private var comparisons = 0

    mutating func check(_ constraints: NameConstraints, on certificate: CertificateContent) throws(Problem) {
        let names = try Self.names(of: certificate)
        let (product, overflow) = names.count.multipliedReportingOverflow(
            by: constraints.permitted.count + constraints.excluded.count)
        comparisons += overflow ? Self.maximumComparisons : product
        guard !overflow, comparisons <= Self.maximumComparisons else { throw .tooMany }
        for name in names {
            var concerned = false
            var permitted = false
            for constraint in constraints.permitted where Self.sameForm(name, constraint) {
                concerned = true
                if try Self.isWithin(name, constraint) { permitted = true }
            }
            if concerned && !permitted { throw .outside("\(name)") }
            for constraint in constraints.excluded where Self.sameForm(name, constraint) {
                if try Self.touches(name, constraint) { throw .outside("\(name)") }
            }
        }
    }

    private static func names(of certificate: CertificateContent) throws(Problem) -> [GeneralName] {
        var names: [GeneralName]
        do { names = try certificate.subjectAltNames() } catch { throw .malformed("a subjectAltName") }
        if !certificate.subject.isEmpty { names.append(.directory(certificate.subject)) }
        if certificate.subject.hasEmailAddress { names.append(.other(1)) }
        return names
    }

    private static func sameForm(_ name: GeneralName, _ constraint: GeneralName) -> Bool {
        switch (name, constraint) {
        case (.dns, .dns), (.ip, .ip), (.directory, .directory): true
        case (.other(let left), .other(let right)): left == right
        default: false
        }
    }

    /// Whether everything that `name` stands for lies within the constraint.
    private static func isWithin(_ name: GeneralName, _ constraint: GeneralName) throws(Problem) -> Bool {
        switch (name, constraint) {
        case (.dns(let name), .dns(let constraint)):
            let (host, isWildcard) = try host(name)
            let domain = try domain(constraint)
            // With a leading dot, which this form does not know but some write, the domain itself is not meant.
            if constraint.hasPrefix("."), host == domain, !isWildcard { return false }
            return isSubdomain(host, of: domain)
        case (.ip(let address), .ip(let range)): return try contains(range, address)
        case (.directory(let name), .directory(let constraint)): return name.isWithin(constraint)
        default: throw .unknownForm
        }
    }

    /// Whether anything that `name` stands for lies within the constraint: a wildcard stands for many names.
    private static func touches(_ name: GeneralName, _ constraint: GeneralName) throws(Problem) -> Bool {
        guard case .dns(let name) = name, case .dns(let constraint) = constraint else {
            return try isWithin(name, constraint)
        }
        let (host, isWildcard) = try host(name)
        let domain = try domain(constraint)
        if isSubdomain(host, of: domain) { return true }
        guard isWildcard, let dot = domain.firstIndex(of: ".") else { return false }
        return domain[domain.index(after: dot)...] == host
    }

    private static func host(_ name: String) throws(Problem) -> (name: Substring, isWildcard: Bool) {
        if let base = DNSName.wildcardBase(name) { return (base, true) }
        guard DNSName.isHost(name) else { throw .malformed("the DNS name “\(DistinguishedName.printable(name))”") }
        return (name[...], false)
    }

    private static func domain(_ constraint: String) throws(Problem) -> Substring {
        let domain = constraint.hasPrefix(".") ? constraint.dropFirst() : constraint[...]
        guard domain.isEmpty || DNSName.isHost(domain) else {
            throw .malformed("the DNS constraint “\(DistinguishedName.printable(constraint))”")
        }
        return domain
    }

    private static func isSubdomain(_ name: Substring, of domain: Substring) -> Bool {
        domain.isEmpty || name == domain || name.hasSuffix(".\(domain)")
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

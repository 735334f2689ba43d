/// DNS names. A certificate can have very many of them, so each is parsed once and not for each comparison.
extension NameConstraintCheck {
    private struct Host {
        /// For a wildcard, the name after `*.`.
        let name: [UInt8]
        let isWildcard: Bool

        init(_ text: String) throws(Problem) {
            if let base = DNSName.wildcardBase(text) {
                (name, isWildcard) = (Array(base.utf8), true)
            } else {
                guard DNSName.isHost(text) else {
                    throw .malformed("the DNS name “\(DistinguishedName.printable(text))”")
                }
                (name, isWildcard) = (Array(text.utf8), false)
            }
        }
    }

    private struct Domain {
        let name: [UInt8]
        /// Whether the constraint begins with a dot. The standard does not define this form; some authorities use it to
        /// leave the domain itself out.
        let isOpen: Bool

        init(_ text: String) throws(Problem) {
            isOpen = text.hasPrefix(".")
            let domain = isOpen ? text.dropFirst() : text[...]
            guard domain.isEmpty || DNSName.isHost(domain) else {
                throw .malformed("the DNS constraint “\(DistinguishedName.printable(text))”")
            }
            name = Array(domain.utf8)
        }

        /// Whether the host, or every name that a wildcard covers, lies within.
        func holds(_ host: Host) -> Bool {
            if host.name.count == name.count { return host.name == name && (!isOpen || host.isWildcard) }
            return name.isEmpty || Self.isBelow(host.name[...], name[...])
        }

        /// Whether the host, or any name that a wildcard covers, lies within.
        func touches(_ host: Host) -> Bool {
            if host.name == name || holds(host) { return true }
            // The wildcard covers one label, so an excluded name may be one of its names.
            guard host.isWildcard, let dot = name.firstIndex(of: UInt8(ascii: ".")) else { return false }
            return name[(dot + 1)...] == host.name[...]
        }

        private static func isBelow(_ name: ArraySlice<UInt8>, _ domain: ArraySlice<UInt8>) -> Bool {
            guard name.count > domain.count else { return false }
            let start = name.endIndex - domain.count
            return name[start - 1] == UInt8(ascii: ".") && name[start...] == domain
        }
    }

    static func checkHosts(_ names: [GeneralName], _ constraints: NameConstraints) throws(Problem) {
        let (names, permitted, excluded) = (dns(names), dns(constraints.permitted), dns(constraints.excluded))
        guard !names.isEmpty, !permitted.isEmpty || !excluded.isEmpty else { return }
        var (inside, outside): ([Domain], [Domain]) = ([], [])
        for text in permitted { inside.append(try Domain(text)) }
        for text in excluded { outside.append(try Domain(text)) }
        for text in names {
            let host = try Host(text)
            guard inside.isEmpty || inside.contains(where: { $0.holds(host) }),
                !outside.contains(where: { $0.touches(host) })
            else { throw .outside(GeneralName.dns(text).description) }
        }
    }

    private static func dns(_ names: [GeneralName]) -> [String] {
        names.compactMap { if case .dns(let name) = $0 { name } else { nil } }
    }
}

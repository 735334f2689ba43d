/// Finds the alternatives of policies (WS-Policy 1.5 Framework §4.3) and the best of them.
///
/// Alternatives that ask for the same are one, so that a policy with many of them, as for algorithms that do not concern us, stays
/// small. What does not is given up on: the normal form of a policy can be as large as 2 to the power of its length.
struct PolicyEvaluation {
    /// Why a policy is not judged.
    private struct Limit: Error {}

    /// Alternatives of one policy that differ.
    static let maximumAlternatives = 128
    /// Policies inside of each other, references followed.
    static let maximumDepth = 64
    /// Expressions looked at and alternatives put together, for all policies of a WSDL.
    static let maximumSteps = 500_000

    private let policies: [String: PolicyNode]
    private var known: [String: [PolicyAlternative]?] = [:]
    /// The policies that are being looked at.
    private var open: Set<String> = []
    private(set) var steps = 0

    init(_ policies: [String: PolicyNode]) { self.policies = policies }

    /// What policies that are attached together ask for, which is all of them (WS-Policy 1.5 Attachment §4).
    mutating func requirements(of nodes: [PolicyNode], at place: SourceLocation) -> PolicyRequirements {
        if nodes.isEmpty { return PolicyRequirements() }
        do throws(Limit) {
            let best = try all(nodes, 0).map(\.result).min { $0.cost < $1.cost }
            guard let best else {
                return PolicyAlternative(
                    notJudged: "a policy that nothing satisfies (it has no alternative)", at: place
                )
                .result
            }
            return best
        } catch {
            return PolicyAlternative(
                notJudged:
                    "policies that were not judged, because they have more than \(Self.maximumAlternatives) alternatives "
                    + "or are nested deeper than \(Self.maximumDepth)", at: place
            ).result
        }
    }

    // MARK: Expressions

    private mutating func alternatives(_ node: PolicyNode, _ depth: Int) throws(Limit) -> [PolicyAlternative] {
        try step(depth)
        switch node {
        case .all(let nodes): return try all(nodes, depth)
        case .exactlyOne(let nodes):
            var result = Alternatives()
            for node in nodes { for alternative in try alternatives(node, depth + 1) { try result.add(alternative) } }
            return result.list
        case .reference(let name, let place): return try referred(name, place, depth)
        case .assertion(let assertion): return try meaning(of: assertion, depth)
        }
    }

    private mutating func all(_ nodes: [PolicyNode], _ depth: Int) throws(Limit) -> [PolicyAlternative] {
        var result = [PolicyAlternative()]
        for node in nodes {
            let right = try alternatives(node, depth + 1)
            steps &+= result.count &* right.count
            try step(depth)
            if right.count == 1, let only = right.first {
                for index in result.indices { result[index].merge(only) }
            } else {
                var product = Alternatives()
                for left in result { for right in right { try product.add(left.merged(right)) } }
                result = product.list
            }
        }
        return result
    }

    /// Those that differ, in their order.
    private struct Alternatives {
        private(set) var list: [PolicyAlternative] = []
        private var seen: Set<PolicyAlternative> = []

        mutating func add(_ alternative: PolicyAlternative) throws(Limit) {
            guard seen.insert(alternative).inserted else { return }
            list.append(alternative)
            if list.count > PolicyEvaluation.maximumAlternatives { throw Limit() }
        }
    }

    private mutating func referred(
        _ name: String, _ place: SourceLocation, _ depth: Int
    ) throws(Limit) -> [PolicyAlternative] {
        if let known = known[name] {
            guard let known else { throw Limit() }
            return known
        }
        guard let policy = policies[name] else {
            let isAddress = WebAddress(name) != nil
            return [
                PolicyAlternative(
                    notJudged: "the policy ‘\(name)’, which was not read"
                        + (isAddress ? " because nothing is fetched from a network" : ""), at: place)
            ]
        }
        guard open.insert(name).inserted else {
            return [PolicyAlternative(notJudged: "the policy ‘\(name)’, which refers to itself", at: place)]
        }
        defer { open.remove(name) }
        do throws(Limit) {
            let result = try alternatives(policy, depth + 1)
            known[name] = result
            return result
        } catch {
            known[name] = .some(nil)
            throw error
        }
    }

    private mutating func step(_ depth: Int) throws(Limit) {
        steps &+= 1
        guard depth < Self.maximumDepth, steps < Self.maximumSteps else { throw Limit() }
    }

    // MARK: Assertions

    private mutating func meaning(of assertion: PolicyAssertion, _ depth: Int) throws(Limit) -> [PolicyAlternative] {
        let meaning = PolicyMeaning(of: assertion)
        // Whoever may leave out a thing leaves it out, but for those that only change how a message is written.
        if assertion.isOptional {
            switch meaning {
            case .addressing: return [PolicyAlternative { $0.addressing = .optional }]
            case .mtom: return [PolicyAlternative { $0.mtom = .optional }]
            default: return [PolicyAlternative()]
            }
        }
        switch meaning {
        case .nothing: return [PolicyAlternative()]
        case .addressing: return [PolicyAlternative { $0.addressing = .required }]
        case .mtom: return [PolicyAlternative { $0.mtom = .required }]
        case .clientCertificate: return [PolicyAlternative { $0.clientCertificate = true }]
        case .httpAuthentication(let scheme): return [PolicyAlternative { $0.httpAuthentication = scheme }]
        case .timestamp: return [PolicyAlternative { $0.timestamp = true }]
        case .password(let password):
            var alternative = PolicyAlternative()
            alternative.password = password
            return [alternative]
        case .nonce:
            var alternative = PolicyAlternative()
            alternative.hasNonce = true
            return [alternative]
        case .parts:
            var alternative = PolicyAlternative()
            alternative.parts = [assertion.unsupported]
            return [alternative]
        case .nested: return try nested(in: assertion, depth)
        case .transport:
            return try nested(in: assertion, depth).map {
                var alternative = $0
                alternative.isTransport = true
                alternative.requirements.tls = true
                return alternative
            }
        case .https:
            let asks = assertion.flag("RequireClientCertificate")
            return try nested(in: assertion, depth).map {
                var alternative = $0
                alternative.requirements.tls = true
                if asks { alternative.requirements.clientCertificate = true }
                return alternative
            }
        case .usernameToken: return try usernameToken(assertion, depth)
        case .supportingTokens(let isProtected, let isEndorsing):
            return try nested(in: assertion, depth).map { inner in
                var alternative = inner
                alternative.parts = []
                if isEndorsing {
                    // Where all tokens are optional, nobody needs to sign.
                    let asks = !inner.requirements.unsupported.isEmpty || inner.requirements.usernameToken != nil
                    alternative.requirements = PolicyRequirements()
                    if asks { alternative.requirements.add(assertion.unsupported) }
                } else if isProtected {
                    alternative.requirements.tls = true
                }
                return alternative
            }
        case .symmetricOrAsymmetric:
            var alternative = PolicyAlternative()
            alternative.requirements.add(assertion.unsupported)
            alternative.isSymmetricOrAsymmetric = true
            return [alternative]
        case .unsupported:
            return [assertion.isIgnorable ? PolicyAlternative() : PolicyAlternative { $0.add(assertion.unsupported) }]
        }
    }

    private mutating func nested(in assertion: PolicyAssertion, _ depth: Int) throws(Limit) -> [PolicyAlternative] {
        // Some leave out the policy around what is nested.
        let bare = assertion.policies.isEmpty ? assertion.parameters : []
        return try all(assertion.policies + bare.map { .assertion($0) }, depth + 1)
    }

    /// WS-SecurityPolicy 1.2 §5.4.1, 1.3 §5.4.1.
    private mutating func usernameToken(
        _ assertion: PolicyAssertion, _ depth: Int
    ) throws(Limit) -> [PolicyAlternative] {
        // Only what goes to the service is ours to send.
        let inclusion = assertion.attributes.first { $0.key.localName == "IncludeToken" }?.value ?? ""
        if inclusion.hasSuffix("/Never") || inclusion.hasSuffix("/AlwaysToInitiator") { return [PolicyAlternative()] }
        return try all(assertion.policies, depth + 1).map { inner in
            var alternative = PolicyAlternative()
            for item in inner.requirements.unsupported { alternative.requirements.add(item) }
            alternative.requirements.usernameToken =
                switch inner.password {
                case .digest: .digest
                case .absent: .noPassword
                case nil: inner.hasNonce ? .timedText : .text
                }
            return alternative
        }
    }
}

/// Finds the alternatives of policies (WS-Policy 1.5 Framework §4.3).
///
/// Alternatives with equal requirements are merged, so that a policy with many alternatives, for example for algorithms
/// that Signet does not use, stays small. A policy that stays too large is not evaluated: the normal form of a policy
/// can be as large as 2 to the power of its length.
struct PolicyEvaluation {
    /// Why a policy is not evaluated.
    private struct Limit: Error {
        var reason: String
    }

    /// The alternatives of policies that apply together.
    enum Ways {
        case alternatives([PolicyAlternative])
        case notJudged(String)

        static let all = Self.alternatives([PolicyAlternative()])
    }

    /// The maximum number of different alternatives of one policy.
    static let maximumAlternatives = 128
    /// The maximum nesting of policies, including references.
    static let maximumDepth = 64
    /// The maximum number of visited expressions and combined alternatives, for all policies of a WSDL.
    static let maximumSteps = 500_000
    private static let stepsOfResult = 20

    private let policies: [String: PolicyNode]
    private var known: [String: Result<[PolicyAlternative], Limit>] = [:]
    /// The policies that are being evaluated.
    private var open: Set<String> = []
    private(set) var steps = 0

    init(_ policies: [String: PolicyNode]) { self.policies = policies }

    /// Whether the evaluation has stopped at the limit.
    var isExhausted: Bool { steps >= Self.maximumSteps }

    /// The alternatives that satisfy all of the policies attached together (WS-Policy 1.5 Attachment §4).
    mutating func ways(of nodes: [PolicyNode]) -> Ways {
        do throws(Limit) { return .alternatives(try all(nodes, 0)) } catch { return .notJudged(error.reason) }
    }

    /// The alternatives that satisfy both groups of policies.
    mutating func combine(_ left: Ways, _ right: Ways) -> Ways {
        guard case .alternatives(let first) = left else { return left }
        guard case .alternatives(let second) = right else { return right }
        // Each result is stored.
        steps &+= Self.stepsOfResult
        do throws(Limit) { return .alternatives(try product(first, second, 0)) } catch {
            return .notJudged(error.reason)
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
        for node in nodes { result = try product(result, try alternatives(node, depth + 1), depth) }
        return result
    }

    private mutating func product(
        _ left: [PolicyAlternative], _ right: [PolicyAlternative], _ depth: Int
    ) throws(Limit) -> [PolicyAlternative] {
        steps &+= left.count &* right.count
        try step(depth)
        if right.count == 1, let only = right.first { return left.map { $0.merged(only) } }
        var product = Alternatives()
        for one in left { for other in right { try product.add(one.merged(other)) } }
        return product.list
    }

    /// The different alternatives, in document order.
    private struct Alternatives {
        private(set) var list: [PolicyAlternative] = []
        private var seen: Set<PolicyAlternative> = []

        mutating func add(_ alternative: PolicyAlternative) throws(Limit) {
            guard seen.insert(alternative).inserted else { return }
            list.append(alternative)
            if list.count > PolicyEvaluation.maximumAlternatives {
                throw Limit(reason: "they have more than \(PolicyEvaluation.maximumAlternatives) alternatives")
            }
        }
    }

    private mutating func referred(
        _ name: String, _ place: SourceLocation, _ depth: Int
    ) throws(Limit) -> [PolicyAlternative] {
        if let known = known[name] { return try known.get() }
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
            known[name] = .success(result)
            return result
        } catch {
            known[name] = .failure(error)
            throw error
        }
    }

    private mutating func step(_ depth: Int) throws(Limit) {
        steps &+= 1
        guard depth < Self.maximumDepth else {
            throw Limit(reason: "they are nested deeper than \(Self.maximumDepth)")
        }
        guard steps < Self.maximumSteps else {
            throw Limit(
                reason: "all policies of the WSDL together have more than \(Self.maximumSteps) parts to evaluate")
        }
    }

    // MARK: Assertions

    private mutating func meaning(of assertion: PolicyAssertion, _ depth: Int) throws(Limit) -> [PolicyAlternative] {
        let meaning = PolicyMeaning(of: assertion)
        // An optional assertion gives two alternatives: with it and without it (WS-Policy 1.5 Framework §4.3.1).
        if assertion.isOptional {
            var inner = assertion
            inner.isOptional = false
            var alternative = PolicyAlternative()
            for way in try self.meaning(of: inner, depth).map(\.result) where way.unsupported.isEmpty {
                for item in way.list + way.accepted { alternative.requirements.accept(item) }
            }
            return [alternative]
        }
        switch meaning {
        case .nothing: return [PolicyAlternative()]
        case .addressing:
            return try nested(in: assertion, depth).map {
                var alternative = $0
                alternative.requirements.addressing = true
                return alternative
            }
        case .mtom: return [PolicyAlternative { $0.mtom = true }]
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
            alternative.protection = PolicyParts(of: assertion, &alternative.problemsOfParts)
            return [alternative]
        case .elements:
            var alternative = PolicyAlternative()
            alternative.parts = [assertion.unsupported]
            alternative.problemsOfParts = ["elements named by XPath (\(assertion.name.localName))"]
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
        case .issuedToken: return [Self.issuedToken(assertion)]
        case .supportingTokens(let areSigned, let areEncrypted, let areEndorsing):
            return try nested(in: assertion, depth).map { inner in
                var alternative = inner
                // These parts are those that the tokens sign.
                (alternative.parts, alternative.protection, alternative.problemsOfParts) = ([], .init(), [])
                // When all tokens are optional, no signature is needed.
                let hasToken = !inner.requirements.unsupported.isEmpty || inner.requirements.usernameToken != nil
                // The key of its holder signs the messages.
                let isHolder = inner.requirements.issuedToken?.isForHolder == true
                if areEndorsing, !isHolder {
                    alternative.requirements = PolicyRequirements()
                    if hasToken || inner.requirements.issuedToken != nil {
                        alternative.requirements.add(assertion.unsupported)
                    }
                } else if hasToken || inner.requirements.issuedToken != nil {
                    alternative.signsToken = areSigned
                    alternative.encryptsToken = areEncrypted
                }
                return alternative
            }
        case .symmetric:
            var alternative = PolicyAlternative()
            alternative.requirements.add(assertion.unsupported)
            alternative.requirements.refusal = assertion.unsupported.text
            alternative.isSymmetric = true
            return [alternative]
        case .asymmetric:
            var alternative = PolicyAlternative()
            alternative.asymmetric = AsymmetricBindingDetails(of: assertion)
            return [alternative]
        case .wss:
            var alternative = PolicyAlternative()
            let details = assertion.flattened()
            let names = details.list.filter { !$0.isOptional }.map(\.name.localName)
            if details.isCutOff {
                alternative.problemsOfParts = ["a policy inside \(assertion.name.localName) that is not read here"]
            }
            alternative.confirmsSignature = names.contains("RequireSignatureConfirmation")
            alternative.references = Self.supportedReferences.filter { names.contains($0.name) }.map(\.reference)
            return [alternative]
        case .unsupported:
            return [assertion.isIgnorable ? PolicyAlternative() : PolicyAlternative { $0.add(assertion.unsupported) }]
        }
    }

    private static let supportedReferences: [(name: String, reference: AsymmetricPolicy.Reference)] = [
        ("MustSupportRefIssuerSerial", .issuerSerial), ("MustSupportRefKeyIdentifier", .subjectKeyIdentifier),
        ("MustSupportRefThumbprint", .thumbprint),
    ]

    private mutating func nested(in assertion: PolicyAssertion, _ depth: Int) throws(Limit) -> [PolicyAlternative] {
        // Some WSDLs leave out the `Policy` element around nested assertions.
        let bare = assertion.policies.isEmpty ? assertion.parameters : []
        return try all(assertion.policies + bare.map { .assertion($0) }, depth + 1)
    }

    /// WS-SecurityPolicy 1.3 §5.4.2.
    private static func issuedToken(_ assertion: PolicyAssertion) -> PolicyAlternative {
        let inclusion = assertion.attributes.first { $0.key.localName == "IncludeToken" }?.value ?? ""
        if inclusion.hasSuffix("/AlwaysToInitiator") { return PolicyAlternative() }
        var problem: String?
        let token = IssuedTokenPolicy(of: assertion, &problem)
        if inclusion.hasSuffix("/Never") { problem = "a token that messages do not bring" }
        guard let problem else { return PolicyAlternative { $0.issuedToken = token } }
        return PolicyAlternative { requirements in
            requirements.add(.init(text: "\(token) (IssuedToken), \(problem)", location: assertion.location))
        }
    }

    /// WS-SecurityPolicy 1.2 §5.4.1, 1.3 §5.4.1.
    private mutating func usernameToken(
        _ assertion: PolicyAssertion, _ depth: Int
    ) throws(Limit) -> [PolicyAlternative] {
        // A client sends only the tokens that go to the service.
        let inclusion = assertion.attributes.first { $0.key.localName == "IncludeToken" }?.value ?? ""
        if inclusion.hasSuffix("/Never") || inclusion.hasSuffix("/AlwaysToInitiator") { return [PolicyAlternative()] }
        return try nested(in: assertion, depth).map { inner in
            var alternative = PolicyAlternative()
            for item in inner.requirements.unsupported { alternative.requirements.add(item) }
            alternative.requirements.usernameToken =
                switch inner.password {
                case .digest: .digest
                case .absent: .noPassword
                case nil: inner.hasNonce ? .textWithNonce : .text
                }
            return alternative
        }
    }
}

extension PolicyEvaluation.Ways {
    /// The requirements of these policies.
    func requirements(at place: SourceLocation) -> PolicyRequirements {
        switch self {
        case .alternatives(let list):
            PolicyRequirements.common(of: list.map(\.result))
                ?? PolicyAlternative(
                    notJudged: "a policy that nothing satisfies (it has no alternative)", at: place
                ).result
        case .notJudged(let reason):
            PolicyAlternative(notJudged: "policies that were not judged, because \(reason)", at: place).result
        }
    }
}

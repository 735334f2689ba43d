import SignetXML

/// Messages that are signed and encrypted with certificates: `sp:AsymmetricBinding`, with the parts that other assertions
/// name (WS-SecurityPolicy 1.3 §4, §7.4).
package struct AsymmetricPolicy: Sendable, Hashable {
    /// A part of a message.
    package enum Part: Sendable, Hashable {
        case body, timestamp, usernameToken, signingToken, allHeaderBlocks, attachments
        case headerBlocks(namespace: String)
        case headerBlock(QName)
    }

    /// How a message brings or names a certificate. The raw values are the cases of `CertificateReference`.
    package enum Reference: String, Sendable, Hashable, CaseIterable {
        case certificate, path, issuerSerial, subjectKeyIdentifier, thumbprint
    }

    /// The algorithms (§6.1); the best one comes first. The raw values are the cases of `AsymmetricBinding.AlgorithmSuite`.
    package enum Suite: String, Sendable, Hashable, CaseIterable {
        case basic256Sha256, basic192Sha256, basic128Sha256, basic256, basic192, basic128

        /// The name of its assertion.
        package var name: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

        /// Whether it signs with SHA-1.
        var usesSHA1: Bool { [.basic256, .basic192, .basic128].contains(self) }
    }

    /// The parts of a request, or of an answer.
    package struct Protection: Sendable, Hashable {
        package var signed: [Part] = []
        package var encrypted: [Part] = []
    }

    package var suite: Suite
    /// How a request brings or names the certificate of the client.
    package var client: Reference
    /// How a request names the certificate for which it is encrypted.
    package var service: Reference
    /// `sp:RequireSignatureConfirmation`.
    package var confirmsSignature = false
    /// `sp:STRTransform10`, where the token is signed.
    package var usesTokenTransform = false
    package var request: Protection
    package var answer: Protection
}

extension AsymmetricPolicy: CustomStringConvertible {
    package var description: String {
        request.encrypted.isEmpty && answer.encrypted.isEmpty
            ? "messages signed with a certificate (\(suite.name))"
            : "messages signed and encrypted with certificates (\(suite.name))"
    }
}

extension AsymmetricPolicy {
    /// What Signet does only when the program allows it, with the settings that do.
    var weaknesses: [String] {
        var found: [String] = []
        if suite.usesSHA1 {
            found.append(
                "signatures with SHA-1 (\(suite.name)), which no longer protects against a signer who makes two messages with one "
                    + "signature. Signet makes them when allowsSHA1 of the SecurityHeader is set, and accepts them when "
                    + "acceptsSHA1 of the SignaturePolicy is.")
        }
        if !answer.encrypted.isEmpty {
            found.append(
                "answers encrypted with CBC (\(suite.name)), which does not show changes. Signet accepts "
                    + "them when acceptsCBC of the DecryptionPolicy is set.")
        }
        return found
    }
}

/// The parts of messages that assertions name, while they are collected.
struct PolicyParts: Hashable {
    var signed: Set<AsymmetricPolicy.Part> = []
    var encrypted: Set<AsymmetricPolicy.Part> = []
    var isCutOff = false

    /// No signature of Signet has more references.
    private static let maximum = 32

    var problems: [String] { isCutOff ? ["more than \(Self.maximum) parts"] : [] }

    init() {}

    /// The parts of `sp:SignedParts` or `sp:EncryptedParts` (WS-SecurityPolicy 1.3 §4.1.1, §4.2.1), and those of them that Signet
    /// does not protect.
    init(of assertion: PolicyAssertion, _ problems: inout [String]) {
        let isSigned = assertion.name.localName == "SignedParts"
        var found: Set<AsymmetricPolicy.Part> = []
        for part in assertion.parameters {
            switch part.name.localName {
            case "Body": found.insert(.body)
            case "Header" where isSigned:
                let namespace = part.attributes[QName("", "Namespace")] ?? ""
                let name = part.attributes[QName("", "Name")]
                found.insert(
                    name.map { .headerBlock(QName(namespace, $0)) } ?? .headerBlocks(namespace: namespace))
            // Without this transform, the header fields of the attachments would be signed as well.
            case "Attachments" where isSigned && part.parameters.map(\.name.localName) == ["ContentSignatureTransform"]:
                found.insert(.attachments)
            case let other:
                let name = part.attributes[QName("", "Name")].map { " \($0)" } ?? ""
                let text = "\(other)\(name) in \(assertion.name.localName)"
                if problems.count < PolicyAlternative.maximumParts, !problems.contains(text) { problems.append(text) }
            }
            isCutOff = isCutOff || found.count > Self.maximum
            if isCutOff { break }
        }
        if assertion.parameters.isEmpty { found = isSigned ? [.body, .allHeaderBlocks] : [.body] }
        if isSigned { signed = found } else { encrypted = found }
    }

    mutating func merge(_ other: Self) {
        isCutOff = isCutOff || other.isCutOff
        if isCutOff || other == self { return }
        signed.formUnion(other.signed)
        encrypted.formUnion(other.encrypted)
        isCutOff = signed.count > Self.maximum || encrypted.count > Self.maximum
    }

    /// In an order that does not depend on that of the policies: requirements are compared.
    var sorted: AsymmetricPolicy.Protection {
        .init(signed: signed.sorted { $0.order < $1.order }, encrypted: encrypted.sorted { $0.order < $1.order })
    }
}

extension AsymmetricPolicy.Part {
    fileprivate var order: (Int, String) {
        switch self {
        case .body: (0, "")
        case .timestamp: (1, "")
        case .usernameToken: (2, "")
        case .signingToken: (3, "")
        case .allHeaderBlocks: (4, "")
        case .headerBlocks(let namespace): (5, namespace)
        case .headerBlock(let name): (6, "\(name.namespace) \(name.localName)")
        case .attachments: (7, "")
        }
    }
}

/// What an `sp:AsymmetricBinding` itself says.
struct AsymmetricBindingDetails: Hashable {
    var suite: AsymmetricPolicy.Suite?
    /// Nil where the binding leaves the choice.
    var client: AsymmetricPolicy.Reference? = .certificate
    var service: AsymmetricPolicy.Reference?
    var hasTimestamp = false
    var signsToken = false
    var usesTokenTransform = false
    var encryptsSignature = false
    /// Whether the Timestamp stands before all else, or after it.
    var isTimestampFirst = false
    /// What Signet does not implement, or the binding lacks.
    var problems: [String] = []
    var text: String
    var location: SourceLocation

    init(of binding: PolicyAssertion) {
        text = binding.unsupported.text
        location = binding.location
        for assertion in details(of: binding) {
            switch assertion.name.localName {
            // Which key signs, and which one decrypts, the program says.
            case "InitiatorToken", "InitiatorSignatureToken": client = reference(in: assertion, isOfClient: true)
            case "RecipientToken", "RecipientEncryptionToken": service = reference(in: assertion, isOfClient: false)
            case "InitiatorEncryptionToken", "RecipientSignatureToken": _ = reference(in: assertion, isOfClient: false)
            case "AlgorithmSuite": readSuite(assertion)
            case "Layout":
                let names = details(of: assertion).map(\.name.localName)
                if names == ["LaxTsLast"] { problems.append("a Timestamp after all else (LaxTsLast)") }
                isTimestampFirst = names == ["LaxTsFirst"]
            case "IncludeTimestamp": hasTimestamp = true
            case "ProtectTokens": signsToken = true
            case "EncryptSignature": encryptsSignature = true
            case "EncryptBeforeSigning": problems.append("encrypted before it is signed (EncryptBeforeSigning)")
            case "OnlySignEntireHeadersAndBody", "SignBeforeEncrypting": break
            case let other: problems.append("something unknown (\(other))")
            }
        }
        if suite == nil, problems.isEmpty { problems.append("no AlgorithmSuite") }
    }

    /// What an AlgorithmSuite can have besides the name of a suite, and Signet does or does not use.
    private static let detailsOfSuites: Set<String> = [
        "STRTransform10", "XPath10", "XPathFilter20", "AbsXPath",
    ]

    /// A policy can say the same twice.
    func agreeing(with other: Self) -> Self {
        var copy = other
        copy.location = location
        var result = self
        if copy != self, !problems.contains("a second AsymmetricBinding") {
            result.problems.append("a second AsymmetricBinding")
        }
        return result
    }

    private mutating func readSuite(_ assertion: PolicyAssertion) {
        let names = details(of: assertion).map(\.name.localName)
        suite = AsymmetricPolicy.Suite.allCases.first { names.contains($0.name) }
        usesTokenTransform = names.contains("STRTransform10")
        let suites = AsymmetricPolicy.Suite.allCases.map(\.name)
        for name in names where !suites.contains(name) && !Self.detailsOfSuites.contains(name) {
            if ["InclusiveC14N", "InclusiveC14N11", "SOAPNormalization10", "SoapNormalization10"].contains(name) {
                problems.append("another canonical form (\(name))")
            } else if suite == nil || !name.hasPrefix("Basic") && !name.hasPrefix("TripleDes") {
                problems.append("the algorithms of \(name), \(Self.reason(against: name))")
            }
        }
    }

    private static func reason(against suite: String) -> String {
        if suite.contains("Rsa15") { return "whose RSA PKCS#1 v1.5 lets attackers decrypt messages" }
        if suite.contains("TripleDes") { return "whose triple DES is broken" }
        return "which Signet does not know"
    }

    /// How the token in an assertion is brought or named; nil where the policy leaves the choice.
    private mutating func reference(
        in assertion: PolicyAssertion, isOfClient: Bool
    ) -> AsymmetricPolicy.Reference? {
        let tokens = details(of: assertion)
        guard let token = tokens.first(where: { $0.name.localName == "X509Token" }) else {
            if let other = tokens.first { problems.append("a token of another kind (\(other.name.localName))") }
            return .certificate
        }
        let names = details(of: token).map(\.name.localName)
        for name in names where !Self.detailsOfTokens.contains(name) && !name.hasPrefix("WssX509") {
            problems.append(name.hasSuffix("DerivedKeys") ? "derived keys (\(name))" : "something unknown (\(name))")
        }
        let wanted = Self.references.first { names.contains($0.key) }?.value
        let forms = names.filter { $0.hasPrefix("WssX509") }
        let isPath = !forms.isEmpty && forms.allSatisfy { $0.contains("PkiPath") }
        if !forms.isEmpty, !forms.contains(where: { $0.contains("PkiPath") || $0.contains("V3") }) {
            problems.append("a certificate in another form (\(forms[0]))")
        }
        if names.contains("RequireEmbeddedTokenReference") {
            problems.append("a certificate inside a reference (RequireEmbeddedTokenReference)")
        }
        let inclusion = (token.attributes.first { $0.key.localName == "IncludeToken" }?.value ?? "").trimmedXMLSpace
        // The names of all versions end in the same way. The inclusion tells about the requests, where both tokens are.
        let isIncluded =
            ["/Always", "/Once", "/AlwaysToRecipient"].contains { inclusion.hasSuffix($0) }
            || inclusion.isEmpty && isOfClient
        guard isIncluded else {
            let isKnown = ["/Never", "/AlwaysToInitiator"].contains { inclusion.hasSuffix($0) } || inclusion.isEmpty
            if !isKnown { problems.append("an unknown IncludeToken (\(inclusion))") }
            return wanted
        }
        guard let wanted else { return isPath ? .path : .certificate }
        // A certificate in the message is referred to directly.
        if isOfClient {
            problems.append("a certificate in the message that is not referred to directly (\(wanted.rawValue))")
        }
        return wanted
    }

    private static let detailsOfTokens: Set<String> = [
        "RequireThumbprintReference", "RequireKeyIdentifierReference", "RequireIssuerSerialReference",
        "RequireEmbeddedTokenReference", "RequireDirectReference", "RequireExternalUriReference", "Issuer",
        "IssuerName", "Claims",
    ]
    private static let references: KeyValuePairs<String, AsymmetricPolicy.Reference> = [
        "RequireThumbprintReference": .thumbprint, "RequireKeyIdentifierReference": .subjectKeyIdentifier,
        "RequireIssuerSerialReference": .issuerSerial,
    ]

    /// The assertions inside that are not optional, whichever alternatives they stand in.
    private mutating func details(of assertion: PolicyAssertion) -> [PolicyAssertion] {
        var found = assertion.flattened()
        if found.hasChoice, assertion.name.localName != "AlgorithmSuite" {
            problems.append("alternatives inside \(assertion.name.localName)")
        }
        if found.isCutOff { problems.append("a policy inside \(assertion.name.localName) that is not read here") }
        found.list.removeAll(where: \.isOptional)
        return found.list
    }
}

extension PolicyAssertion {
    private static let maximumDetails = 256
    private static let maximumDepth = 16

    /// The assertions inside, without their structure. Some WSDLs leave out the `Policy` element around them.
    ///
    /// - Returns: also whether some are missing, because they are too many or stand elsewhere, and whether some are alternatives.
    func flattened() -> (list: [PolicyAssertion], isCutOff: Bool, hasChoice: Bool) {
        let nodes = policies.isEmpty ? parameters.map { .assertion($0) } : policies
        var list: [PolicyAssertion] = []
        var isCutOff = false
        var hasChoice = false
        func add(_ nodes: [PolicyNode], depth: Int) {
            for node in nodes {
                guard list.count < Self.maximumDetails, depth < Self.maximumDepth else { return isCutOff = true }
                switch node {
                case .all(let inner): add(inner, depth: depth + 1)
                case .exactlyOne(let inner):
                    hasChoice = hasChoice || inner.count > 1
                    add(inner, depth: depth + 1)
                case .assertion(let assertion): list.append(assertion)
                case .reference: isCutOff = true
                }
            }
        }
        add(nodes, depth: 0)
        return (list, isCutOff, hasChoice)
    }
}

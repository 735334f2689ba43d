public import SignetSOAP
import SignetSignature
public import SignetTLS
import SignetXML

/// Which SAML assertions a service accepts: of whom, for whom, and how long.
///
/// ```swift
/// var policy = SAMLPolicy(
///     issuers: ["https://login.example/adfs/services/trust": [issuer]], audiences: ["https://records.example/"])
/// let dispatcher = Records.dispatcher(Archive()).verified(by: SAMLVerifier(policy))
/// ```
///
/// An assertion is accepted when the key of its issuer signed it whole, it is meant for one of the audiences, it is valid now, it has no
/// condition that is unknown, and its sender can confirm it. It is then read from the signed bytes, and from no others.
public struct SAMLPolicy: Sendable {
    /// The certificates of each issuer, by the issuer's name as assertions have it. The certificates in assertions count for nothing.
    public var issuers: [String: [EncodedCertificate]]
    /// The names of this service, of which each list of audiences in an assertion must have one. An assertion without a list is refused, unless this is
    /// empty, which accepts assertions for any service.
    public var audiences: Set<String>
    /// The versions that are accepted.
    public var versions: Set<SAMLAssertion.Version> = Set(SAMLAssertion.Version.allCases)
    /// The addresses of this service that a `Recipient` may name. An assertion with another recipient is refused.
    public var recipients: Set<String> = []
    /// Whether an assertion may come with more than one message. An assertion that says that it is for one use never may.
    public var allowsReuse = true
    /// How far the clock of an issuer may differ from that of this machine.
    public var maximumClockDifference = Duration.seconds(60)
    /// Whether assertions signed with SHA-1 are accepted. SHA-1 no longer protects against a signer who makes two documents with one
    /// signature.
    public var acceptsSHA1 = false
    /// The limits of the messages.
    public var limits = XMLLimits()

    /// - Parameters:
    ///   - issuers: see ``issuers``.
    ///   - audiences: see ``audiences``.
    public init(issuers: [String: [EncodedCertificate]], audiences: Set<String>) {
        self.issuers = issuers
        self.audiences = audiences
    }
}

extension SAMLPolicy {
    /// The sender of a message, as it confirms an assertion.
    enum Confirming {
        /// By having the assertion.
        case bearer
        /// By a signature with the key that the assertion names.
        case holderOfKey
    }

    /// Verifies an assertion.
    ///
    /// - Parameters:
    ///   - element: its place in `document`.
    ///   - now: since 1970.
    /// - Returns: what is signed, and the ways in which the sender can confirm it.
    /// - Throws: ``SecurityDefect``.
    func verified(
        _ element: DocumentIndex.Element, in document: [UInt8], by sender: Confirming, now: Duration
    ) throws -> (assertion: SAMLAssertion, confirmations: [SAMLAssertion.Confirmation]) {
        // Read without trust, to learn whose signature to look for.
        let (claimed, places) = try read(element, in: document)
        guard versions.contains(claimed.version) else {
            throw SecurityDefect(.unsupportedSecurityToken, "assertions of this version of SAML are not accepted")
        }
        // The names count byte by byte: letters that look alike must not.
        guard let certificates = issuers.first(where: { $0.key.isExactly(claimed.issuer) })?.value else {
            throw SecurityDefect(.failedAuthentication, "the issuer “\(claimed.issuer.printable)” is unknown")
        }
        guard let place = places.first, places.count == 1 else {
            throw SecurityDefect(
                .invalidSecurityToken, "the assertion has \(places.count) signatures of its own, and must have one")
        }
        let assertion = try signed(element, place, in: document, by: certificates, now)
        guard assertion.identifier.isExactly(claimed.identifier), assertion.issuer.isExactly(claimed.issuer) else {
            throw SecurityDefect(.failedCheck, "the signed assertion is not the one in the message")
        }
        try check(assertion, now: now)
        let ways = try confirmations(of: assertion, by: sender, now: now)
        return (assertion, ways)
    }

    /// The assertion, and where the signatures directly inside of it begin.
    private func read(
        _ element: DocumentIndex.Element, in document: [UInt8]
    ) throws -> (SAMLAssertion, signatures: [Int]) {
        do {
            return try XMLReader.read(document, limits: limits) { reader throws in
                while try reader.next() != .endOfDocument {
                    guard reader.startTagOffset == element.range.lowerBound else { continue }
                    let depth = reader.openElements
                    var signatures: [Int] = []
                    while reader.openElements >= depth {
                        if try reader.next() == .startElement, reader.openElements == depth + 1,
                            reader.isElement(SecurityName.signature), let place = reader.startTagOffset
                        {
                            signatures.append(place)
                        }
                    }
                    let content = try XMLCanonicalization(.exclusive10)
                        .content(of: element, in: document, limits: limits)
                    return (try SAMLAssertion(document: content, limits: limits), signatures)
                }
                throw SecurityDefect(.invalidSecurityToken, "the assertion cannot be found")
            }
        } catch { throw SecurityDefect(of: error) }
    }

    /// What the issuer signed.
    private func signed(
        _ element: DocumentIndex.Element, _ place: Int, in document: [UInt8], by certificates: [EncodedCertificate],
        _ now: Duration
    ) throws -> SAMLAssertion {
        do {
            let signature = try SignatureElement(at: place, of: document, limits: limits)
            guard let reference = signature.references.first, signature.references.count == 1, reference.isEnveloped,
                let identifier = reference.identifier
            else {
                throw SecurityDefect(
                    .invalidSecurityToken,
                    "the signature of an assertion has one reference, to the assertion by its identifier (SAML 2.0 §5.4.2)"
                )
            }
            let index = try DocumentIndex(of: document, identifiers: [identifier], limits: limits)
            guard try reference.element(in: index) == element else {
                throw SecurityDefect(.failedCheck, "the signature in the assertion covers another element")
            }
            var verifier = XMLSignatureVerifier(signers: certificates)
            verifier.acceptsSHA1 = acceptsSHA1
            verifier.limits = limits
            let finding = try verifier.verify(signature, [], [element], document, now.wholeSeconds)
            guard let content = finding.contents.first else {
                throw SecurityDefect(.failedCheck, "the signature in the assertion covers nothing")
            }
            return try SAMLAssertion(document: content.bytes, limits: limits)
        } catch { throw SecurityDefect(of: error) }
    }

    private func check(_ assertion: SAMLAssertion, now: Duration) throws(SecurityDefect) {
        guard assertion.unknownConditions.isEmpty else {
            throw SecurityDefect(
                .invalidSecurityToken,
                "the assertion has the condition “\(assertion.unknownConditions[0].printable)”, which is unknown")
        }
        try checkTime(assertion.notBefore, assertion.notOnOrAfter, now, "the assertion")
        guard audiences.isEmpty || !assertion.audiences.isEmpty else {
            throw SecurityDefect(.failedAuthentication, "the assertion does not say for which service it is meant")
        }
        for list in assertion.audiences
        where !audiences.isEmpty && !list.contains(where: { name in audiences.contains { $0.isExactly(name) } }) {
            let names = list.prefix(3).map { "“\($0.printable)”" }.joined(separator: ", ")
            throw SecurityDefect(.failedAuthentication, "the assertion is meant for \(names), not for this service")
        }
        guard let subject = assertion.subject else { return }
        guard !subject.isEmpty, !subject.unicodeScalars.contains(where: \.isUnprintable),
            subject.first?.isWhitespace != true, subject.last?.isWhitespace != true
        else {
            throw SecurityDefect(
                .invalidSecurityToken,
                "the name “\(subject.printable)” of the subject is empty or unprintable, or has white space around it")
        }
    }

    private func checkTime(
        _ begin: Int64?, _ end: Int64?, _ now: Duration, _ what: String
    ) throws(SecurityDefect) {
        if let begin, .seconds(begin) - maximumClockDifference > now {
            throw SecurityDefect(.failedAuthentication, "\(what) is not valid yet")
        }
        if let end, .seconds(end) + maximumClockDifference <= now {
            throw SecurityDefect(.failedAuthentication, "\(what) has expired")
        }
    }

    /// The ways in which the sender can confirm the assertion, of which there is one at least.
    private func confirmations(
        of assertion: SAMLAssertion, by sender: Confirming, now: Duration
    ) throws(SecurityDefect) -> [SAMLAssertion.Confirmation] {
        var problem: SecurityDefect?
        var ways: [SAMLAssertion.Confirmation] = []
        for way in assertion.confirmations {
            guard sender == .bearer ? way.isBearer : way.isHolderOfKey else { continue }
            do throws(SecurityDefect) {
                try check(way, of: assertion, now: now)
                ways.append(way)
            } catch { problem = problem ?? error }
        }
        guard ways.isEmpty else { return ways }
        throw problem
            ?? SecurityDefect(
                .failedAuthentication,
                sender == .bearer
                    ? "the assertion is for no bearer: its sender must confirm it in another way"
                    : "the assertion names no key of its holder")
    }

    private func check(
        _ way: SAMLAssertion.Confirmation, of assertion: SAMLAssertion, now: Duration
    ) throws(SecurityDefect) {
        try checkTime(way.notBefore, way.notOnOrAfter, now, "the confirmation of the assertion")
        guard assertion.notOnOrAfter != nil || way.notOnOrAfter != nil else {
            throw SecurityDefect(.invalidSecurityToken, "the assertion never expires")
        }
        if let recipient = way.recipient, !recipients.contains(where: { $0.isExactly(recipient) }) {
            throw SecurityDefect(
                .failedAuthentication,
                "the assertion is for the recipient “\(recipient.printable)”, not for this service")
        }
        if way.isHolderOfKey, way.holder == nil {
            throw SecurityDefect(
                .unsupportedSecurityToken, "the assertion names the key of its holder without a certificate")
        }
    }
}

extension SAMLAssertion {
    /// Reads an assertion that is a document by itself.
    init(document: [UInt8], limits: XMLLimits) throws {
        self = try XMLReader.read(document, limits: limits) { reader throws in
            try reader.root()
            let assertion = try Self(&reader)
            try reader.finish()
            return assertion
        }
    }

    /// Writes down in `peer` what is known by the assertion.
    func describe(_ peer: inout PeerDescription) {
        peer.user = subject
        peer.userQualifier = subjectQualifier
        peer.issuer = issuer
        peer.claims = attributes
    }

    /// Until when the assertion can be used, since 1970.
    func end(of confirmations: [Confirmation]) -> Duration {
        .seconds(([notOnOrAfter] + confirmations.map(\.notOnOrAfter)).compactMap(\.self).max() ?? 0)
    }
}

import Crypto
public import SignetCredentials
public import SignetSOAP
import SignetSignature
import SignetXML

/// Accepts only requests whose `Security` header block has a SAML assertion for its bearer that a ``SAMLPolicy`` accepts (SAML Token Profile 1.1
/// §3.5.1).
///
/// A handler finds the subject in ``/SignetSOAP/PeerDescription/user``, the issuer and the attributes beside it. Nothing binds the assertion to the rest of its
/// message: without TLS, an attacker on the network path can take it. For assertions of the holder of a key, use a ``SignedMessageVerifier`` with
/// ``SignaturePolicy/init(holdersOf:)``.
public struct SAMLVerifier: Sendable {
    /// Which assertions are accepted.
    public var policy: SAMLPolicy
    /// How old the Timestamp of a message may be.
    public var freshness = Freshness()
    /// Whether each message must have a Timestamp. A Timestamp that is present is always checked.
    public var requiresTimestamp = false
    /// The cache of assertions that are for one use.
    public var replayCache: any ReplayCache
    /// Returns the current time, since 1970.
    var now: @Sendable () -> Duration = { .systemTime }

    /// - Parameters:
    ///   - policy: which assertions are accepted.
    ///   - replayCache: the cache of assertions that are for one use; by default, the one that this process shares.
    public init(_ policy: SAMLPolicy, replayCache: any ReplayCache = MemoryReplayCache.shared) {
        self.policy = policy
        self.replayCache = replayCache
    }
}

extension SAMLVerifier: RequestVerifier {
    public var understoodHeaderBlocks: Set<XMLName> { [SecurityName.security] }

    public func verify(_ context: inout OperationContext) async throws {
        do {
            let blocks = context.headerBlocks(SecurityName.security)
            guard let block = blocks.first else { throw SecurityDefect(.invalidSecurity, "no Security header block") }
            guard blocks.count == 1 else {
                throw SecurityDefect(.invalidSecurity, "several Security header blocks")
            }
            let now = now()
            let security = try ReceivedSecurity(block.fragment)
            if block.mustUnderstand, let unknown = security.unknownElements.first(where: { !$0.isAssertion }) {
                throw SecurityDefect(
                    .unsupportedSecurityToken, "“\(unknown.name.printable)” in the header block is not understood")
            }
            if block.mustUnderstand, security.usernameToken != nil {
                throw SecurityDefect(
                    .unsupportedSecurityToken, "a UsernameToken beside the assertion is not understood")
            }
            if security.timestamp == nil, requiresTimestamp { throw SecurityDefect(.invalidSecurity, "no Timestamp") }
            try security.timestamp?.check(freshness, now: now)
            let document = block.fragment.bytes
            let element = try Self.assertion(in: document, policy.limits)
            let (assertion, confirmations) = try policy.verified(element, in: document, by: .bearer, now: now)
            try await policy.refuseReuse(of: assertion, confirmations, replayCache, now: now)
            assertion.describe(&context.peer)
        } catch let defect as SecurityDefect {
            throw defect.refusal
        }
    }

    /// The one assertion of a Security header block.
    private static func assertion(in document: [UInt8], _ limits: XMLLimits) throws -> DocumentIndex.Element {
        var found: [DocumentIndex.Element] = []
        do {
            try XMLReader.read(document, limits: limits) { reader throws in
                try reader.root()
                while try reader.nextChild() {
                    let start = reader.startTagOffset ?? 0
                    let name = (reader.namespaceURI, reader.elementName)
                    try reader.skipElement()
                    guard ReceivedSecurity.isAssertion(name.0, name.1) else { continue }
                    found.append(
                        .init(namespaceURI: name.0, localName: name.1, range: start..<reader.bytesRead))
                }
            }
        } catch { throw SecurityDefect(of: error) }
        guard let element = found.first, found.count == 1 else {
            throw SecurityDefect(
                found.isEmpty ? .invalidSecurity : .invalidSecurityToken,
                "the Security header block has \(found.count) assertions, and must have one")
        }
        guard element.localName == "Assertion" else {
            throw SecurityDefect(.unsupportedSecurityToken, "encrypted assertions are not supported")
        }
        return element
    }
}

extension SAMLPolicy {
    /// Remembers an assertion that is for one use, and refuses one that is remembered.
    func refuseReuse(
        of assertion: SAMLAssertion, _ confirmations: [SAMLAssertion.Confirmation], _ cache: any ReplayCache,
        now: Duration
    ) async throws {
        guard assertion.isForOneUse || !allowsReuse else { return }
        let key = Array(SHA256.hash(data: Array("\(assertion.issuer)\n\(assertion.identifier)".utf8)))
        try await cache.refuse(
            key, freshUntil: assertion.end(of: confirmations) + maximumClockDifference, now: now,
            SecurityDefect(.invalidSecurityToken, "the assertion was used before"))
    }
}

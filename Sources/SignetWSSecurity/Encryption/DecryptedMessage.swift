import SignetSOAP
import SignetSignature
import SignetTLS
import SignetXML

/// A message whose encrypted parts were replaced by what they stand for (SOAP Message Security 1.1 §9).
struct DecryptedMessage: Sendable {
    private(set) var envelope: [UInt8]
    /// Where the replacements are in ``envelope``.
    private(set) var places: [Range<Int>] = []
    /// Whether something else took the place of a part that cannot be decrypted. The message must then be refused as one that was
    /// changed, after the same work: an attacker who sends messages must not learn what was wrong with them.
    private(set) var hasDecoy = false
    /// Whether decryption itself shows each change. Otherwise the work includes the signature, which alone shows some changes.
    private(set) var isAuthenticated = true
    private var replacements: [Replacement] = []
    private let original: [UInt8]

    private static let maximumKeys = 4

    /// A key, and how it names its recipient.
    private struct Key {
        var key: EncryptedKey
        var token: TokenReference
    }

    private struct Replacement {
        var range: Range<Int>
        var plain: [UInt8]?
        var decoy: [UInt8]
    }

    /// - Parameter policy: nil refuses messages with encrypted parts.
    /// - Throws: ``SecurityDefect``, for reasons that are visible to each sender.
    init(_ bytes: [UInt8], _ envelope: SecuredEnvelope, _ policy: DecryptionPolicy?, limits: XMLLimits) throws {
        self.envelope = bytes
        original = bytes
        let keyParts = envelope.securityParts.filter { $0.is(EncryptedKey.name) }
        let lists = envelope.securityParts.filter { $0.is(EncryptedElements.list) }
        if keyParts.isEmpty, lists.isEmpty {
            try policy?.check(envelope, bytes, encrypted: [])
            return
        }
        guard let policy else {
            throw SecurityDefect(
                .securityTokenUnavailable,
                "the message is encrypted: name the identities whose keys decrypt in decryption of the SignaturePolicy")
        }
        guard keyParts.count <= Self.maximumKeys else {
            throw SecurityDefect(.invalidSecurity, "more than \(Self.maximumKeys) encrypted keys")
        }
        if let signature = envelope.securityParts.firstIndex(where: { $0.is(SecurityName.signature) }),
            let last = envelope.securityParts.lastIndex(where: {
                $0.is(EncryptedKey.name) || $0.is(EncryptedElements.list)
            }),
            last > signature
        {
            throw SecurityDefect(
                .unsupportedAlgorithm, "the message was encrypted before it was signed, which is not supported")
        }
        do {
            try decrypt(bytes, envelope, keyParts, lists, policy, limits)
        } catch let problem as EncryptionProblem {
            throw SecurityDefect(
                problem.kind == .unsupported ? .unsupportedAlgorithm : .invalidSecurity, problem.reason)
        } catch { throw SecurityDefect(of: error) }
    }

    private mutating func decrypt(
        _ bytes: [UInt8], _ envelope: SecuredEnvelope, _ keyParts: [SecuredEnvelope.Part],
        _ lists: [SecuredEnvelope.Part], _ policy: DecryptionPolicy, _ limits: XMLLimits
    ) throws {
        var keys = try Self.keys(keyParts, bytes, limits)
        let listed = try EncryptedElements.references(
            of: bytes, at: lists.map(\.element.range.lowerBound), limits: limits)
        let references = keys.flatMap(\.key.references) + listed
        guard references.count <= EncryptedKey.maximumReferences, Set(references).count == references.count else {
            throw SecurityDefect(
                .invalidSecurity,
                "an element is to be decrypted twice, or more than \(EncryptedKey.maximumReferences) are")
        }
        var index = try DocumentIndex(
            of: bytes, identifiers: Set(references + keys.compactMap(\.token.identifier)), limits: limits)
        let elements = try references.map { try index.element(identifier: $0) }
        for element in elements { try Self.check(element, envelope) }
        let contents = try EncryptedElements.contents(
            of: bytes, at: elements.map(\.range.lowerBound), limits: limits)
        // Which of the keys each content has.
        var owners = keys.indices.flatMap { position in keys[position].key.references.map { _ in position } }
        let inHeader = keys.count
        for content in contents.suffix(listed.count) {
            if let key = content.key, keys.count <= Self.maximumKeys {
                owners.append(keys.count)
                keys.append(Key(key: key, token: try TokenReference(of: key, in: bytes, limits: limits)))
            } else {
                owners.append(try Self.owner(of: content, keys, bytes, limits))
            }
        }
        guard keys.count <= Self.maximumKeys else {
            throw SecurityDefect(.invalidSecurity, "more than \(Self.maximumKeys) encrypted keys")
        }
        if keys.count > inHeader {
            index = try DocumentIndex(
                of: bytes, identifiers: Set(keys.compactMap(\.token.identifier)), limits: limits)
        }
        let recipients = keys.map { Self.recipient(of: $0.token, envelope, index, policy.identities) }
        let own = owners.filter { recipients[$0] != nil }
        // With a second key, the sender could put guesses beside what another one has encrypted.
        guard Set(own).count <= 1 else {
            throw SecurityDefect(
                .invalidSecurity, "several keys are encrypted for the identities that decryption names")
        }
        guard let used = own.first, let recipient = recipients[used] else {
            throw SecurityDefect(
                .securityTokenUnavailable, "the message is encrypted for none of the identities that decryption names")
        }
        // What is for another receiver stays encrypted.
        let selected = zip(elements, contents).enumerated().filter { owners[$0.offset] == used }.map(\.element)
        try policy.check(envelope, bytes, encrypted: selected.map(\.0.range))
        for (element, content) in selected {
            try policy.check(content, isInBody: Self.isInside(element, envelope.body))
        }
        let key = keys[used].key.unwrapped(with: KeyPair(of: recipient))
        for (element, content) in selected {
            let plain = content.decrypted(with: key, limits: limits)
            if plain == nil { hasDecoy = true }
            if !content.method.isAuthenticated { isAuthenticated = false }
            replacements.append(Replacement(range: element.range, plain: plain, decoy: content.decoy))
        }
        (self.envelope, places) = try bytes.applying(replacements.map { DocumentEdit($0.range, $0.plain ?? $0.decoy) })
    }

    /// The message with decoys alone, for a message that cannot be read with what was decrypted.
    func withDecoys() throws(SecurityDefect) -> [UInt8] {
        try original.applying(replacements.map { DocumentEdit($0.range, $0.decoy) }).bytes
    }

    /// The keys that can be read; others can be for other receivers.
    private static func keys(
        _ parts: [SecuredEnvelope.Part], _ bytes: [UInt8], _ limits: XMLLimits
    ) throws -> [Key] {
        var keys: [Key] = []
        var problem: (any Error)?
        for part in parts {
            do {
                for key in try EncryptedElements.keys(of: bytes, at: [part.element.range.lowerBound], limits: limits) {
                    keys.append(Key(key: key, token: try TokenReference(of: key, in: bytes, limits: limits)))
                }
            } catch { problem = problem ?? error }
        }
        if keys.isEmpty, let problem { throw problem }
        return keys
    }

    /// Encrypted elements can stand in the body, and in the Security header block.
    private static func check(_ element: DocumentIndex.Element, _ envelope: SecuredEnvelope) throws(SecurityDefect) {
        guard
            isInside(element, envelope.body) || envelope.securityParts.contains(where: { $0.element == element })
        else {
            throw SecurityDefect(
                .invalidSecurity,
                "the encrypted element at byte \(element.range.lowerBound) is neither in the Body nor in the Security header block"
            )
        }
    }

    private static func isInside(_ element: DocumentIndex.Element, _ part: SecuredEnvelope.Part) -> Bool {
        part.element.range.lowerBound < element.range.lowerBound
            && element.range.upperBound < part.element.range.upperBound
    }

    /// The key that a content names.
    private static func owner(
        of content: EncryptedContent, _ keys: [Key], _ bytes: [UInt8], _ limits: XMLLimits
    ) throws -> Int {
        if content.tokenReference == nil, keys.count == 1 { return 0 }
        let token = try TokenReference(at: content.tokenReference, in: bytes, limits: limits)
        let found = keys.indices.filter { token.identifier != nil && keys[$0].key.identifier == token.identifier }
        guard let first = found.first, found.count == 1 else {
            throw SecurityDefect(
                .securityTokenUnavailable, "an encrypted element names no key of the Security header block")
        }
        return first
    }

    /// Whose key decrypts a key; nil for none of the identities.
    private static func recipient(
        of token: TokenReference, _ envelope: SecuredEnvelope, _ index: DocumentIndex, _ identities: [Identity]
    ) -> Identity? {
        if !token.names.isEmpty {
            return identities.first { identity in token.names.contains { $0.names(identity.leaf) } }
        }
        // A reference that cannot be followed is that of another receiver.
        guard let certificates = try? token.certificates(envelope, index) else { return nil }
        guard let certificate = certificates.first else {
            // A message that does not say for whom it is can only be for the one receiver.
            return identities.count == 1 ? identities.first : nil
        }
        return identities.first { $0.leaf == certificate }
    }
}

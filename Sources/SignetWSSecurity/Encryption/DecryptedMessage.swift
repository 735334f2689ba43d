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
    /// The message with decoys alone, for a message that cannot be read with what was decrypted.
    private(set) var withDecoys: [UInt8] = []

    private static let maximumKeys = 4

    /// - Parameter policy: nil refuses messages with encrypted parts.
    /// - Throws: ``SecurityDefect``, for reasons that are visible to each sender.
    init(_ bytes: [UInt8], _ envelope: SecuredEnvelope, _ policy: DecryptionPolicy?, limits: XMLLimits) throws {
        self.envelope = bytes
        let keyParts = envelope.securityParts.filter { $0.is(EncryptedKey.name) }
        let lists = envelope.securityParts.filter { $0.is(EncryptedReferences.name) }
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
                $0.is(EncryptedKey.name) || $0.is(EncryptedReferences.name)
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
        let keys = try EncryptedElements.keys(of: bytes, at: keyParts.map(\.element.range.lowerBound), limits: limits)
        let listed = try EncryptedElements.references(
            of: bytes, at: lists.map(\.element.range.lowerBound), limits: limits)
        let tokens = try keys.map { try TokenReference(of: $0, in: bytes, limits: limits) }
        let references = keys.flatMap(\.references) + listed
        guard references.count <= EncryptedKey.maximumReferences, Set(references).count == references.count else {
            throw SecurityDefect(
                .invalidSecurity,
                "an element is to be decrypted twice, or more than \(EncryptedKey.maximumReferences) are")
        }
        let index = try DocumentIndex(
            of: bytes, identifiers: Set(references + tokens.compactMap(\.identifier)), limits: limits)
        let elements = try references.map { try index.element(identifier: $0) }
        for element in elements { try Self.check(element, envelope) }
        let contents = try EncryptedElements.contents(
            of: bytes, at: elements.map(\.range.lowerBound), limits: limits)
        // Which of the keys each content has.
        var owners = keys.indices.flatMap { position in keys[position].references.map { _ in position } }
        for content in contents.suffix(listed.count) {
            owners.append(try Self.owner(of: content, keys, bytes, limits))
        }
        let recipients = try tokens.map { try Self.recipient(of: $0, envelope, index, policy.identities) }
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
        try policy.check(
            envelope, bytes, encrypted: zip(elements, owners).filter { recipients[$0.1] != nil }.map(\.0.range))
        for (position, content) in contents.enumerated() where owners[position] == used {
            try policy.check(content, isInBody: Self.isInside(elements[position], envelope.body))
        }
        let key = keys[used].unwrapped(with: KeyPair(of: recipient))
        var replacements: [Replacement] = []
        // What is for another receiver stays encrypted.
        for (position, (element, content)) in zip(elements, contents).enumerated() where owners[position] == used {
            let plain = content.decrypted(with: key, limits: limits)
            if plain == nil { hasDecoy = true }
            if !content.method.isAuthenticated { isAuthenticated = false }
            replacements.append(Replacement(range: element.range, plain: plain, decoy: content.decoy))
        }
        replacements.sort { $0.range.lowerBound < $1.range.lowerBound }
        (self.envelope, places) = try Self.replacing(replacements, in: bytes) { $0.plain ?? $0.decoy }
        (withDecoys, _) = try Self.replacing(replacements, in: bytes, by: \.decoy)
    }

    private struct Replacement {
        var range: Range<Int>
        var plain: [UInt8]?
        var decoy: [UInt8]
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
        of content: EncryptedContent, _ keys: [EncryptedKey], _ bytes: [UInt8], _ limits: XMLLimits
    ) throws -> Int {
        let token = try TokenReference(at: content.tokenReference, in: bytes, limits: limits)
        let found = keys.indices.filter { token.identifier != nil && keys[$0].identifier == token.identifier }
        guard let first = found.first, found.count == 1 else {
            throw SecurityDefect(
                .securityTokenUnavailable, "an encrypted element names no key of the Security header block")
        }
        return first
    }

    /// Whose key decrypts a key; nil for none of the identities.
    private static func recipient(
        of token: TokenReference, _ envelope: SecuredEnvelope, _ index: DocumentIndex, _ identities: [Identity]
    ) throws -> Identity? {
        if !token.names.isEmpty {
            return identities.first { identity in token.names.contains { $0.names(identity.leaf) } }
        }
        let certificates = try token.certificates(envelope, index)
        guard let certificate = certificates.first else {
            // A message that does not say for whom it is can only be for the one receiver.
            return identities.count == 1 ? identities.first : nil
        }
        return identities.first { $0.leaf == certificate }
    }

    /// - Parameter replacements: in the order of the document.
    private static func replacing(
        _ replacements: [Replacement], in document: [UInt8], by bytes: (Replacement) -> [UInt8]
    ) throws(SecurityDefect) -> ([UInt8], places: [Range<Int>]) {
        var result: [UInt8] = []
        var places: [Range<Int>] = []
        var position = 0
        for replacement in replacements {
            guard position <= replacement.range.lowerBound else {
                throw SecurityDefect(.invalidSecurity, "an encrypted element stands in another one")
            }
            let bytes = bytes(replacement)
            result += document[position..<replacement.range.lowerBound]
            places.append(result.count..<result.count + bytes.count)
            result += bytes
            position = replacement.range.upperBound
        }
        return (result + document[position...], places)
    }
}

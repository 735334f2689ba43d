import SignetSOAP
import SignetXML

/// The parts of a `Security` header block that this library processes (SOAP Message Security 1.1 §5).
struct ReceivedSecurity: Sendable {
    var timestamp: ReceivedTimestamp?
    var usernameToken: ReceivedUsernameToken?
    /// The elements that are not processed here; assertions are by a ``SAMLPolicy``.
    var unknownElements: [(name: String, isAssertion: Bool)] = []
    /// The name of the first of them.
    var unknownElement: String? { unknownElements.first?.name.printable }

    /// - Throws: ``SecurityDefect``.
    init(_ fragment: XMLFragment) throws {
        do { self = try fragment.read { reader in try Self(&reader) } } catch let error as XMLError {
            // The error's message may repeat text of the token, so only its code is kept.
            throw SecurityDefect(.invalidSecurity, "the header block cannot be read (\(error.code))")
        }
    }

    /// Reads a header block that is a document by itself.
    init(document: [UInt8], limits: XMLLimits) throws {
        do {
            self = try XMLReader.read(document, limits: limits) { reader throws in
                try reader.root()
                return try Self(&reader)
            }
        } catch let error as XMLError {
            throw SecurityDefect(.invalidSecurity, "the header block cannot be read (\(error.code))")
        }
    }

    private static let maximumUnknown = 64

    /// Whether an element is an assertion, which can be encrypted.
    static func isAssertion(_ namespaceURI: String, _ localName: String) -> Bool {
        SAMLAssertion.Version.allCases.contains { $0.names.namespace.uri == namespaceURI }
            && ["Assertion", "EncryptedAssertion"].contains(localName)
    }

    private init(_ reader: inout XMLReader) throws {
        while try reader.nextChild() {
            if reader.isElement(SecurityName.timestamp) {
                try SecurityDefect.refuseSecond(timestamp, "Timestamp")
                timestamp = try ReceivedTimestamp(&reader)
            } else if reader.isElement(SecurityName.usernameToken) {
                try SecurityDefect.refuseSecond(usernameToken, "UsernameToken")
                usernameToken = try ReceivedUsernameToken(&reader)
            } else {
                let name = reader.elementName
                if unknownElements.count < Self.maximumUnknown {
                    unknownElements.append((name, Self.isAssertion(reader.namespaceURI, name)))
                }
                try reader.skipElement()
            }
        }
    }
}

/// The time at which a message was made, and the time until which it is valid (SOAP Message Security 1.1 §10).
struct ReceivedTimestamp: Sendable {
    let created: XSDDateTime
    let expires: XSDDateTime?

    fileprivate init(_ reader: inout XMLReader) throws {
        var created: XSDDateTime?
        var expires: XSDDateTime?
        while try reader.nextChild() {
            // Basic Security Profile 1.1 R3203, R3221, R3222, R3224: one Created, then at most one Expires, and nothing
            // else.
            if reader.isElement(SecurityName.created), expires == nil {
                try SecurityDefect.refuseSecond(created, "Created")
                created = try reader.time().value
            } else if reader.isElement(SecurityName.expires) {
                try SecurityDefect.refuseSecond(expires, "Expires")
                expires = try reader.time().value
            } else {
                throw SecurityDefect(
                    .invalidSecurity, "the Timestamp holds “\(reader.elementName.printable)” where it has no place")
            }
        }
        guard let created else { throw SecurityDefect(.invalidSecurity, "the Timestamp has no Created") }
        if let expires, expires.moment < created.moment {
            throw SecurityDefect(.invalidSecurity, "the message expires before it was made")
        }
        self.created = created
        self.expires = expires
    }

    /// - Parameter now: since 1970.
    func check(_ freshness: Freshness, now: Duration) throws(SecurityDefect) {
        try freshness.check("the message", created: created.moment, now: now)
        if let expires, expires.moment <= now {
            let age = (now - expires.moment).wholeSeconds
            throw SecurityDefect(.messageExpired, "the message expired \(age) s ago")
        }
    }
}

/// A token as it was received (UsernameToken Profile 1.1 §3.1).
struct ReceivedUsernameToken: Sendable {
    let user: String
    let password: String
    let form: UsernameTokenForm
    let nonce: [UInt8]?
    /// The text as it was sent, which the digest covers, and its value.
    let created: (text: String, value: XSDDateTime)?

    fileprivate init(_ reader: inout XMLReader) throws {
        var user: String?
        var password: String?
        var form = UsernameTokenForm.text
        var nonce: [UInt8]?
        var created: (text: String, value: XSDDateTime)?
        while try reader.nextChild() {
            if reader.isElement(SecurityName.username) {
                try SecurityDefect.refuseSecond(user, "Username")
                user = try reader.text(maximumBytes: 1024)
            } else if reader.isElement(SecurityName.password) {
                try SecurityDefect.refuseSecond(password, "Password")
                form = try Self.form(reader.attribute(SecurityName.type.localName))
                password = try reader.text(maximumBytes: 4096)
            } else if reader.isElement(SecurityName.nonce) {
                try SecurityDefect.refuseSecond(nonce, "Nonce")
                let encoding = reader.attribute(SecurityName.encodingType.localName)
                guard encoding == nil || encoding == SecurityName.base64Binary,
                    let bytes = Self.base64(try reader.text(maximumBytes: 1024)), !bytes.isEmpty
                else { throw SecurityDefect(.invalidSecurityToken, "the Nonce is not in Base64") }
                nonce = bytes
            } else if reader.isElement(SecurityName.created) {
                try SecurityDefect.refuseSecond(created, "Created")
                created = try reader.time()
            } else {
                // The profile allows further elements.
                try reader.skipElement()
            }
        }
        guard let user, let password else {
            throw SecurityDefect(
                .invalidSecurityToken, "the UsernameToken has no \(user == nil ? "Username" : "Password")")
        }
        self.user = user
        self.password = password
        self.form = form == .text && nonce != nil ? .textWithNonce : form
        self.nonce = nonce
        self.created = created
    }

    /// Nil when `text` is not in Base64.
    static func base64(_ text: String) -> [UInt8]? { XSDBase64Binary(lexical: Array(text.utf8).span)?.bytes }

    private static func form(_ type: String?) throws(SecurityDefect) -> UsernameTokenForm {
        switch type {
        case nil, UsernameTokenForm.text.uri: .text
        case UsernameTokenForm.digest.uri: .digest
        default: throw SecurityDefect(.unsupportedSecurityToken, "the Password is of another Type")
        }
    }
}

extension ReceivedUsernameToken: CustomStringConvertible, CustomReflectable {
    var description: String { "a UsernameToken of “\(user.printable)”" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecurityDefect {
    fileprivate static func refuseSecond(_ first: (some Any)?, _ name: String) throws(SecurityDefect) {
        if first != nil { throw SecurityDefect(.invalidSecurity, "there is a second \(name)") }
    }
}

extension XMLReader {
    /// The text of the innermost open element.
    fileprivate mutating func text(maximumBytes: Int) throws -> String {
        let text = try elementText()
        guard text.utf8.count <= maximumBytes else {
            throw SecurityDefect(.invalidSecurity, "a text in the header block is longer than \(maximumBytes) bytes")
        }
        return text
    }

    /// The time that the innermost open element holds. White space around it is not digested: otherwise an attacker
    /// could move a byte of the nonce there, and send the token again with another nonce.
    fileprivate mutating func time() throws -> (text: String, value: XSDDateTime) {
        let text = try self.text(maximumBytes: 64).trimmedXMLSpace
        guard let value = XSDDateTime(text), (1...9999).contains(value.date.year) else {
            throw SecurityDefect(.invalidSecurity, "a time in the header block is not a valid time")
        }
        return (text, value)
    }
}

extension String {
    /// The text for a log, escaped so that it cannot break out of its line.
    var printable: String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars.prefix(128) { result.append(scalar.isUnprintable ? "\u{FFFD}" : scalar) }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Whether the character is invisible, or breaks a line.
    var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}

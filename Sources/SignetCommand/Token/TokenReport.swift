#if CommandLine
import Signet
import SignetSOAP
import SignetWSDL
import SignetWSSecurity

/// What `signet token --json` prints. Names and meanings stay stable; more may be added.
struct TokenReport: Encodable, Hashable {
    struct Assertion: Encodable, Hashable {
        /// `1.1` or `2.0`.
        var version: String
        var identifier: String
        var issuer: String
        /// Absent where the assertion names no subject, or an encrypted one.
        var subject: String?
        var subjectFormat: String?
        var notBefore: String?
        var notOnOrAfter: String?
        /// Of each list, one has to be the receiver.
        var audiences: [[String]]
        var confirmations: [Confirmation]
        var attributes: [Attribute]
        var isForOneUse: Bool
    }

    struct Confirmation: Encodable, Hashable {
        var method: String
        var recipient: String?
        var notBefore: String?
        var notOnOrAfter: String?
    }

    struct Attribute: Encodable, Hashable {
        var name: String
        var values: [String]
    }

    /// The address of the token service.
    var tokenService: String
    /// The service for which the token was asked; absent when none was named.
    var service: String?
    /// The kind of the token, as a URI; absent when neither the token service nor the token says.
    var type: String?
    /// When the token ends; absent when that is unknown.
    var expires: String?
    var isForHolderOfKey: Bool
    /// What the token states; absent when it is no assertion, or is encrypted.
    var assertion: Assertion?
    /// The file that has the token now; absent without `--output`.
    var file: String?

    init(_ token: IssuedToken, asked request: TokenRequest, from tokenService: String, file: String?) {
        self.tokenService = tokenService
        service = request.service
        type = token.type?.rawValue
        expires = Self.text(token.expires)
        isForHolderOfKey = token.holder != nil
        self.file = file
        assertion = token.assertion.map { assertion in
            Assertion(
                version: assertion.version == .v20 ? "2.0" : "1.1", identifier: assertion.identifier,
                issuer: assertion.issuer, subject: assertion.subject, subjectFormat: assertion.subjectFormat,
                notBefore: Self.text(assertion.notBefore), notOnOrAfter: Self.text(assertion.notOnOrAfter),
                audiences: assertion.audiences,
                confirmations: assertion.confirmations.map {
                    Confirmation(
                        method: $0.method, recipient: $0.recipient, notBefore: Self.text($0.notBefore),
                        notOnOrAfter: Self.text($0.notOnOrAfter))
                }, attributes: assertion.attributes.map { Attribute(name: $0.name, values: $0.texts) },
                isForOneUse: assertion.isForOneUse)
        }
    }

    private static func text(_ seconds: Int64?) -> String? {
        seconds.flatMap { XSDDateTime(secondsSinceEpoch: $0)?.lexicalForm }
    }

    /// What is printed for people. Every text of a token is made safe for a terminal.
    var lines: [String] {
        var lines: [String] = []
        func add(_ label: String, _ text: String?) {
            guard let text else { return }
            lines.append(
                "\(label)\(String(repeating: " ", count: max(1, 14 - label.count)))\(TerminalText.line(text))")
        }
        add("token", type ?? "of an unknown kind")
        add("from", tokenService)
        add("for", service)
        add("holder", isForHolderOfKey ? "the holder of the key" : "any bearer")
        add("expires", expires ?? "unknown")
        if let assertion {
            add("assertion", "SAML \(assertion.version)")
            add("issuer", assertion.issuer)
            add("subject", assertion.subject)
            add("not before", assertion.notBefore)
            add("not after", assertion.notOnOrAfter)
            for audience in assertion.audiences { add("audience", audience.joined(separator: ", or ")) }
            for way in assertion.confirmations {
                add(
                    "confirmed by",
                    [way.method, way.recipient.map { "at \($0)" }].compactMap(\.self).joined(separator: " "))
            }
            for attribute in assertion.attributes {
                add("attribute", "\(attribute.name): \(attribute.values.joined(separator: ", "))")
            }
            if assertion.isForOneUse { add("use", "once only") }
        } else {
            add("assertion", "none that can be read: the token is of another kind, or encrypted for its service")
        }
        add("file", file)
        return lines
    }
}
#endif

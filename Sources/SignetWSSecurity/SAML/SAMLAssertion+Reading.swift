public import SignetSOAP
import SignetSignature
import SignetTLS
import SignetXML

extension SAMLAssertion {
    /// Limits the work for one assertion.
    fileprivate static let maximumCount = 10_000

    /// Whether an element is an assertion in the clear.
    static func isOne(_ fragment: XMLFragment) -> Bool {
        Version.allCases.contains { fragment.isElement($0.names("Assertion")) }
    }

    /// Reads an assertion, of which nothing is verified.
    ///
    /// - Throws: ``WSSecurityError`` with `unusableToken` for an element that is no assertion, or has not what every assertion has.
    public init(reading fragment: XMLFragment) throws(WSSecurityError) {
        do { self = try fragment.read { reader throws in try Self(&reader) } } catch {
            let defect = SecurityDefect(of: error)
            throw WSSecurityError(.unusableToken, "The SAML assertion cannot be read: \(defect.reason).")
        }
    }

    /// Reads the assertion whose start tag was read last.
    ///
    /// - Throws: ``SecurityDefect``, `XMLError`.
    init(_ reader: inout XMLReader) throws {
        guard let version = Version.allCases.first(where: { reader.isElement($0.names("Assertion")) }) else {
            throw SecurityDefect.inAssertion("“\(reader.elementName.printable)” is no assertion")
        }
        var draft = Draft(names: version.names)
        let number =
            version == .v20
            ? reader.attribute("Version")
            : "\(reader.attribute("MajorVersion") ?? "").\(reader.attribute("MinorVersion") ?? "")"
        guard number == (version == .v20 ? "2.0" : "1.1") else {
            throw SecurityDefect.inAssertion("an assertion has the version “\((number ?? "").printable)”")
        }
        guard let identifier = reader.attribute(version.names.identifierAttribute), XMLName.isNCName(identifier) else {
            throw SecurityDefect.inAssertion("an assertion has no identifier")
        }
        var issuer = version == .v11 ? reader.attribute("Issuer") : nil
        while try reader.nextChild() {
            switch draft.part(of: reader) {
            case "Issuer" where version == .v20:
                guard issuer == nil else { throw SecurityDefect.inAssertion("an assertion has two issuers") }
                issuer = try reader.elementText().trimmedXMLSpace
            case "Subject" where version == .v20: try draft.readSubject(&reader)
            case "Conditions": try draft.readConditions(&reader)
            case "AttributeStatement": try draft.readStatement(&reader, version)
            case "AuthenticationStatement" where version == .v11,
                "AuthorizationDecisionStatement" where version == .v11:
                try draft.readStatement(&reader, version)
            default: try reader.skipElement()
            }
        }
        guard let issuer, !issuer.isEmpty else { throw SecurityDefect.inAssertion("an assertion names no issuer") }
        self.init(
            version: version, identifier: identifier, issuer: issuer, subject: draft.subject?.name,
            subjectFormat: draft.subject?.format, subjectQualifier: draft.subject?.qualifier,
            notBefore: draft.notBefore, notOnOrAfter: draft.notOnOrAfter,
            audiences: draft.audiences, confirmations: draft.confirmations, attributes: draft.attributes,
            isForOneUse: draft.isForOneUse, unknownConditions: draft.unknownConditions)
    }

    /// What has been read so far.
    private struct Draft {
        struct Subject: Equatable {
            var name: String?
            var format: String?
            var qualifier: String?
            var confirmations: [Confirmation] = []
        }

        let names: SAMLName
        var subject: Subject?
        var notBefore: Int64?
        var notOnOrAfter: Int64?
        var hasConditions = false
        var audiences: [[String]] = []
        var attributes: [PeerDescription.Claim] = []
        var isForOneUse = false
        var unknownConditions: [String] = []
        var count = 0
        var confirmations: [Confirmation] { subject?.confirmations ?? [] }

        /// The name of the open element, if it is one of SAML.
        func part(of reader: borrowing XMLReader) -> String? {
            reader.namespaceURI == names.namespace.uri ? reader.elementName : nil
        }

        mutating func step() throws {
            count += 1
            guard count <= SAMLAssertion.maximumCount else {
                throw SecurityDefect.inAssertion("an assertion has more than \(SAMLAssertion.maximumCount) parts")
            }
        }

        mutating func readSubject(_ reader: inout XMLReader) throws {
            var read = Subject()
            while try reader.nextChild() {
                try step()
                switch part(of: reader) {
                case "NameID", "NameIdentifier":
                    guard read.name == nil else { throw SecurityDefect.inAssertion("a subject has two names") }
                    read.format = reader.attribute("Format")
                    read.qualifier =
                        reader.attribute("NameQualifier") ?? reader.attribute("SPNameQualifier")
                    read.name = try reader.elementText()
                case "SubjectConfirmation": read.confirmations += try confirmations(&reader)
                default: try reader.skipElement()
                }
            }
            // The statements of SAML 1.1 have a subject each.
            guard subject == nil || subject == read else {
                throw SecurityDefect.inAssertion("an assertion has several subjects")
            }
            subject = read
        }

        private mutating func confirmations(_ reader: inout XMLReader) throws -> [Confirmation] {
            var methods = [reader.attribute("Method")].compactMap(\.self)
            var keys = Keys()
            var times: (Int64?, Int64?) = (nil, nil)
            var recipient: String?
            while try reader.nextChild() {
                try step()
                if part(of: reader) == "ConfirmationMethod" {
                    methods.append(try reader.elementText().trimmedXMLSpace)
                } else if part(of: reader) == "SubjectConfirmationData" {
                    times = (
                        try Self.time(reader.attribute("NotBefore")), try Self.time(reader.attribute("NotOnOrAfter"))
                    )
                    recipient = reader.attribute("Recipient")
                    while try reader.nextChild() { try keys.read(&reader) }
                } else {
                    try keys.read(&reader)
                }
            }
            return methods.map {
                Confirmation(
                    method: $0, notBefore: times.0, notOnOrAfter: times.1, recipient: recipient,
                    certificates: keys.certificates)
            }
        }

        mutating func readConditions(_ reader: inout XMLReader) throws {
            guard !hasConditions else { throw SecurityDefect.inAssertion("an assertion has Conditions twice") }
            hasConditions = true
            notBefore = try Self.time(reader.attribute("NotBefore"))
            notOnOrAfter = try Self.time(reader.attribute("NotOnOrAfter"))
            while try reader.nextChild() {
                try step()
                switch part(of: reader) {
                case "AudienceRestriction", "AudienceRestrictionCondition":
                    var list: [String] = []
                    while try reader.nextChild() {
                        try step()
                        list.append(try reader.elementText().trimmedXMLSpace)
                    }
                    audiences.append(list)
                case "OneTimeUse", "DoNotCacheCondition":
                    isForOneUse = true
                    try reader.skipElement()
                // It limits assertions that are made from this one.
                case "ProxyRestriction": try reader.skipElement()
                default:
                    unknownConditions.append(reader.elementName)
                    try reader.skipElement()
                }
            }
        }

        mutating func readStatement(_ reader: inout XMLReader, _ version: Version) throws {
            while try reader.nextChild() {
                try step()
                switch part(of: reader) {
                case "Subject" where version == .v11: try readSubject(&reader)
                case "Attribute":
                    let name = version == .v20 ? reader.attribute("Name") : reader.attribute("AttributeName")
                    let space = version == .v20 ? nil : reader.attribute("AttributeNamespace")
                    guard let name else { throw SecurityDefect.inAssertion("an attribute has no name") }
                    var values: [XMLFragment] = []
                    while try reader.nextChild() {
                        try step()
                        values.append(try reader.fragment())
                    }
                    attributes.append(.init(name: space.map { "\($0)/\(name)" } ?? name, values: values))
                default: try reader.skipElement()
                }
            }
        }

        private static func time(_ text: String?) throws -> Int64? {
            guard let text else { return nil }
            // Times have no time zone, or that of UTC (SAML 2.0 §1.3.3).
            guard let time = XSDDateTime(text.trimmedXMLSpace), (1...9999).contains(time.date.year) else {
                throw SecurityDefect.inAssertion("a time in an assertion is not a valid time")
            }
            return time.moment.wholeSeconds
        }
    }

    /// The keys in a `ds:KeyInfo`.
    private struct Keys {
        var certificates: [EncodedCertificate] = []

        mutating func read(_ reader: inout XMLReader) throws {
            guard reader.isElement(XMLName(SignatureElement.x509Data.namespace, "KeyInfo")) else {
                return try reader.skipElement()
            }
            while try reader.nextChild() {
                if reader.isElement(SignatureElement.x509Data) {
                    certificates += try X509Data(&reader).certificates
                    guard certificates.count <= SignatureElement.maximumCertificates else {
                        throw SecurityDefect.inAssertion("a confirmation has too many certificates")
                    }
                } else {
                    try reader.skipElement()
                }
            }
        }
    }
}

extension SecurityDefect {
    fileprivate static func inAssertion(_ reason: String) -> SecurityDefect {
        SecurityDefect(.invalidSecurityToken, reason)
    }
}

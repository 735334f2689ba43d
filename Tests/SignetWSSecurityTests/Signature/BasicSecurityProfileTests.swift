import Foundation
import SignetSOAP
import SignetTLS
import SignetTesting
import TestSupport
import Testing

@testable import SignetWSSecurity

/// Rules of the WS-I Basic Security Profile 1.1, each violated in a message whose signature stays valid.
@Suite struct BasicSecurityProfileTests {
    struct Violation: Sendable, CustomTestStringConvertible {
        /// The number of the rule.
        var rule: String
        /// What is replaced: a regular expression.
        fileprivate var pattern: String
        fileprivate var replacement: String
        /// Nil for a violation that is accepted, because it says nothing that could be understood in two ways.
        fileprivate var code: SOAPFault.Code?

        fileprivate init(_ rule: String, _ pattern: String, _ replacement: String, _ code: SOAPFault.Code?) {
            (self.rule, self.pattern, self.replacement, self.code) = (rule, pattern, replacement, code)
        }

        var testDescription: String { "\(rule): \(pattern)" }
    }

    private static let reference = "<wsse:Reference [^>]*/>"
    private static let violations = [
        // Security header blocks (§8).
        Violation("R3210", "</wsse:Security>", "</wsse:Security><wsse:Security/>", .invalidSecurity),
        Violation("R3227", "<wsu:Timestamp", "<wsu:Timestamp/><wsu:Timestamp", .failedCheck),
        // References to tokens (§9).
        Violation("R3061", reference, "", .invalidSecurity),
        Violation("R3061", reference, "$0$0", .invalidSecurity),
        Violation("R3062", " URI=\"#X509-[^\"]*\"", "", .securityTokenUnavailable),
        Violation("R3057", reference, "<wsse:Reference URI=\"#str\"/>", .failedCheck),
        Violation("R3066", reference, "<wsse:Embedded/>", .unsupportedSecurityToken),
        Violation("R3027", reference, "<ds:KeyName>Clinic</ds:KeyName>", .unsupportedSecurityToken),
        Violation("R3054", reference, "<wsse:KeyIdentifier>AAAA</wsse:KeyIdentifier>", .failedAuthentication),
        Violation("R5417", "<ds:KeyInfo>", "<ds:KeyInfo><wsse:SecurityTokenReference/>", .invalidSecurity),
        Violation("R3059", "(<wsse:Reference [^>]*) ValueType=\"[^\"]*\"", "$1", nil),
        // Binary tokens (§11).
        Violation("R3029", " EncodingType=\"[^\"]*\"", "", nil),
        Violation("R3030", " EncodingType=\"[^\"]*\"", " EncodingType=\"urn:hex\"", .invalidSecurityToken),
        Violation("R3031", "(<wsse:BinarySecurityToken [^>]*) ValueType=\"[^\"]*\"", "$1", .unsupportedSecurityToken),
        Violation(
            "R3032", "(<wsse:BinarySecurityToken [^>]*) ValueType=\"[^\"]*\"", "$1 ValueType=\"urn:token\"",
            .unsupportedSecurityToken),
        // Signatures (§18); what stands in SignedInfo cannot change without the signature.
        Violation("R3103", "</ds:Signature>", "<ds:Object><x/></ds:Object></ds:Signature>", nil),
        Violation("R5402", "</ds:KeyInfo>", "</ds:KeyInfo><ds:KeyInfo/>", .invalidSecurity),
        Violation(
            "R5401", "xml-exc-c14n#\"/><ds:SignatureMethod", "xml-exc-c14n#x\"/><ds:SignatureMethod",
            .unsupportedAlgorithm),
        Violation("R5411", "<ds:Transforms>.*?</ds:Transforms>", "", .failedCheck),
    ]

    /// What stands in SignedInfo, in messages that the signer has signed so.
    private static let signedViolations = [
        Violation("R5416", "<ds:Transforms>.*?</ds:Transforms>", "", .failedCheck),
        Violation(
            "R5423", "(<ds:Transform Algorithm=\")[^\"]*", "$1http://www.w3.org/TR/1999/REC-xpath-19991116",
            .unsupportedAlgorithm),
        Violation(
            "R5423", "(<ds:Transform Algorithm=\")[^\"]*", "$1http://www.w3.org/2000/09/xmldsig#base64",
            .unsupportedAlgorithm),
        Violation(
            "R5412", "</ds:Transforms>",
            "<ds:Transform Algorithm=\"http://www.w3.org/2000/09/xmldsig#enveloped-signature\"/></ds:Transforms>",
            .invalidSecurity),
        Violation("R5411", "<ds:Transforms>.*?</ds:Transforms>", "<ds:Transforms/>", .failedCheck),
        Violation(
            "R3065", "<ds:Transform Algorithm=\"[^\"]*",
            "<ds:Transform Algorithm=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#STR-Transform",
            .invalidSecurity),
        Violation("R3001", "URI=\"#[^\"]*\"", "URI=\"\"", .unsupportedAlgorithm),
        Violation("R3001", "URI=\"#[^\"]*\"", "URI=\"#xpointer(id('x'))\"", .unsupportedAlgorithm),
        Violation(
            "R5401", "(<ds:SignatureMethod [^>]*)/>",
            "$1><ds:HMACOutputLength>8</ds:HMACOutputLength></ds:SignatureMethod>",
            .invalidSecurity),
        Violation(
            "R5403", "</ds:Reference></ds:SignedInfo>", "</ds:Reference><ds:Manifest/></ds:SignedInfo>",
            .invalidSecurity),
        Violation("R5404", "(<ds:CanonicalizationMethod Algorithm=\")[^\"]*", "$1urn:other", .unsupportedAlgorithm),
        Violation(
            "R5415", "(<ds:CanonicalizationMethod [^>]*)/>",
            "$1><e:InclusiveNamespaces xmlns:e=\"http://www.w3.org/2001/10/xml-exc-c14n#\" PrefixList=\" \n \"/></ds:CanonicalizationMethod>",
            nil),
    ]

    /// A certificate that is named by its subject key identifier. A program that knows the signers tries each of them, so that the
    /// identifier decides nothing.
    private static let identifierViolations = [
        Violation("R3054", "(<wsse:KeyIdentifier)[^>]*", "$1", nil),
        Violation("R3063", "ValueType=\"[^\"]*(\" EncodingType)", "ValueType=\"urn:other$1", nil),
        Violation("R3070", " EncodingType=\"[^\"]*\"", "", nil),
        Violation("R3071", " EncodingType=\"[^\"]*\"", " EncodingType=\"urn:hex\"", nil),
        Violation("R5208", "(<wsse:KeyIdentifier[^>]*>)[^<]*", "$1AAAA", nil),
        Violation("R5208", "(<wsse:KeyIdentifier[^>]*>)[^<]*", "$1", nil),
    ]

    private static let encryptedViolations = [
        Violation("R3209", "<xenc:EncryptedKey ", "<xenc:EncryptedKey Type=\"urn:x\" ", nil),
        Violation("R5622", "<xenc:EncryptedKey ", "<xenc:EncryptedKey MimeType=\"a/b\" ", nil),
        Violation("R5623", "<xenc:EncryptedKey ", "<xenc:EncryptedKey Encoding=\"urn:x\" ", nil),
        Violation("R5602", "<xenc:EncryptedKey ", "<xenc:EncryptedKey Recipient=\"x\" ", nil),
        Violation(
            "R5603", "(<xenc:EncryptedKey [^>]*>)<xenc:EncryptionMethod [^>]*/>", "$1", .invalidSecurity
        ),
        Violation("R5601", "(<xenc:EncryptedData [^>]*>)<xenc:EncryptionMethod [^>]*/>", "$1", .invalidSecurity),
        Violation("R3006", "(<xenc:DataReference URI=\")#", "$1", .unsupportedAlgorithm),
        Violation("R3214", "<xenc:DataReference [^>]*/>", "", .failedCheck),
        Violation("R3231", "<xenc:ReferenceList>.*?</xenc:ReferenceList>", "", .securityTokenUnavailable),
        Violation(
            "R3208", "(<xenc:EncryptedKey .*?</xenc:EncryptedKey>)(.*)(</wsse:Security>)", "$2$1$3", nil),
        Violation("R5440", "<xenc:CipherData>", "<xenc:CipherData><xenc:EncryptedData/>", .unsupportedAlgorithm),
        Violation(
            "R3228", "<soap:Header>|<s:Header>",
            "$0<xenc:EncryptedData xmlns:xenc=\"http://www.w3.org/2001/04/xmlenc#\"/>", nil),
    ]

    private let authority: CertificateAuthority
    private let client: Identity

    init() throws {
        authority = try CertificateAuthority()
        client = try authority.issueClient(commonName: "Clinic")
    }

    private func changed(_ message: String, by violation: Violation) throws -> String {
        let range = try #require(
            message.range(of: violation.pattern, options: .regularExpression), "nothing to change")
        let changed = message.replacingCharacters(
            in: range,
            with: String(message[range]).replacingOccurrences(
                of: violation.pattern, with: violation.replacement, options: .regularExpression))
        #expect(changed != message)
        return changed
    }

    private func expect(_ code: SOAPFault.Code?, _ open: () throws -> Void) {
        guard let code else {
            #expect(throws: Never.self) { try open() }
            return
        }
        let defect = #expect(throws: SecurityDefect.self) { try open() }
        #expect(defect?.code == code, "\(defect?.reason ?? "")")
    }

    private func signed(
        timestamp: String = "<wsu:Created>2026-11-22T20:15:00Z</wsu:Created>",
        by reference: CertificateReference = .certificate
    ) async throws -> String {
        let message = """
            <s:Envelope xmlns:s="\(SOAPVersion.soap11.namespace)" xmlns:wsse="\(SecurityName.extensions)" xmlns:wsu="\(SecurityName.utility)">\
            <s:Header><wsse:Security><wsu:Timestamp>\(timestamp)</wsu:Timestamp></wsse:Security></s:Header>\
            <s:Body><x/></s:Body></s:Envelope>
            """
        var profile = try SignatureProfile(client)
        profile.parts = [.body, .timestamp]
        profile.reference = reference
        return String(
            decoding: try await profile.sign(SOAPMessage(Array(message.utf8)), role: nil).envelope, as: UTF8.self)
    }

    private static let freshness = Freshness(maximumAge: .seconds(1 << 40), maximumClockLead: .seconds(1 << 40))

    private func open(_ message: String) throws {
        // The certificate has to come with the message.
        var policy = SignaturePolicy(trusting: .anchors(authority.bundle)) { _ in true }
        policy.freshness = Self.freshness
        _ = try policy.open(SOAPMessage(Array(message.utf8)), now: .seconds((client.leaf.notBefore ?? 0) + 60))
    }

    @Test(arguments: violations) func violationsAreRefused(_ violation: Violation) async throws {
        let message = try await signed()
        #expect(throws: Never.self) { try open(message) }
        let changed = try changed(message, by: violation)
        expect(violation.code) { try open(changed) }
    }

    @Test(arguments: signedViolations) func whatIsSignedSoIsRefusedAllTheSame(_ violation: Violation) async throws {
        let (message, key) = (try await signed(), KeyPair(of: client))
        let control = try await key.resigned(message)
        #expect(throws: Never.self) { try open(control) }
        let changed = try await key.resigned(try changed(message, by: violation))
        expect(violation.code) { try open(changed) }
    }

    @Test(arguments: identifierViolations) func identifiersOfKeysHaveOneForm(_ violation: Violation) async throws {
        let message = try await signed(by: .subjectKeyIdentifier)
        let open = { (message: String) in
            var policy = SignaturePolicy(signers: [client.leaf])
            policy.freshness = Self.freshness
            _ = try policy.open(SOAPMessage(Array(message.utf8)), now: .seconds((client.leaf.notBefore ?? 0) + 60))
        }
        #expect(throws: Never.self) { try open(message) }
        let changed = try changed(message, by: violation)
        expect(violation.code) { try open(changed) }
    }

    @Test(arguments: encryptedViolations) func encryptionHasOneForm(_ violation: Violation) async throws {
        let message = try await signed()
        let server = try await KeyPair.generate(.p256).selfSignedIdentity(
            subject: .init(commonName: "Registry"), notBefore: 0, notAfter: 1 << 32)
        let encrypted = String(
            decoding: try EncryptionProfile(for: server.leaf).encrypt(Array(message.utf8), role: nil), as: UTF8.self)
        var policy = SignaturePolicy(trusting: .anchors(authority.bundle)) { _ in true }
        policy.freshness = Self.freshness
        policy.decryption = DecryptionPolicy([server])
        let open = { (message: String) in
            _ = try policy.open(SOAPMessage(Array(message.utf8)), now: .seconds((client.leaf.notBefore ?? 0) + 60))
        }
        #expect(throws: Never.self) { try open(encrypted) }
        let changed = try changed(encrypted, by: violation)
        expect(violation.code) { try open(changed) }
    }

    /// The rules for Timestamps (§10), in messages that are signed as they are.
    @Test(arguments: [
        ("R3203", ""),
        ("R3203", "<wsu:Created>2026-11-22T20:15:00Z</wsu:Created><wsu:Created>2026-11-22T20:15:00Z</wsu:Created>"),
        (
            "R3224",
            "<wsu:Created>2026-11-22T20:15:00Z</wsu:Created><wsu:Expires>2027-11-22T20:15:00Z</wsu:Expires><wsu:Expires>2027-11-22T20:15:00Z</wsu:Expires>"
        ),
        ("R3221", "<wsu:Expires>2027-11-22T20:15:00Z</wsu:Expires><wsu:Created>2026-11-22T20:15:00Z</wsu:Created>"),
        ("R3222", "<wsu:Created>2026-11-22T20:15:00Z</wsu:Created><x/>"),
        ("R3217", "<wsu:Created>now</wsu:Created>"),
        ("R3213", "<wsu:Created>2026-11-22T20:15:60Z</wsu:Created>"),
        ("R3215", "<wsu:Created>2026-11-22T20:15:00Z</wsu:Created><wsu:Expires>2027-11-22T20:15:61Z</wsu:Expires>"),
    ]) func timestampsHaveOneForm(_ rule: String, _ content: String) async throws {
        let message = try await signed(timestamp: content)
        #expect(throws: SecurityDefect.self) { try open(message) }
    }

    /// Departures that leave no doubt about the time: without a zone it is UTC.
    @Test(arguments: [
        ("R3217", "<wsu:Created>2026-11-22T20:15:00</wsu:Created>"),
        ("R3220", "<wsu:Created>2026-11-22T20:15:00.123456789Z</wsu:Created>"),
        ("R3225", "<wsu:Created ValueType=\"xs:dateTime\">2026-11-22T20:15:00Z</wsu:Created>"),
    ]) func departuresInTimestampsAreAccepted(_ rule: String, _ content: String) async throws {
        let message = try await signed(timestamp: content)
        #expect(throws: Never.self) { try open(message) }
    }
}

import Foundation
import SignetSOAP
import SignetTLS
import SignetTesting
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

    private let authority: CertificateAuthority
    private let client: Identity

    init() throws {
        authority = try CertificateAuthority()
        client = try authority.issueClient(commonName: "Clinic")
    }

    private func signed(timestamp: String = "<wsu:Created>2026-11-22T20:15:00Z</wsu:Created>") async throws -> String {
        let message = """
            <s:Envelope xmlns:s="\(SOAPVersion.soap11.namespace)" xmlns:wsse="\(SecurityName.extensions)" xmlns:wsu="\(SecurityName.utility)">\
            <s:Header><wsse:Security><wsu:Timestamp>\(timestamp)</wsu:Timestamp></wsse:Security></s:Header>\
            <s:Body><x/></s:Body></s:Envelope>
            """
        var profile = try SignatureProfile(client)
        profile.parts = [.body, .timestamp]
        return String(
            decoding: try await profile.sign(SOAPMessage(Array(message.utf8)), role: nil).envelope, as: UTF8.self)
    }

    private func open(_ message: String) throws {
        // The certificate has to come with the message.
        var policy = SignaturePolicy(trusting: .anchors(authority.bundle)) { _ in true }
        policy.freshness = Freshness(maximumAge: .seconds(1 << 40), maximumClockLead: .seconds(1 << 40))
        _ = try policy.open(SOAPMessage(Array(message.utf8)), now: .seconds((client.leaf.notBefore ?? 0) + 60))
    }

    @Test(arguments: violations) func violationsAreRefused(_ violation: Violation) async throws {
        let message = try await signed()
        #expect(throws: Never.self) { try open(message) }
        let range = try #require(
            message.range(of: violation.pattern, options: .regularExpression), "nothing to change")
        let changed = message.replacingCharacters(
            in: range,
            with: String(message[range]).replacingOccurrences(
                of: violation.pattern, with: violation.replacement, options: .regularExpression))
        #expect(changed != message)
        guard let code = violation.code else {
            #expect(throws: Never.self) { try open(changed) }
            return
        }
        let defect = #expect(throws: SecurityDefect.self) { try open(changed) }
        #expect(defect?.code == code, "\(defect?.reason ?? "")")
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
    ]) func timestampsHaveOneForm(_ rule: String, _ content: String) async throws {
        let message = try await signed(timestamp: content)
        #expect(throws: SecurityDefect.self) { try open(message) }
    }
}

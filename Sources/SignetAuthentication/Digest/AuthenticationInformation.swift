/// The server's statement after it has accepted credentials: `Authentication-Info` or `Proxy-Authentication-Info` (RFC
/// 9110 §11.6.3, RFC 7615).
package struct AuthenticationInformation: Sendable, Hashable {
    private let parameters: [Challenge.Parameter]

    /// - Returns: nil when there is no such field.
    /// - Throws: ``ChallengeSyntaxError`` for one that breaks the grammar.
    package init?(_ lines: [String]) throws(ChallengeSyntaxError) {
        guard !lines.isEmpty else { return nil }
        // The field has the parameters of a challenge without a scheme.
        let scheme = "Information"
        let read = try Challenge.read(["\(scheme) \(lines.joined(separator: ", "))"])
        guard let first = read.first, read.count == 1, first.token68 == nil else {
            throw ChallengeSyntaxError(offset: 0, what: "the field contains something other than parameters")
        }
        parameters = first.parameters
    }

    /// The value of a parameter; its name is given in lower case.
    package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
}

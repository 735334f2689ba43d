#if CommandLine
import ArgumentParser
import Signet
import SignetEnrollment
import SignetEnrollmentSOAP
import SignetWSDL

struct EnrollPoliciesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policies",
        abstract: "List which certificates a Windows authority issues to this client, and where (MS-XCEP).",
        discussion: """
            The status is 0 when there was an answer, 1 when not, 2 for wrong usage.

            Examples:
              signet enroll policies https://ca.example/ADPolicyProvider_CEP_Certificate/service.svc/CEP \\
                --identity distribution.p12 --ca authority.pem
              signet enroll policies https://ca.example/ADPolicyProvider_CEP_Kerberos/service.svc/CEP --ticket --json
            """)

    @Argument(help: "The address of the policy service; it begins with https.")
    var url: String

    @Flag(help: "Print the result as JSON.")
    var json = false

    @OptionGroup var authority: AuthorityOptions
    @OptionGroup(title: "The user in the message") var user: WindowsUserOptions

    func validate() throws { _ = try Endpoint(argument: url) }

    func run() async throws {
        let endpoint = try Endpoint(url)
        var service = try EnrollmentPolicyService(
            at: endpoint, trust: try authority.trust.loadPolicy(), over: try authority.transport(to: endpoint))
        service.usernameToken = try user.load()
        let found = try await service.policies(showing: try authority.identity.loadIdentity())
        let entries = found.policies.map { PolicyEntry($0, found) }
        if json { return try Output.report(entries) }
        if entries.isEmpty { print("The service names no policies for this client.") }
        for entry in entries { print(TerminalText.block(entry.text)) }
    }
}

/// A policy in the output; in JSON, times are in seconds.
private struct PolicyEntry: Encodable {
    struct Service: Encodable {
        let url: String
        let authentication: String
        let isForRenewal: Bool
    }

    let name: String
    let template: String?
    let mayEnroll: Bool
    let key: String
    let validitySeconds: Int64?
    let renewalSeconds: Int64?
    let services: [Service]

    init(_ policy: EnrollmentPolicies.Policy, _ all: EnrollmentPolicies) {
        name = policy.name
        template = policy.identifier
        mayEnroll = policy.mayEnroll
        // A key that cannot be made is a fact about this policy, no reason to show none.
        key = (try? policy.demands().key).map { "\($0)" } ?? "a kind that is not supported"
        validitySeconds = policy.validity?.components.seconds
        renewalSeconds = policy.renewal?.components.seconds
        services = policy.authorities.filter(all.authorities.indices.contains).flatMap { all.authorities[$0].services }
            .map {
                Service(url: $0.endpoint.url, authentication: "\($0.authentication)", isForRenewal: $0.isForRenewal)
            }
    }

    var text: String {
        var lines = ["\(name): \(mayEnroll ? "may enroll" : "may not enroll"), key \(key)"]
        if let validitySeconds { lines.append("  valid for \(validitySeconds / 86_400) days") }
        for service in services {
            lines.append("  \(service.url) (\(service.authentication)\(service.isForRenewal ? ", renewals only" : ""))")
        }
        return lines.joined(separator: "\n")
    }
}
#endif

#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetEnrollment
import SignetEnrollmentSOAP
import SignetWSSecurity

struct EnrollWSTEPCommand: EnrollingCommand {
    static let configuration = CommandConfiguration(
        commandName: "wstep",
        abstract: "Obtain an identity from a Windows authority over its enrollment web service (MS-WSTEP).",
        discussion: """
            Makes a key, requests a certificate for it by the template, and keeps both in the store under --label. When the store has \
            an identity with this label, it is renewed: the service sees it. The key never leaves the store. When the authority \
            decides later, or the command is ended, the next run asks for the decision on the same request.

            The address says how the service knows the client: …_CES_Certificate takes the identity, …_CES_Kerberos takes Negotiate \
            (--ticket), …_CES_UsernamePassword takes --wss-user. With --policies, the policy service says which kind of key and \
            which extensions the template demands; `signet enroll policies` lists them.

            The status is 0 when the identity was obtained, 1 when not, 2 for wrong usage.

            Examples:
              signet enroll wstep https://ca.example/Bank-CA_CES_Certificate/service.svc/CES --template BankDevice \\
                --subject "CN=device 7, O=Bank" --label device --key-file store.key --ca authority.pem \\
                --identity distribution.p12 --prove https://api.example/soap
              signet enroll wstep https://ca.example/Bank-CA_CES_UsernamePassword/service.svc/CES --template BankDevice \\
                --subject "CN=device 7" --label device --key-file store.key --wss-user BANK\\\\device \\
                --wss-password-file password --unproved
            """)

    @Argument(help: "The address of the enrollment service; it begins with https.")
    var url: String

    @Option(
        help: ArgumentHelp(
            "The name of the template: “Template name” in its properties, not “Template display name”.",
            valueName: "name"))
    var template: String?

    @Option(
        help: ArgumentHelp(
            "The address of the policy service, which says what the template demands; it gets the same identity and credentials.",
            valueName: "url"))
    var policies: String?

    @OptionGroup var enrollment: EnrollmentOptions
    @OptionGroup var replacement: ReplacementOptions
    @OptionGroup(title: "The store") var store: StoreOptions
    @OptionGroup var authority: AuthorityOptions
    @OptionGroup(title: "The user in the message") var user: WindowsUserOptions

    func validate() throws {
        _ = try endpoint()
        if let policies { _ = try Endpoint(argument: policies, "--policies: the address") }
        try authority.checkHTTPS()
        if policies != nil, template == nil { throw ValidationError("--policies is about --template; give it too.") }
    }

    func endpoint() throws -> Endpoint { try Endpoint(argument: url) }

    func enroller(at endpoint: Endpoint) async throws -> any Enroller {
        let transport = try authority.transport(to: endpoint)
        let token = try user.load()
        let policy = try authority.trust.loadPolicy()
        var enroller = try WSTEPEnroller(at: endpoint, trust: policy, over: transport)
        enroller.usernameToken = token
        if let template, policies == nil { enroller.demands.extensions = [try .template(template)] }
        if let policies, let template {
            let address = try Endpoint(policies)
            // A password is asked for once when both are at one origin.
            let way =
                try address.origin == endpoint.origin
                ? transport : authority.transport(to: address)
            var service = try EnrollmentPolicyService(at: address, trust: policy, over: way)
            service.usernameToken = token
            enroller.policy = (service, template)
        }
        return enroller
    }
}

/// `--wss-user` and its password, which Windows takes in text only.
struct WindowsUserOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The user name for a UsernameToken with the password in text.", valueName: "name"))
    var wssUser: String?

    @Option(
        help: ArgumentHelp("A file that holds that user's password alone.", valueName: "file"), completion: .file())
    var wssPasswordFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds that user's password.", valueName: "name"))
    var wssPasswordEnv: String?

    func validate() throws {
        if wssUser?.isEmpty == true { throw ValidationError("--wss-user needs a name.") }
        if wssPasswordFile != nil, wssPasswordEnv != nil {
            throw ValidationError("Give either --wss-password-file or --wss-password-env.")
        }
        if wssUser == nil, wssPasswordFile != nil || wssPasswordEnv != nil {
            throw ValidationError("--wss-password-file and --wss-password-env are about a user; give --wss-user.")
        }
    }

    func load(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> UsernameToken? {
        guard let wssUser else { return nil }
        let password = try SecretSource(
            purpose: "the password of the user \(wssUser) in the message",
            options: "--wss-password-file or --wss-password-env", file: wssPasswordFile,
            environmentVariable: wssPasswordEnv
        ).read(environment: environment)
        return UsernameToken(.text, user: wssUser, password: password)
    }
}
#endif

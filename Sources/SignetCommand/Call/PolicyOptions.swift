#if CommandLine
import ArgumentParser
import HTTPTypes
import Signet

/// What the policies of the WSDL demand of a call beside what stands in the message.
struct PolicyOptions: ParsableArguments {
    @Flag(help: "Call also without what the WSDL's policies demand and no option gives.")
    var ignorePolicies = false

    /// Puts into the configuration what needs nothing from anybody.
    func apply(to configuration: inout ServiceConfiguration, _ demands: [ServiceRequirement]) {
        if ignorePolicies {
            configuration.metRequirements = Set(demands)
        } else if demands.contains(.mtom) {
            configuration.attachments = .mtom
        }
    }

    /// What policies demand and no option gives, with what to do.
    func missing(
        in configuration: ServiceConfiguration, _ demands: [ServiceRequirement], _ identity: IdentityOptions,
        _ credentials: CredentialOptions, _ messageUser: MessageUserOptions, _ request: RequestOptions
    ) -> [String] {
        if ignorePolicies { return [] }
        return demands.compactMap { requirement in
            let advice: String
            switch requirement {
            case .tls:
                if configuration.endpoint.origin.scheme == .https { return nil }
                advice = "give an address with https, with --endpoint"
            case .clientCertificate:
                if identity.identity != nil { return nil }
                advice = "give it with --identity"
            case .httpAuthentication:
                if credentials.isGiven || configuration.fields[.authorization] != nil { return nil }
                advice = "give a user with --user, --netrc or --stored"
            case .usernameToken:
                // Header blocks that are given may be the wanted ones: the call itself finds out.
                if messageUser.wssUser != nil || request.headerBlocks != nil { return nil }
                advice = "give the user with --wss-user"
            case .addressing:
                let isGiven = configuration.headerProviders.contains { $0 is AddressingHeader }
                if isGiven || request.headerBlocks != nil { return nil }
                advice = "name the version with --addressing"
            default: return nil
            }
            return "The WSDL demands \(requirement): \(advice), or call without it with --ignore-policies."
        }
    }
}

extension ServicePort {
    /// The same port of a WSDL that says nothing of what calls need.
    var withoutPolicies: ServicePort {
        ServicePort(name: name, address: address, version: version, addressing: addressing)
    }
}
#endif

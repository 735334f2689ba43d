#if CommandLine
import ArgumentParser
import HTTPTypes
import Signet

/// The options for demands of the WSDL's policies outside the message.
struct PolicyOptions: ParsableArguments {
    @Flag(help: "Call also without what the WSDL's policies demand and no option gives.")
    var ignorePolicies = false

    /// Applies the demands to the configuration that need no input from the user.
    func apply(to configuration: inout ServiceConfiguration, _ demands: [ServiceRequirement]) {
        if ignorePolicies {
            configuration.uncheckedRequirements = Set(demands)
        } else if demands.contains(.mtom) {
            configuration.attachments.mtom = .always()
        }
    }

    /// The first demand of the policies that no option satisfies, with advice.
    func missing(
        in configuration: ServiceConfiguration, _ demands: [ServiceRequirement], hasIdentity: Bool,
        hasCredentials: Bool, _ messageUser: MessageUserOptions, _ messageSignature: MessageSignatureOptions,
        _ request: RequestOptions, isOneWay: Bool
    ) -> [String] {
        if ignorePolicies { return [] }
        let last = demands.asymmetricBinding
        return demands.compactMap { requirement in
            let advice: String
            switch requirement {
            case .tls:
                if configuration.endpoint.origin.scheme == .https { return nil }
                advice = "give an address with https, with --endpoint"
            case .clientCertificate:
                if hasIdentity { return nil }
                advice = "give it with --identity"
            case .httpAuthentication:
                if hasCredentials || configuration.fields[.authorization] != nil { return nil }
                advice = "give a user with --user, --netrc or --stored"
            case .usernameToken:
                // Header blocks from options may be the demanded ones: the call itself checks this.
                if messageUser.wssUser != nil || request.headerBlocks != nil { return nil }
                advice = "give the user with --wss-user"
            case .issuedToken:
                if messageSignature.wssToken != nil || request.headerBlocks != nil { return nil }
                advice = "give the token with --wss-token (signet token gets one)"
            case .asymmetricBinding(let binding):
                // That of an operation takes the place of that of the port.
                if binding.request == .init(), binding.answer == .init() { return nil }
                guard binding == last,
                    let option = messageSignature.missing(for: binding, isOneWay: isOneWay)
                else { return nil }
                advice = "give \(option)"
            case .unsupported:
                return
                    "The WSDL demands \(requirement), which signet does not do. Call without it with --ignore-policies."
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

extension MessageSignatureOptions {
    /// The option that is missing for what a WSDL demands, with its meaning.
    fileprivate func missing(for binding: AsymmetricBinding, isOneWay: Bool) -> String? {
        if wssIdentity == nil { return "the key and certificate that sign it with --wss-identity" }
        if binding.suite.usesSHA1, !wssSha1 { return "the permission to sign with SHA-1 with --wss-sha1" }
        if wssRecipient == nil, !binding.request.encrypted.isEmpty {
            return "the certificate for which messages are encrypted with --wss-recipient"
        }
        if isOneWay { return nil }
        if wssSigner.isEmpty, binding.answer.signed.contains(.body) {
            return "the certificate that signs the answers with --wss-signer"
        }
        if !wssCbc, !binding.answer.encrypted.isEmpty {
            return "the permission to decrypt answers that are encrypted with CBC with --wss-cbc"
        }
        return nil
    }
}

extension ServicePort {
    /// The same port without the requirements of its policies.
    var withoutPolicies: ServicePort {
        ServicePort(name: name, address: address, version: version, addressing: addressing)
    }
}
#endif

#if CommandLine
import ArgumentParser
import Signet
import SignetDynamic

/// The options for calls of a service: who calls, what is trusted, and the way there.
struct AccessOptions: ParsableArguments {
    @OptionGroup(title: "Who we are") var identity: IdentityOptions
    @OptionGroup(title: "Credentials") var credentials: CredentialOptions
    @OptionGroup(title: "The store, with --stored") var store: StoreOptions
    @OptionGroup(title: "In the message (WS-Security)") var messageUser: MessageUserOptions
    @OptionGroup(title: "Signed messages (WS-Security)") var messageSignature: MessageSignatureOptions
    @OptionGroup(title: "Trust in the service") var trust: TrustOptions
    @OptionGroup(title: "The way there") var proxy: ProxyOptions
    @OptionGroup(title: "The request") var request: RequestOptions
    @OptionGroup(title: "What the WSDL demands") var policies: PolicyOptions

    func validate() throws {
        try credentials.check(store, fieldFiles: request.fields.fieldFiles)
        try messageUser.checkPlaintext(hasToken: messageSignature.wssToken != nil)
    }

    /// The configuration for calls of an operation, without anything secret but fields from files.
    ///
    /// - Parameters:
    ///   - hasIdentity: whether the client will show a certificate; nil when the options say so.
    ///   - hasCredentials: the same for HTTP authentication.
    /// - Returns: it, and what the policies of the WSDL demand and no option gives.
    func configuration(
        for operation: DynamicOperation, _ target: CallTarget, hasIdentity: Bool? = nil, hasCredentials: Bool? = nil
    ) throws -> (configuration: ServiceConfiguration, missing: [String]) {
        var configuration = try target.makeConfiguration()
        configuration.fields = try request.fields.load()
        configuration.allowsPlaintextCredentials = credentials.allowPlaintext
        try trust.check(for: configuration.endpoint)
        try trust.apply(to: &configuration.connection)
        configuration.deadlines = request.time.deadlines
        configuration.readsMislabelledAnswers = request.anyMediaType
        var demands = target.service.servicePort.requirements + operation.requirements
        // HTTP without SOAP has no messages to protect.
        if target.service.servicePort.version == nil { demands.removeAll(where: \.isAboutMessages) }
        let missing = policies.missing(
            in: configuration, demands, hasIdentity: hasIdentity ?? (identity.identity != nil),
            hasCredentials: hasCredentials ?? credentials.isGiven, messageUser, messageSignature, request,
            isOneWay: operation.output == nil)
        policies.apply(to: &configuration, demands)
        return (configuration, missing)
    }

    /// Adds what proves who is calling, but for credentials over HTTP, and the proxy.
    func addProofs(
        to configuration: inout ServiceConfiguration, for operation: DynamicOperation, _ target: CallTarget
    ) throws {
        configuration.identity = try identity.loadIdentity().map { .fixed($0) }
        try addOtherProofs(to: &configuration, for: operation, target)
    }

    /// Adds the same without the identity.
    func addOtherProofs(
        to configuration: inout ServiceConfiguration, for operation: DynamicOperation, _ target: CallTarget
    ) throws {
        configuration.toleratedIdentityProblems = identity.toleratedIdentityProblems
        configuration.allowsIdentityInRenegotiation = identity.identityLate
        configuration.proxy = try proxy.load()
        let signature = try messageSignature.load()
        let port = target.service.servicePort
        let header =
            policies.ignorePolicies
            ? try messageUser.load(for: port.withoutPolicies, signing: signature)
            : try messageUser.load(for: port, operation.requirements, signing: signature)
        if let header { configuration.headerProviders.append(header) }
    }
}
#endif

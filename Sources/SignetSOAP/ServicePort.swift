/// One port of a service in a WSDL: an address, and the version of SOAP used there, if any. Generated code lists the
/// ports.
public struct ServicePort: Sendable, Hashable {
    /// The port's name in the WSDL.
    public let name: String
    /// The address that the WSDL names; nil when it names none.
    public let address: String?
    /// The version of SOAP of the port's binding; nil where it is bound to HTTP without SOAP (WSDL 1.1 §4).
    public let version: SOAPVersion?
    /// The version of WS-Addressing that the WSDL demands or allows (Metadata 1.0 §3); nil when the WSDL does not
    /// mention it.
    public let addressing: AddressingVersion?
    /// What the WSDL's policies demand of every call of this port. The requirements of single operations are with the
    /// operations.
    public let requirements: [ServiceRequirement]
    /// What the policies demand of the operations of this port beyond ``requirements``, by the operation's name, where it is not the
    /// same at all ports of the service.
    public let operations: [String: [ServiceRequirement]]
    /// What a message may have in addition, because the policies make it optional, or list it only in some of their
    /// alternatives. At most one of them is a UsernameToken.
    public let accepted: [ServiceRequirement]

    /// Makes a port as a WSDL describes it. Generated code makes these.
    ///
    /// - Parameters:
    ///   - name: the port's name in the WSDL.
    ///   - address: the address that the WSDL names; nil when it names none.
    ///   - version: the version of SOAP of the port's binding; nil where it is bound to HTTP without SOAP.
    ///   - addressing: the version of WS-Addressing that the WSDL demands or allows; nil when it does not mention it.
    ///   - requirements: see ``requirements``.
    ///   - accepted: see ``accepted``.
    ///   - operations: see ``operations``.
    public init(
        name: String, address: String?, version: SOAPVersion?, addressing: AddressingVersion? = nil,
        requires requirements: [ServiceRequirement] = [], accepts accepted: [ServiceRequirement] = [],
        operations: [String: [ServiceRequirement]] = [:]
    ) {
        self.accepted = accepted
        self.operations = operations
        self.addressing = addressing
        self.name = name
        self.address = address
        self.version = version
        self.requirements = requirements
    }
}

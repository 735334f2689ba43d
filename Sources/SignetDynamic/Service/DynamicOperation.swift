public import SignetSOAP

/// An operation of a service, for listings.
public struct DynamicOperation: Sendable {
    /// The name that it is called by: that of the WSDL, with a number behind it for each further operation of that
    /// name.
    public let name: String
    /// What the WSDL says of the operation for people; nil when it says nothing. It is text from outside.
    public let documentation: String?
    /// Empty when the binding gives none.
    public let soapAction: String
    /// The element of the request's body, as `{namespace}name`; nil when it cannot be called.
    public let input: String?
    /// The element of the answer's body; nil when there is no answer (one-way).
    public let output: String?
    /// The names of the header blocks that the binding declares for the request.
    public let headers: [String]
    /// The elements of the declared faults.
    public let faults: [String]
    /// What its policies demand beyond those of the port.
    public let requirements: [ServiceRequirement]
    /// What its policies and those of the port demand and Signet does not do by itself, each with its place.
    public let unsupportedRequirements: [String]
    /// Why it is not known what its policies and those of the port demand, each with its place: policies that were not read, or are too
    /// complicated.
    public let unknownRequirements: [String]
    /// Why it cannot be called; nil when it can.
    public let reasonNotCallable: String?
}

/// A port of a service, for listings.
public struct DynamicPort: Sendable, Hashable {
    /// The name of the service in the WSDL, without its namespace.
    public let service: String
    /// The name of the port in the WSDL, which tells the ports of one service apart.
    public let name: String
    /// The address in the WSDL; nil when it has none.
    public let address: String?
    /// `SOAP 1.1`, `SOAP 1.2`, or what else it is bound to.
    public let binding: String
    /// Why it cannot be used; nil when it can.
    public let reasonNotUsable: String?
}

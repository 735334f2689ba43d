public import SignetSOAP

/// An operation of a service, for listings.
public struct DynamicOperation: Sendable {
    /// The name to call it by: that of the WSDL, with a number appended for each further operation of that name.
    public let name: String
    /// The WSDL's documentation of the operation; nil when it has none. The text comes from outside.
    public let documentation: String?
    /// The SOAP action; empty when the binding states none.
    public let soapAction: String
    /// The element of the request's body, as `{namespace}name`; nil when the operation cannot be called.
    public let input: String?
    /// The element of the answer's body; nil when there is no answer (one-way).
    public let output: String?
    /// The names of the header blocks that the binding declares for the request.
    public let headers: [String]
    /// The elements of the declared faults.
    public let faults: [String]
    /// What its policies demand besides the demands of the port.
    public let requirements: [ServiceRequirement]
    /// Demands of its policies and those of the port that Signet does not meet by itself, each with its place.
    public let unsupportedRequirements: [String]
    /// Why some demands of its policies and those of the port are unknown, each with its place: the policies were not
    /// read, or are too complicated.
    public let unknownRequirements: [String]
    /// Why the operation cannot be called; nil when it can.
    public let reasonNotCallable: String?
}

/// A port of a service, for listings.
public struct DynamicPort: Sendable, Hashable {
    /// The name of the service in the WSDL, without its namespace.
    public let service: String
    /// The name of the port in the WSDL, which distinguishes the ports of one service.
    public let name: String
    /// The address in the WSDL; nil when the WSDL has none.
    public let address: String?
    /// The binding: `SOAP 1.1`, `SOAP 1.2`, or the name of another one.
    public let binding: String
    /// Why the port cannot be used; nil when it can.
    public let reasonNotUsable: String?
}

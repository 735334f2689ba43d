/// One port of a service in a WSDL: an address, and the version of SOAP spoken there. Generated code lists them.
public struct ServicePort: Sendable, Hashable {
    /// The port's name in the WSDL.
    public let name: String
    /// The address that the WSDL names; nil when it names none.
    public let address: String?
    /// The version of SOAP of the port's binding.
    public let version: SOAPVersion

    public init(name: String, address: String?, version: SOAPVersion) {
        self.name = name
        self.address = address
        self.version = version
    }
}

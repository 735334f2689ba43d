public import SignetSOAP

/// A fault that the WSDL declares, with its detail as a value.
public struct DynamicFault: Error, Sendable, CustomStringConvertible {
    /// The fault as the service sent it.
    public var fault: SOAPFault
    /// The element inside the detail, as `{namespace}name`.
    public var element: String
    /// The content of the element, read by the type that the WSDL declares for it.
    public var detail: DynamicValue

    /// The kind and the reason; the detail may contain data that does not belong in a log.
    public var description: String { "\(fault) (\(element))" }
}

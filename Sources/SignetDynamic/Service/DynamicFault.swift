public import SignetSOAP

/// A fault that the WSDL declares, with its detail as a value. A client catches it; a service throws it.
public struct DynamicFault: Error, Sendable, CustomStringConvertible {
    /// Code, reasons and role of the fault.
    public var fault: SOAPFault
    /// The element inside the detail: in a fault that a client has received `{namespace}name`, in one to throw that or a local name.
    public var element: String
    /// The content of the element, read by the type that the WSDL declares for it.
    public var detail: DynamicValue

    init(fault: SOAPFault, element: String, detail: DynamicValue) {
        self.fault = fault
        self.element = element
        self.detail = detail
    }

    /// Makes a fault for a service to throw.
    ///
    /// - Parameters:
    ///   - element: the element inside the detail, one that the operation declares (``DynamicOperation/faults``): its
    ///     local name, or `{namespace}name`.
    ///   - detail: the content of the element.
    ///   - code: the code of the fault; `client` by default.
    ///   - reason: the reason in English. The client gets to read it.
    public init(_ element: String, _ detail: DynamicValue, code: SOAPFault.Code = .client, reason: String) {
        self.init(fault: SOAPFault(code, reason), element: element, detail: detail)
    }

    /// The kind and the reason; the detail may contain data that does not belong in a log.
    public var description: String { "\(fault) (\(element))" }
}

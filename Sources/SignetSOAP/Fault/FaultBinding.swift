/// Ties the element inside a fault's detail to its type.
public struct FaultBinding: Sendable {
    let name: XMLName
    /// What WS-Addressing names the fault by; nil where the WSDL does not say.
    let action: String?
    /// Reads the detail and makes the error to throw.
    let decode: @Sendable (inout XMLReader) throws(XMLError) -> @Sendable (SOAPFault) -> any Error
    /// Writes the detail of an error of this kind; nil for any other error.
    let encode: @Sendable (any Error) -> (fault: SOAPFault, write: @Sendable (inout XMLWriter) -> Void)?

    /// A fault whose detail is the element `name` of type `Detail`.
    ///
    /// - Parameter action: what WS-Addressing names the fault by (Metadata 1.0 §4.4); nil where the WSDL does not say.
    public static func declared<Detail: XMLStructure>(
        _ name: XMLName, _ type: Detail.Type, action: String? = nil
    ) -> FaultBinding {
        FaultBinding(
            name: name, action: action,
            decode: { (reader) throws(XMLError) in
                // A detail that is nil says no more than the fault itself.
                if reader.isNil(for: Detail.self) {
                    try reader.skipElement()
                    return { $0 }
                }
                let detail = try reader.structure(Detail.self)
                return { DeclaredFault(detail, element: name, fault: $0) }
            },
            encode: { error in
                guard let declared = error as? DeclaredFault<Detail>, !declared.fault.isReceived,
                    declared.element == nil || declared.element == name
                else { return nil }
                return (declared.fault, { $0.element(name, declared.detail) })
            })
    }
}

extension [FaultBinding] {
    /// What the peer is told of an error that a handler has thrown, with its detail and what WS-Addressing names it by.
    /// Nil for what is for the operator alone, the faults of other services and those that the operation does not
    /// declare included.
    func answer(
        to error: any Error
    ) -> (fault: SOAPFault, detail: (@Sendable (inout XMLWriter) -> Void)?, action: String?)? {
        for binding in self {
            if let (fault, write) = binding.encode(error) { return (fault, write, binding.action) }
        }
        guard let fault = error as? SOAPFault, !fault.isReceived else { return nil }
        return (fault, nil, nil)
    }
}

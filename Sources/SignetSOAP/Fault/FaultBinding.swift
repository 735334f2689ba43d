/// Connects the element inside a fault's detail with its type.
public struct FaultBinding: Sendable {
    let name: XMLName
    /// The action by which WS-Addressing names the fault; nil when the WSDL states none.
    let action: String?
    /// Reads the detail and makes the error to throw.
    let decode: @Sendable (inout XMLReader) throws(XMLError) -> @Sendable (SOAPFault) -> any Error
    /// Writes the detail of an error of this kind; nil for any other error.
    let encode: @Sendable (any Error) -> (fault: SOAPFault, write: @Sendable (inout XMLWriter) -> Void)?

    /// Makes the binding of a fault whose detail is the element `name` of type `Detail`.
    ///
    /// - Parameters:
    ///   - name: the name of the detail's element.
    ///   - type: the type of the detail.
    ///   - action: the action by which WS-Addressing names the fault (Metadata 1.0 §4.4); nil when the WSDL states
    ///     none.
    public static func declared<Detail: XMLStructure>(
        _ name: XMLName, _ type: Detail.Type, action: String? = nil
    ) -> FaultBinding {
        FaultBinding(
            name: name, action: action,
            decode: { (reader) throws(XMLError) in
                // A detail that is nil adds nothing to the fault itself.
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
    /// The fault for an error that a handler has thrown, with its detail and the action by which WS-Addressing names
    /// it. Nil for errors that only the operator may see; these include faults received from other services and
    /// declared faults that the operation does not declare.
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

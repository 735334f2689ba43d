/// Ties the element inside a fault's detail to its type.
public struct FaultBinding: Sendable {
    let name: XMLName
    /// Reads the detail and makes the error to throw.
    let decode: @Sendable (inout XMLReader) throws(XMLError) -> @Sendable (SOAPFault) -> any Error
    /// Writes the detail of an error of this kind; nil for any other error.
    let encode: @Sendable (any Error) -> (fault: SOAPFault, write: @Sendable (inout XMLWriter) -> Void)?

    /// A fault whose detail is the element `name` of type `Detail`.
    public static func declared<Detail: XMLStructure>(_ name: XMLName, _ type: Detail.Type) -> FaultBinding {
        FaultBinding(
            name: name,
            decode: { (reader) throws(XMLError) in
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

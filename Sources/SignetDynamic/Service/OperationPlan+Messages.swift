import SignetSOAP
import SignetWSDL

/// The operation as the runtime knows it, for clients and servers.
extension OperationPlan {
    /// - Parameters:
    ///   - version: the version of SOAP of the port.
    ///   - inputName: the name of ``input``.
    func operation(_ version: SOAPVersion, input inputName: QName) -> ServiceOperation<XMLAny, XMLAny> {
        ServiceOperation(
            name: wsdlName, soapAction: soapAction, version: version, input: bodyElement(inputName),
            output: outputIsContent ? nil : XMLName(output?.name ?? inputName),
            faults: faults.map { .declared(XMLName($0.name), XMLAny.self) }, isEncoded: isEncoded, isRPC: isRPC,
            requires: requirements, actions: statedActions)
    }

    func oneWay(_ version: SOAPVersion, input inputName: QName) -> OneWayOperation<XMLAny> {
        OneWayOperation(
            name: wsdlName, soapAction: soapAction, version: version, input: bodyElement(inputName),
            isEncoded: isEncoded, requires: requirements, actions: statedActions)
    }

    /// The element in the body of the request; nil when the input is the content of the body itself.
    private func bodyElement(_ name: QName) -> XMLName? { inputIsContent ? nil : XMLName(name) }

    private var statedActions: OperationActions { OperationActions(input: actions?.input, output: actions?.output) }
}

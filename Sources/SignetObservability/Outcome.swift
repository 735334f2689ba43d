#if Observability
import SignetHTTP
import SignetSOAP

/// The outcome of a call or a request. It has few possible values, so that it can stand in metrics and spans. The text
/// of an error is no part of it, because a service may have written that text.
enum Outcome {
    case success
    /// A fault, by its code.
    case fault(FaultCode)
    /// Any other error, by its code or its type.
    case failure(String)

    init(_ error: any Error) {
        self =
            switch error {
            case let error as any FaultAnswer: .fault(FaultCode(error.fault.code))
            case let error as TransportError: .failure(error.code.description)
            case let error as ServiceError: .failure(error.code.description)
            case is CancellationError: .failure(TransportError.Code.cancelled.description)
            default: .failure("\(type(of: error))")
            }
    }

    /// The outcome of a request whose handler has thrown an error. A fault that the peer must not see counts as the
    /// service's own.
    init(_ error: any Error, of context: OperationContext) {
        if let fault = context.fault(for: error) {
            self = .fault(FaultCode(fault.code))
        } else if error is any FaultAnswer {
            self = .fault(.server)
        } else {
            self.init(error)
        }
    }

    /// `ok`, `fault.` with the code, the code of a `TransportError` or a `ServiceError`, or the type of the error.
    var name: String {
        switch self {
        case .success: "ok"
        case .fault(let code): "fault.\(code.rawValue)"
        case .failure(let name): name
        }
    }

    var isSuccess: Bool { if case .success = self { true } else { false } }

    /// Whether a request failed through an error of the service. A mistake of the caller is no error of the service.
    var isServicesError: Bool { faultCode.map { !$0.isCallers } ?? !isSuccess }

    var faultCode: FaultCode? { if case .fault(let code) = self { code } else { nil } }
}

/// The fault codes that the standards name, with one word each for both versions of SOAP.
enum FaultCode: String {
    case client, server, versionMismatch, mustUnderstand, dataEncodingUnknown
    /// A code that the service has defined itself.
    case other

    private static let standard: [String: FaultCode] = [
        "Sender": .client, "Receiver": .server, "VersionMismatch": .versionMismatch, "MustUnderstand": .mustUnderstand,
        "DataEncodingUnknown": .dataEncodingUnknown,
    ]

    init(_ code: SOAPFault.Code) {
        // SOAP 1.1 §4.4.1: what follows a dot specializes the code before the dot.
        let general = SOAPFault.Code(
            namespaceURI: code.namespaceURI, localName: String(code.localName.prefix { $0 != "." }))
        self = general.standardName(in: .soap12).flatMap { Self.standard[$0] } ?? .other
    }

    /// Whether the caller has to change its message.
    var isCallers: Bool { self != .server && self != .other }
}
#endif

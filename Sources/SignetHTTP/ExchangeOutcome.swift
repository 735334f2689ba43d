public import HTTPTypes

/// How one exchange of a call ended: with an answer, whatever its status, or with an error.
///
/// Redirects that are followed and the legs of HTTP authentication belong to one exchange. Each attempt of a repeated
/// call is a separate exchange. The value contains no secret.
public struct ExchangeOutcome: Sendable {
    /// The operation's name in the WSDL.
    public let operation: String
    /// The address to which the call went first.
    public let endpoint: Endpoint
    /// The status of the answer, which may be that of a fault or a refusal; or the error that the transport threw,
    /// which is `TransportError` with the code `cancelled` for a cancelled call.
    public let result: Result<HTTPResponse.Status, any Error>
    /// What happened on the wire. For a failed exchange it contains the duration, and the rest as far as the transport
    /// reports it; otherwise the connection has the number 0.
    public let report: ExchangeReport

    /// An outcome for tests of closures that get outcomes, such as `onExchange`. Calls make their own outcomes.
    public init(
        operation: String, endpoint: Endpoint, result: Result<HTTPResponse.Status, any Error>, report: ExchangeReport
    ) {
        self.operation = operation
        self.endpoint = endpoint
        self.result = result
        self.report = report
    }

    /// Why there is no answer; nil when there is one.
    public var error: (any Error)? {
        if case .failure(let error) = result { error } else { nil }
    }
}

extension ExchangeOutcome: CustomStringConvertible {
    public var description: String {
        switch result {
        case .success(let status):
            var report = report
            // The status of a single leg is the one in front.
            if report.legs == [.init(status: status.code)] { report.legs = [] }
            return "\(operation): \(status.code); \(report)"
        case .failure(let error):
            let isTold = report.connection.number != 0 || !report.legs.isEmpty
            return "\(operation): \(error) (\(isTold ? "\(report)" : "\(report.duration)"))"
        }
    }
}

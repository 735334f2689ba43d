#if Observability
import HTTPTypes
import SignetHTTP
import Tracing

/// The names of span attributes. They are OpenTelemetry's where its semantic conventions define one.
enum SpanAttributeName {
    /// `soap`.
    static let system = "rpc.system.name"
    /// The operation. The service and a slash precede it where the service is known.
    static let method = "rpc.method"
    /// The code of a fault, the same word for both versions of SOAP.
    static let faultCode = "rpc.response.status_code"
    /// The outcome of a failed call or request.
    static let errorType = "error.type"
    /// The host of the service's address.
    static let serverAddress = "server.address"
    /// Its port.
    static let serverPort = "server.port"
    /// The address of the other end of the connection; a proxy's address where a proxy is in between.
    static let peerAddress = "network.peer.address"
    /// Its port.
    static let peerPort = "network.peer.port"
    /// The status of the last answer.
    static let statusCode = "http.response.status_code"
    /// How often a call was repeated; absent when it was not.
    static let resendCount = "http.request.resend_count"
    /// The identifier of the request in the log of the server.
    static let requestID = "signet.request.id"
}

extension SpanAttributes {
    /// Sets the attributes that describe the exchange on the network.
    mutating func tell(_ call: ObservedCall) {
        guard let last = call.exchanges.last else { return }
        if case .success(let status) = last.result { self[SpanAttributeName.statusCode] = status.code }
        if call.attempts > 1 { self[SpanAttributeName.resendCount] = call.attempts - 1 }
        tell(peer: last.report.connection.remoteAddress)
    }

    /// - Parameter address: the address as connections report it: `192.0.2.1:443`, `[2001:db8::1]:443`, both also without
    ///   their port, or the path of a socket.
    mutating func tell(peer address: String?) {
        guard let address, !address.isEmpty else { return }
        guard !address.hasPrefix("/"), let colon = address.lastIndex(of: ":"),
            let port = Int(address[address.index(after: colon)...])
        else {
            self[SpanAttributeName.peerAddress] = address.filter { !"[]".contains($0) }
            return
        }
        self[SpanAttributeName.peerAddress] = address[..<colon].filter { !"[]".contains($0) }
        self[SpanAttributeName.peerPort] = port
    }
}
#endif

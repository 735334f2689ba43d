#if Observability
import HTTPTypes
import SignetHTTP
import Tracing

/// The names of the attributes of spans: those of OpenTelemetry where its semantic conventions have one.
enum SpanAttributeName {
    /// `soap`.
    static let system = "rpc.system.name"
    /// The operation, behind the service and a slash where that is known.
    static let method = "rpc.method"
    /// The code of a fault, by one word for both versions of SOAP.
    static let faultCode = "rpc.response.status_code"
    /// The outcome of what failed.
    static let errorType = "error.type"
    /// The host of the service's address.
    static let serverAddress = "server.address"
    /// Its port.
    static let serverPort = "server.port"
    /// The other end of the connection: a proxy where one stands between.
    static let peerAddress = "network.peer.address"
    /// Its port.
    static let peerPort = "network.peer.port"
    /// The status of the last answer.
    static let statusCode = "http.response.status_code"
    /// How often a call was repeated, where it was.
    static let resendCount = "http.request.resend_count"
    /// What names a request in the log of the server.
    static let requestID = "signet.request.id"
}

extension SpanAttributes {
    /// What happened on the wire.
    mutating func tell(_ call: ObservedCall) {
        guard let last = call.exchanges.last else { return }
        if case .success(let status) = last.result { self[SpanAttributeName.statusCode] = status.code }
        if call.attempts > 1 { self[SpanAttributeName.resendCount] = call.attempts - 1 }
        tell(peer: last.report.connection.remoteAddress)
    }

    /// - Parameter address: as connections tell it: `192.0.2.1:443`, `[2001:db8::1]:443`, or the path of a socket.
    mutating func tell(peer address: String?) {
        guard let address, !address.isEmpty else { return }
        guard !address.hasPrefix("/"), let colon = address.lastIndex(of: ":"),
            let port = Int(address[address.index(after: colon)...])
        else {
            self[SpanAttributeName.peerAddress] = address
            return
        }
        self[SpanAttributeName.peerAddress] = address[..<colon].filter { !"[]".contains($0) }
        self[SpanAttributeName.peerPort] = port
    }
}
#endif

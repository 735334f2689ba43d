/// An HTTP request for an OCSP answer or a revocation list (RFC 6960 §A.1, RFC 5019 §5, RFC 5280 §4.2.1.13).
///
/// It goes to an address in a certificate of a trusted path, without credentials, and follows no redirect to another
/// scheme.
package struct RevocationRequest: Sendable, Hashable {
    package enum Method: String, Sendable, Hashable {
        case get = "GET"
        case post = "POST"
    }

    package let method: Method
    /// Begins with `http://`.
    package let url: String
    /// Empty for GET.
    package let body: [UInt8]
    /// The type of the body; nil for GET.
    package let contentType: String?
    /// The type of the wanted answer, for `Accept`.
    package let accept: String
    /// A longer answer need not be read to its end; it counts as ``RevocationFetchFailure/tooLarge``.
    package let maximumBytes: Int
    /// The limit of the request, from looking up the host to the last byte.
    package let timeLimit: Duration

    init(_ request: OCSPRequest, at server: String, timeLimit: Duration) {
        let address = request.getAddress(at: server)
        method = address == nil ? .post : .get
        url = address ?? server
        body = address == nil ? request.der : []
        contentType = address == nil ? "application/ocsp-request" : nil
        accept = "application/ocsp-response"
        maximumBytes = OCSPResponse.maximumBytes
        self.timeLimit = timeLimit
    }

    init(listAt url: String, maximumBytes: Int, timeLimit: Duration) {
        method = .get
        self.url = url
        body = []
        contentType = nil
        accept = "application/pkix-crl"
        self.maximumBytes = maximumBytes
        self.timeLimit = timeLimit
    }
}

/// Why a request had no answer.
package enum RevocationFetchFailure: Error, Sendable, Hashable {
    case timeout
    case tooLarge
    /// An HTTP status other than 200.
    case status(Int)
    /// No connection, or a broken one. The text is the end of a sentence.
    case unreachable(String)

    func problem(_ request: RevocationRequest) -> RevocationProblem {
        switch self {
        case .timeout:
            RevocationProblem(
                .timeout, "No answer within \(request.timeLimit). Check the network, or allow more time.")
        case .tooLarge:
            RevocationProblem(
                .tooLarge, "The answer has more than \(request.maximumBytes) bytes. Allow more if it is a list.")
        case .status(let status):
            RevocationProblem(
                .unreachable, "The server answered with HTTP status \(status). Report it to the authority.")
        case .unreachable(let reason):
            RevocationProblem(
                .unreachable, "The server cannot be reached: \(reason). Check the network, its firewall and its proxy.")
        }
    }
}

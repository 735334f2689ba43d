import Dispatch
public import SignetAuthentication

/// Kerberos with the system's GSS-API (RFC 2743, RFC 4121), MIT's library, which is loaded at the first use.
///
/// With ``/SignetAuthentication/Credentials/ticket`` it uses the tickets of `kinit` or of a client key table
/// (`KRB5CCNAME`, `KRB5_CLIENT_KTNAME`); with an account it gets a ticket for its name and password. It never delegates
/// credentials.
public struct Kerberos: NegotiateMechanism {
    /// Loads nothing yet. If the system has no GSS-API, the first handshake ends with `noTicket`.
    public init() {}

    public func context(
        host: String, credentials: Credentials, channelBinding: [UInt8]?, mutual: Bool
    ) async throws -> any NegotiateContext {
        let library: GSSLibrary
        switch GSSLibrary.shared {
        case .success(let loaded): library = loaded
        case .failure(let error):
            throw AuthenticationError(.noTicket, "There is no Kerberos: \(error)", cause: error)
        }
        return try await Self.apart {
            try KerberosContext(
                library, host: host, account: credentials.account, channelBinding: channelBinding, mutual: mutual)
        }
    }

    /// Runs work that may wait for the network on a separate thread.
    static func apart<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
        }
    }
}

package import SignetHTTP
package import SignetTLS

/// Runs `body` with connections of its own that show an identity (nil for none) to an authority, and closes them.
///
/// - Throws: ``EnrollmentError`` with `unsupported` when the transport would not show the identity; what `body` throws.
package func withConnections<Value: Sendable>(
    to origin: Origin, showing identity: Identity?, trusting trust: TrustPolicy, over transport: IdentityTransport,
    _ body: (any ClientTransport) async throws -> Value
) async throws -> Value {
    let connection = try transport(identity, trust)
    if identity != nil, connection.proofs(at: origin)?.hasIdentity == false {
        throw EnrollmentError(
            .unsupported,
            "The transport shows no identity to \(origin). Make one for this origin, with the identity that it is given."
        )
    }
    let result: Result<Value, any Error>
    do { result = .success(try await body(connection)) } catch { result = .failure(error) }
    // A transport that cannot close its connections has got the answer all the same.
    try? await connection.shutdown()
    return try result.get()
}

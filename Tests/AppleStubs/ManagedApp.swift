// Declares just the calls made to Apple's module of this name, so that what is only for Apple's systems is at least
// compiled.
public import Security

public enum ManagedAppError: Error { case invalidIdentifier }

public class ManagedAppIdentitiesProvider {
    public init() {}
    public var identifiers: some AsyncSequence<[String], Never> {
        get async { AsyncStream<[String]> { $0.finish() } }
    }
    public func identity(withIdentifier identifier: String) async throws(ManagedAppError) -> SecIdentity {
        throw .invalidIdentifier
    }
}

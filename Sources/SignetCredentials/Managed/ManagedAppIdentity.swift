import SignetTLS

/// The calls of Apple's framework ManagedApp. The implementation on Apple's systems only translates.
protocol ManagedAppCalls: Sendable {
    /// Yields the names that the administrator has given, for the first time at once, and when a name or an identity changes.
    func identifiers() -> AsyncStream<[String]>
    /// The identity with a name.
    func identity(_ identifier: String) async throws -> Identity
}

/// An identity that the administrator of a device gives to a managed app.
struct ManagedAppIdentity: IdentityFeed {
    private let identifier: String
    private let calls: any ManagedAppCalls

    init(_ identifier: String, _ calls: any ManagedAppCalls) {
        (self.identifier, self.calls) = (identifier, calls)
    }

    var name: String { "identity “\(identifier)” of the managed app" }

    func identity(isPatient: Bool) async throws -> Identity {
        do { return try await calls.identity(identifier) } catch let error as IdentityError {
            throw error
        } catch {
            try Task.checkCancellation()
            let names = await assigned()
            try Task.checkCancellation()
            guard let names else {
                throw IdentityStoreError(
                    .inputOutput,
                    "The system does not give the app the identity “\(identifier)”, and did not say in time which ones the device's administrator has assigned: \(error).",
                    cause: error)
            }
            guard !names.contains(identifier) else {
                throw IdentityStoreError(
                    .inputOutput,
                    "The system does not give the app the identity “\(identifier)”, although the device's administrator has assigned it: \(error).",
                    cause: error)
            }
            let given = names.isEmpty ? "no identity" : names.map { "“\($0)”" }.joined(separator: ", ")
            throw IdentityStoreError(
                .notFound,
                "The system does not give the app the identity “\(identifier)” (\(error)). The device's administrator has assigned: \(given). The declaration com.apple.configuration.app.managed needs an identity with this identifier.",
                cause: error)
        }
    }

    /// The names of the identities that the app has; nil when the system does not say so within two seconds.
    private func assigned() async -> [String]? {
        await withTaskGroup(of: [String]?.self) { group in
            group.addTask { [calls] in
                for await names in calls.identifiers() { return names }
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(2))
                return nil
            }
            let names = await group.next() ?? nil
            group.cancelAll()
            return names
        }
    }

    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let task = Task { [calls] in
            for await _ in calls.identifiers() { continuation.yield() }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

extension ServiceClient {
    /// Makes a client of a service in the same process. A test then runs everything that a call does except HTTP and
    /// TLS, with no port and no certificate. Inputs, outputs, faults, header blocks and attachments are written and
    /// read as over the network.
    ///
    /// ```swift
    /// let webEase = WebEase.Client(inProcess: WebEase.dispatcher(Diary()))
    /// ```
    ///
    /// A call of an operation for which the service has no handler ends with a ``ServiceError`` that names the
    /// operation and has the code ``ServiceError/Code/noHandler``. The endpoint is `https://localhost/`. Operations
    /// without SOAP have no handlers. A test of a deadline sets `Deadlines.total` to less than the usual minute
    /// (``InProcessTransport``).
    ///
    /// - Parameters:
    ///   - dispatcher: the service.
    ///   - peer: the caller that the service sees.
    public init(inProcess dispatcher: ServiceDispatcher, peer: PeerDescription = .init()) {
        var settings = CallSettings()
        settings.middlewares = [HandledOperations(dispatcher)]
        self.init(
            ServiceCaller(
                endpoint: Endpoint(origin: Origin(scheme: .https, host: "localhost", port: 443), path: "/"),
                transport: InProcessTransport(dispatcher, peer: peer), settings: settings))
    }

    /// Makes a client of a service in the same process that has handlers only for some operations: those that a test is
    /// about.
    ///
    /// ```swift
    /// let webEase = WebEase.Client(inProcess: [
    ///     WebEase.Operations.logEntryDelete.route { input, _ in .init(deleted: input.id == 7) }
    /// ])
    /// ```
    ///
    /// The service speaks both versions of SOAP and takes attachments. It refuses header blocks that must be
    /// understood; a ``ServiceDispatcher`` can name those that its handlers process. Everything else works as for the
    /// client of a dispatcher.
    ///
    /// - Parameters:
    ///   - routes: the operations, each with its handler.
    ///   - peer: the caller that the handlers see.
    public init(inProcess routes: [ServiceRoute], peer: PeerDescription = .init()) {
        let dispatcher = ServiceDispatcher(
            name: "in this process", versions: [.soap11, .soap12], takesAttachments: true, routes: routes)
        self.init(inProcess: dispatcher, peer: peer)
    }
}

/// Fails calls of operations for which a service in the same process has no handler. A fault of the service could be
/// mistaken for a fault that a test expects.
private struct HandledOperations: CallMiddleware {
    private let names: Set<String>

    init(_ dispatcher: ServiceDispatcher) {
        names = Set(dispatcher.routes.values.joined().map(\.operation.name))
    }

    func intercept<Input: XMLStructure, Output: Sendable>(
        _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
    ) async throws -> ServiceAnswer<Output> {
        guard names.contains(call.operation) else {
            let others = names.isEmpty ? "none at all" : "handlers for \(names.sorted().joined(separator: ", "))"
            throw ServiceError(
                .noHandler,
                "The service in this process has no handler for the operation \(call.operation), but \(others). "
                    + "Give it one: `Operations.….route { … }`.")
        }
        return try await next(call)
    }
}

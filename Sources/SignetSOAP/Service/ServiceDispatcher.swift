public import Logging

/// Takes envelopes and gives envelopes: finds the operation, reads its input, runs the handler, writes output or fault.
///
/// It knows neither HTTP nor TLS; a host brings messages to it. Generated code makes it from a service.
public struct ServiceDispatcher: Sendable {
    /// The service's name in the WSDL.
    public let name: String
    /// Bounds on the XML of a request.
    public var xmlLimits = XMLLimits()
    /// Header blocks that the handlers deal with although they must be understood.
    public var understoodHeaderBlocks: Set<XMLName> = []
    public var logger = Logger(label: "signet", factory: { _ in SwiftLogNoOpLogHandler() })
    private let version = SOAPVersion.soap11
    private let routes: [XMLName: ServiceRoute]

    public init(name: String, routes: [ServiceRoute]) {
        self.name = name
        self.routes = Dictionary(routes.map { ($0.input, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// An answer for a host to send.
    public struct Answer: Sendable {
        /// 200, or 500 for a fault (SOAP 1.1 §6.2).
        public let status: Int
        public let contentType: String
        public let body: [UInt8]
    }

    /// The media type that requests must have.
    public var mediaType: String { version.mediaType }

    /// Answers one message. Never throws: what goes wrong becomes a fault that tells the peer no more than it may know.
    public func respond(to message: [UInt8], from peer: PeerDescription) async -> Answer {
        do {
            let (headers, prepared) = try read(message)
            let context = ServiceContext(peer: peer, operation: prepared.operation, headerBlocks: headers)
            logger.debug(
                "called",
                metadata: [
                    "operation": "\(prepared.operation)",
                    "peer": "\(peer.certificateSubject ?? peer.user ?? "anonymous")",
                ])
            return Answer(status: 200, contentType: contentType, body: try await prepared.run(context))
        } catch let failure as HandlerFailure {
            return fault(for: failure.error, bindings: failure.bindings)
        } catch {
            return fault(for: error, bindings: [])
        }
    }

    private var contentType: String { "\(version.mediaType); charset=utf-8" }

    private func read(_ message: [UInt8]) throws(SOAPFault) -> ([ReceivedHeaderBlock], ServiceRoute.Prepared) {
        let headers: [ReceivedHeaderBlock]
        let found: Result<ServiceRoute.Prepared, SOAPFault>?
        do {
            (headers, found) = try EnvelopeReader.read(
                message, version: version, limits: xmlLimits, understood: understoodHeaderBlocks
            ) { (reader) throws(XMLError) in
                let name = reader.elementName
                if let namespace = XMLNamespace.known(reader.namespaceURI), let route = routes[XMLName(namespace, name)]
                {
                    return .success(try route.prepare(&reader))
                }
                try reader.skipElement()
                return .failure(
                    .client("The service \(self.name) has no operation that takes “\(name)” in this namespace."))
            }
        } catch {
            switch error {
            case .malformed(let error): throw .client("The request cannot be read: \(error)")
            case .notAnEnvelope(let root): throw .client("The request is no SOAP envelope: its root is “\(root)”.")
            case .version: throw SOAPFault(.versionMismatch, "This service speaks \(version).")
            case .headerNotUnderstood(let name):
                throw SOAPFault(.mustUnderstand, "The header block \(name) is not understood.")
            }
        }
        guard let found else { throw .client("The body of the request is empty.") }
        return (headers, try found.get())
    }

    private func fault(for error: any Error, bindings: [FaultBinding]) -> Answer {
        let bytes: [UInt8]
        do {
            if let (fault, write) = bindings.lazy.compactMap({ $0.encode(error) }).first {
                bytes = try EnvelopeWriter.fault(version, fault) { write(&$0) }
            } else if let fault = error as? SOAPFault, !fault.isReceived {
                bytes = try EnvelopeWriter.fault(version, fault)
            } else {
                // What went wrong inside is for the operator, not for the peer.
                logger.error("a handler failed", metadata: ["error": "\(error)"])
                bytes = try EnvelopeWriter.fault(version, .server("Internal error."))
            }
        } catch {
            logger.error("a fault cannot be written", metadata: ["error": "\(error)"])
            bytes = (try? EnvelopeWriter.fault(version, .server("Internal error."))) ?? []
        }
        return Answer(status: 500, contentType: contentType, body: bytes)
    }
}

/// One operation of a hosted service. Generated code makes these from its handlers.
public struct ServiceRoute: Sendable {
    /// A request that was read and waits to be run.
    struct Prepared: Sendable {
        let operation: String
        let run: @Sendable (ServiceContext) async throws -> [UInt8]
    }

    let input: XMLName
    let prepare: @Sendable (inout XMLReader) throws(XMLError) -> Prepared
}

/// An error that a handler threw, with the faults that its operation declares.
struct HandlerFailure: Error {
    let error: any Error
    let bindings: [FaultBinding]
}

extension ServiceOperation {
    /// Ties the operation to the function that performs it.
    public func route(_ handler: @escaping @Sendable (Input, ServiceContext) async throws -> Output) -> ServiceRoute {
        ServiceRoute(input: input) { (reader) throws(XMLError) in
            let input = try reader.structure(Input.self)
            return ServiceRoute.Prepared(operation: name) { context in
                do {
                    let output = try await handler(input, context)
                    return try EnvelopeWriter.envelope(version, namespaces: namespaces) {
                        $0.element(self.output, output)
                    }
                } catch {
                    throw HandlerFailure(error: error, bindings: faults)
                }
            }
        }
    }
}

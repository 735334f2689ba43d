#if Server
import HTTPTypes
import SignetAuthentication
import SignetSOAP
import Synchronization

/// The way to a service of the server.
struct ServiceEntrance: Sendable {
    let path: String
    /// The versions of SOAP that the service speaks.
    let versions: [SOAPVersion]
    /// Makes the receiver for the content of a request with these fields; nil when the content cannot be a message.
    let intake: @Sendable (HTTPFields, _ request: ServerRequest) -> (any RequestReceiver)?
    /// The largest size of a request, in bytes.
    let limit: Int
    /// Nil where the service asks for no credentials over HTTP.
    let credentials: CredentialCheck?
    let requiresCertificate: Bool
    let wsdl: PublishedWSDL?
    /// Counts the requests that the service processes; nil for no limit.
    let places: RequestPlaces?

    /// - Parameters:
    ///   - settings: those of the server.
    ///   - spool: the disk space for attachments, which the services share.
    ///   - intake: makes the receiver of content; nil for the dispatcher's.
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration`.
    init(
        _ service: HostedService, _ settings: SOAPServer.Settings, _ spool: SpoolBudget?,
        intake: (@Sendable (HTTPFields, _ request: ServerRequest) -> (any RequestReceiver)?)?
    ) throws(SOAPServerError) {
        path = service.path
        guard path.hasPrefix("/"), !path.contains("?") else {
            throw SOAPServerError(
                .invalidConfiguration, "The path “\(path)” cannot be used: it must begin with / and hold no query.")
        }
        for limit in [service.maximumRequestBytes, service.maximumConcurrentRequests] {
            guard limit.map({ $0 > 0 }) ?? true else {
                throw SOAPServerError(
                    .invalidConfiguration, "The limits of the service at “\(path)” must be above zero.")
            }
        }
        let dispatcher = service.dispatcher
        let bounds = try settings.bounds(of: dispatcher, maximum: service.maximumRequestBytes, spool)
        (versions, limit) = (dispatcher.versions, bounds.bytes)
        self.intake = intake ?? { fields, request in dispatcher.intake(for: fields, bounds, in: request) }
        credentials = try CredentialCheck(service.authentication)
        requiresCertificate = service.requiresCertificate || service.authentication.demandsCertificates
        wsdl = service.wsdl
        places = service.maximumConcurrentRequests.map { RequestPlaces(limit: $0) }
    }
}

/// Counts the requests that are processed at a time.
final class RequestPlaces: Sendable {
    private let limit: Int
    private let count = Mutex(0)

    init(limit: Int) { self.limit = limit }

    /// Takes a place; false when no place is free.
    func take() -> Bool {
        count.withLock { count in
            guard count < limit else { return false }
            count += 1
            return true
        }
    }

    var isFull: Bool { count.withLock { $0 >= limit } }

    func leave() { count.withLock { $0 -= 1 } }
}
#endif

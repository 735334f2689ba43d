#if Server
import HTTPTypes
public import HummingbirdCore
public import Logging
import NIOCore
import SignetHTTP
public import SignetSOAP

/// A service within an application of Hummingbird that is there already: its router leads requests here.
///
/// ```swift
/// let soap = try MountedService(HostedService(WebEase.dispatcher(Diary())), logger: logger)
/// router.post("/soap") { request, _ in try await soap.respond(to: request) }
/// ```
///
/// The service checks credentials, media type and size as a ``SOAPServer`` does, and answers in the same way. The application has to do what
/// is before that: TLS and the certificates of clients, limits for connections and heads, times in which nothing arrives or the client takes
/// nothing, and the answer `100 Continue`. Handlers of one-way operations that run at a time are at most 256, and attachments on the disk
/// 1 GiB.
public struct MountedService: Sendable {
    private let handler: RequestHandler
    private let background: RunningTasks

    /// - Parameters:
    ///   - service: the service. Its path has no meaning, as the application's router has paths.
    ///   - requestArrival: how long the content of a request may take to arrive; a second more for each 64 KiB that have arrived. A
    ///     request that takes longer gets 408, as soon as more of it arrives.
    ///   - logger: gets what a ``SOAPServer`` logs about requests; the dispatcher's unless given.
    /// - Throws: ``SOAPServerError`` with `invalidConfiguration`.
    public init(_ service: HostedService, requestArrival: Duration = .seconds(60), logger: Logger? = nil) throws {
        var settings = SOAPServer.Settings()
        settings.requestArrival = requestArrival
        if let logger { settings.logger = logger }
        try settings.check(isSecure: false)
        let (services, logged) = SOAPServer.withOneLog([service], settings)
        settings = logged
        let service = services.first ?? service
        let entrance = try ServiceEntrance(service, settings, try settings.spool(of: [service]), intake: nil)
        let background = RunningTasks()
        self.background = background
        handler = RequestHandler(
            [entrance], registration: nil, forwarded: nil, isSecure: false, settings: settings, background: background)
    }

    /// Answers a request.
    ///
    /// - Parameters:
    ///   - request: the request, with its content.
    ///   - peer: the client, as far as the application has found out who it is: its certificate, its address. Handlers get it as
    ///     `context.peer`, with the user whose credentials the service has accepted.
    /// - Throws: the error with which the content of the request ends before its end.
    public func respond(to request: Request, from peer: PeerDescription = .init()) async throws -> Response {
        let head = ServerRequest(
            method: request.method, path: request.head.path ?? "",
            authority: request.head.authority.flatMap { $0.isEmpty ? nil : $0 }, fields: request.headers,
            remoteAddress: peer.remoteAddress,
            id: RequestNumber.next())
        let answer = try await handler.answer(head, request.body, from: peer)
        if request.method == .head {
            // RFC 9110 §9.3.2: the client would take content after the head for its next answer.
            return Response(status: answer.status, headers: answer.head.headerFields)
        }
        let body: ResponseBody =
            switch answer.body.content {
            case .bytes(let bytes): ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            case .stream(let stream):
                ResponseBody(contentLength: answer.body.count) { [handler] writer in
                    let outlet = Outlet(writer: writer, eventLoop: nil)
                    do { try await stream.run { try await outlet.write($0) } } catch {
                        _ = handler.failed("an answer could not be written to its end", "\(error)")
                        throw error
                    }
                    try await writer.finish(nil)
                }
            }
        return Response(status: answer.status, headers: answer.fields, body: body)
    }

    /// Waits for the handlers of one-way operations, which run after their answers, and cancels those that take longer. Call this when the
    /// application has ended, also with an error.
    ///
    /// - Parameter limit: how long they may take.
    public func waitForHandlers(atMost limit: Duration = .seconds(10)) async {
        let watchdog = Task { [background] in
            try await Task.sleep(for: limit)
            background.cancelAll()
        }
        await background.waitForAll()
        watchdog.cancel()
    }
}
#endif

import ReferenceServices
import Signet
import SignetServer
import SignetURLSession
import Testing

// Code of the articles in Signet.docc and of README.md. It is compiled, and DocumentationTests compares the pages with
// it.

private func call(password: String, servicePassword: String) async throws {
    let identity = try Identity(pkcs12: try .init(contentsOfFile: "device.p12"), password: password)
    var service = try ServiceConfiguration("https://webease.example:8443/soap")
    service.identity = .fixed(identity)
    service.trust = .anchors(try .init(pem: .init(contentsOfFile: "authority.pem")))
    service.authentication.credentials = .fixed(.account(user: "service", password: servicePassword))

    let webEase = WebEase.Client(service)
    let answer = try await webEase.logEntryQuery(.init(patientId: "4711"))
    for entry in answer.entry { print(entry.id, entry.entryDate, entry.systolic) }
}

private func configure(
    identities: any IdentityStore, pin: String, backupPin: String, ask: @escaping @Sendable (String) async -> String
) throws -> ServiceConfiguration {
    var service = try ServiceConfiguration("https://webease.example:8443/soap")
    service.identity = .stored("device", in: identities)  // looked up before each call
    service.trust = .system.pinned(to: [.publicKey(sha256: pin), .publicKey(sha256: backupPin)])
    service.authentication.credentials = .asking { question in  // asked once a protection space
        question.reason == .rejected ? nil : .account(user: "service", password: await ask(question.space.realm))
    }
    service.deadlines.total = .seconds(20)
    service.maximumResponseBytes = 4 << 20
    service.logger = Logger(label: "webease")  // silent unless given
    service.onExchange = { exchange in print(exchange) }  // or its error; TLS version, cipher, path, legs, time
    return service
}

private func keepWarm(_ service: inout ServiceConfiguration) {
    service.warmConnections = WarmConnections(count: 2)  // kept up until ten minutes after the last call
}

private func reach(
    _ service: inout ServiceConfiguration, environment: [String: String], house: CertificateBundle,
    identities: any IdentityStore, password: String
) throws {
    service.proxy = try .environment(environment)  // https_proxy, http_proxy, all_proxy, no_proxy
    // Or:
    let exceptions: ProxyExceptions = "localhost, .intern.example, 10.0.0.0/8"
    service.proxy.rules = ProxyRules(try Proxy("https://proxy.example:3129"), exceptions: exceptions)
    service.proxy.trust = .anchors(house)  // for the proxy's own certificate
    service.proxy.identity = .stored("workplace", in: identities)  // if it asks for one
    service.proxy.authentication.credentials = .fixed(.account(user: "clerk", password: password))
}

private func useTheSystems(identities: any IdentityStore, pins: [TrustPolicy.Pin]) throws {
    let endpoint = try Endpoint("https://webease.example:8443/soap")
    var connection = ConnectionConfiguration()
    connection.identity = .stored("device", in: identities)
    connection.trust = .system.pinned(to: pins)
    let transport = try URLSessionTransport(to: endpoint.origin, connection)
    let webEase = WebEase.Client(ServiceCaller(endpoint: endpoint, transport: transport))
    _ = webEase
}

private func write(
    size: Int, pieces: @escaping @Sendable () -> AsyncThrowingStream<[UInt8], any Error>
) -> HTTPBody {
    let body = HTTPBody(length: size, isReplayable: true) { writer in
        for try await piece in pieces() { try await writer.write(piece) }
    }
    return body
}

struct Saving: ContentReceiver {
    let save: @Sendable ([UInt8]) async throws -> Void
    func takes(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool { status == .ok }
    func receive(_ bytes: [UInt8]) async throws { try await save(bytes) }
}

private func take(
    _ request: ClientRequest, over transport: any ClientTransport,
    save: @escaping @Sendable ([UInt8]) async throws -> Void
) async throws -> ClientResponse {
    var request = request
    request.contentReceiver = Saving(save: save)
    request.maximumStreamedBytes = 2 << 30  // 16 GiB unless changed
    request.deadlines.total = .seconds(600)
    let answer = try await transport.send(request)  // body is empty
    return answer
}

private func pin(_ service: inout ServiceConfiguration, inUse: String, inReserve: String) {
    var pins = TrustPolicy.PinSet([.publicKey(sha256: inUse), .publicKey(sha256: inReserve)], host: "service.example")
    pins.includesSubdomains = true
    pins.expires = 1_924_991_999  // the pins do not apply after this time
    pins.mode = .report  // trusted all the same, with a report
    service.trust = .system.pinned(to: pins)
}

private func ask(
    _ service: inout ServiceConfiguration, folder: String, inAYear: Int64,
    agrees: @escaping @Sendable (String, Int, [TrustError.Failure], [EncodedCertificate]) async -> Bool
) throws {
    service.trustExceptions = try DirectoryTrustExceptions(path: folder)
    service.onTrustFailure = .ask { question in
        guard await agrees(question.host, question.port, question.error.failures, question.error.certificates) else {
            return .refuse
        }
        return .accept(reason: "compared by telephone with Ms Weber", until: inAYear)
    }
}

private func callWithHeaders(key: String, parcel: Parcels.Send) async throws {
    var service = try ServiceConfiguration(Parcels.Ports.parcelsPort12)  // address and version of SOAP, as in the WSDL
    service.cookies = .kept  // given back to the origin that set them
    let parcels = Parcels.Client(service)

    let session = Parcels.Headers.session.block(.init(key: key), mustUnderstand: true)
    let answer = try await parcels.caller.answer(to: Parcels.Operations.send, parcel, headerBlocks: [session])
    if let usage = try answer.header(Parcels.Headers.usage) { print(answer.output.number, usage.calls) }
    try await parcels.lost(.init(number: ["7"]), headerBlocks: [session])  // returns when the message is accepted
}

private struct Depot {
    func calls(of key: String) async -> Int32 { 1 }
    func accept(_ parcel: Parcels.Send) async throws -> String { "7" }

    func send(_ input: Parcels.Send, _ context: OperationContext) async throws -> Parcels.SendResponse {
        guard let session = try context.header(Parcels.Headers.session) else { throw SOAPFault.client("No session.") }
        context.answerHeaderBlocks.append(Parcels.Headers.usage.block(.init(calls: await calls(of: session.key))))
        return .init(number: try await accept(input))
    }
}

struct CallLog: CallMiddleware {
    let logger: Logger

    func intercept<Input: XMLStructure, Output: Sendable>(
        _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
    ) async throws -> ServiceAnswer<Output> {
        let start = ContinuousClock.now
        defer { logger.info("\(call.operation) took \(ContinuousClock.now - start)") }
        return try await next(call)
    }
}

struct Tracing: ClientHTTPMiddleware {
    let current: @Sendable () -> String

    func intercept(
        _ exchange: ClientExchange, next: @Sendable (ClientExchange) async throws -> ClientResponse
    ) async throws -> ClientResponse {
        var exchange = exchange
        if let name = HTTPField.Name("traceparent") { exchange.fields[name] = current() }
        return try await next(exchange)
    }
}

private func addMiddlewares(_ service: inout ServiceConfiguration, logger: Logger) throws {
    var retry = RetryMiddleware.Settings()
    retry.idempotentOperations = ["LogEntryQuery"]  // repeated also when the service may have acted on them
    service.middlewares.append(CallLog(logger: logger))
    service.middlewares.append(try RetryMiddleware(retry))
    service.httpMiddlewares.append(Tracing { TraceContext.current.text })
}

private func tell(_ service: inout ServiceConfiguration) {
    service.onExchange = { exchange in
        switch exchange.result {
        case .success(let status): print(exchange.operation, status.code, exchange.report.legs.map(\.status))
        case .failure(let error): print(exchange.operation, error)
        }
    }
}

/// Stands for what a library of traces has.
private struct TraceContext {
    static var current: TraceContext { TraceContext(text: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01") }
    let text: String
}

struct Diary: WebEase.Service {
    func logEntryQuery(
        _ input: WebEase.LogEntryQuery, _ context: OperationContext
    ) async throws -> WebEase.LogEntryQueryResponse {
        guard let device = context.peer.certificateSubject else { throw SOAPFault.client("No certificate.") }
        return .init(entry: try await entries(of: input.patientId, askedBy: device), truncated: false)
    }
    // … and the other operations
}

extension Diary {
    func entries(of patient: String, askedBy device: String) async throws -> [WebEase.LogEntry] { [] }

    func logEntryCreate(
        _ input: WebEase.LogEntryCreate, _ context: OperationContext
    ) async throws -> WebEase.LogEntryCreateResponse { throw SOAPFault.server("Read only.") }

    func logEntryUpdate(
        _ input: WebEase.LogEntryUpdate, _ context: OperationContext
    ) async throws -> WebEase.LogEntryUpdateResponse { throw SOAPFault.server("Read only.") }

    func logEntryDelete(
        _ input: WebEase.LogEntryDelete, _ context: OperationContext
    ) async throws -> WebEase.LogEntryDeleteResponse { throw SOAPFault.server("Read only.") }

    func register(_ input: WebEase.Register, _ context: OperationContext) async throws -> WebEase.RegisterResponse {
        throw SOAPFault.server("Read only.")
    }
}

private protocol Accounts: Sendable { func check(_ user: String, _ password: String) async -> Bool }

private func host(serverIdentity: Identity, deviceAuthority: CertificateBundle, accounts: any Accounts) async throws {
    let server = try SOAPServer(
        WebEase.dispatcher(Diary()), path: "/soap",
        tls: .init(identity: .fixed(serverIdentity), clients: .certificateRequired(.anchors(deviceAuthority))),
        authentication: .basic(realm: "WebEase") { await accounts.check($0.user, $0.password) })
    try await server.run()
}

/// A person who is asked for an account.
protocol AskedPerson: Sendable {
    func account(for question: CredentialQuestion) async -> Credentials?
}

private func askStoreFirst(store: any CredentialStore, person: any AskedPerson) throws -> ServiceConfiguration {
    var service = try ServiceConfiguration("https://reports.example/soap")
    service.authentication.credentials = .stored(in: store) { question in
        await person.account(for: question)  // why: .first, .rejected, .expired, .realmChanged
    }
    service.proxy.authentication.credentials = .fixed(.ticket)  // kinit's, for the proxy alone
    service.proxy.authentication.schemes = [.negotiate]
    service.proxy.authentication.kerberos = Kerberos()
    return service
}

private func keepAcceptedCredentials(
    _ service: inout ServiceConfiguration, store: any CredentialStore, person: any AskedPerson
) {
    service.authentication.credentials = .stored(in: store, keeping: .permanent) { question in
        await person.account(for: question)  // the store has nothing, or what was refused
    }
}

private struct OwnAnswer {
    var status = 200
    var challenges: [String] = []
    var information: [String] = []
    var body: [UInt8] = []
}

private func callByOwnMeans(
    _ session: AuthenticationSession, body: [UInt8], send: (String?) async throws -> OwnAnswer
) async throws -> OwnAnswer? {
    var exchange = try session.begin(scheme: "https", host: "reports.example", port: 443, path: "/soap")
    var status: Int?
    defer { session.finish(&exchange, status: status) }  // whatever happens
    if exchange.needsPreparation { try await session.prepare(&exchange) }
    for _ in 0..<8 {  // no server needs more challenges
        let field = try await session.authorization(
            &exchange, for: .init(method: "POST", target: "/soap", content: body), over: .init(number: 0))
        let answer = try await send(field)  // yours
        guard answer.status == 401 else {
            try await session.verify(
                exchange, challenges: answer.challenges, information: answer.information, content: answer.body)
            await session.keep(&exchange, status: answer.status)
            status = answer.status
            return answer
        }
        try await session.challenged(&exchange, status: 401, fields: answer.challenges)
    }
    return nil
}

private func getTokens(_ service: inout ServiceConfiguration, identity: Identity) throws {
    let login = try ServiceConfiguration("https://login.example/token")  // with a trust of its own
    let client = OAuthClient.privateKey(id: "reports-client", identity)  // or a secret, or mutual TLS
    var asked = OAuthTokens.Configuration(endpoint: login.endpoint, client: client)
    asked.scopes = ["reports.read"]
    service.authentication.credentials = .tokens(OAuthTokens(asked, transport: try login.makeTransport()))
}

/// As a client generated from a service with jobs.
private protocol ReportService: Sendable {
    func reportQueueOvertime(_ description: String) async throws -> ReportNumber
    func reportGetStatus(_ number: ReportNumber) async throws -> ReportStatus
}

private struct ReportNumber: Sendable { var reportID: Int32 }

private struct ReportStatus: Sendable {
    var status: String
    var errorCode: String
    var errorMsg: String
}

private struct ReportFailure: Error {
    var code: String
    var message: String
}

private func waitForReport(_ omniture: some ReportService, description: String) async throws -> ReportStatus {
    let id = try await omniture.reportQueueOvertime(description).reportID
    let status = try await Polling(every: .seconds(2), upTo: .seconds(30), deadline: .seconds(600)).run {
        try await omniture.reportGetStatus(.init(reportID: id))
    } state: { status in
        switch status.status {
        case "done": .done
        case "failed": .failed(ReportFailure(code: status.errorCode, message: status.errorMsg))
        default: .pending()
        }
    } onProgress: { status in
        print(status.status)
    }
    return status
}

private func forward(_ service: inout ServiceConfiguration, with archive: Archive.Client) async throws {
    service.attachments.mtom = .always()
    let answer = try await archive.caller.answer(
        to: Archive.Operations.forward, .init(to: "registry"),
        attachments: [MessageAttachment(file: "letter.pdf", contentType: "application/pdf")])
    for (index, attachment) in answer.attachments.enumerated() {
        try await attachment.save(to: "\(index)-\(attachment.safeFileName)")
    }
}

struct Reminder<Diary: WebEase.API> {  // not WebEase.Client: a test brings what it likes
    let diary: Diary

    func isDue(_ patient: String) async throws -> Bool {
        try await diary.logEntryQuery(.init(patientId: patient)).entry.isEmpty
    }

    func forget(_ id: Int64) async throws -> Bool {
        do {
            return try await diary.logEntryDelete(.init(id: id)).deleted
        } catch is DeclaredFault<WebEase.EntryNotFound> {
            return false
        }
    }
}

@Test func entriesAreForgottenOnce() async throws {
    let webEase = WebEase.Client(inProcess: [
        WebEase.Operations.logEntryQuery.route { _, _ in .init(entry: [], truncated: false) },
        WebEase.Operations.logEntryDelete.route { input, _ in
            if input.id == 7 { return .init(deleted: true) }
            throw DeclaredFault(WebEase.EntryNotFound(id: input.id), reason: "No such entry.")
        },
    ])
    let reminder = Reminder(diary: webEase)
    #expect(try await reminder.isDue("4711"))
    #expect(try await reminder.forget(7))
    #expect(try await !reminder.forget(8))
}

@Test func anOperationWithoutHandlerIsNamed() async throws {
    let webEase = WebEase.Client(inProcess: [
        WebEase.Operations.logEntryQuery.route { _, _ in .init(entry: [], truncated: false) }
    ])
    let error = await #expect(throws: ServiceError.self) { try await webEase.register(.init(serialNumber: "0815")) }
    #expect(error?.code == .noHandler)
}

@Test func aServiceSeesThePeer() async throws {
    var peer = PeerDescription()
    peer.certificateSubject = "CN=device 7"
    let webEase = WebEase.Client(inProcess: WebEase.dispatcher(Diary()), peer: peer)
    #expect(try await webEase.logEntryQuery(.init(patientId: "4711")).entry.isEmpty)
    let stranger = WebEase.Client(inProcess: WebEase.dispatcher(Diary()))
    await #expect(throws: SOAPFault.self) { try await stranger.logEntryQuery(.init(patientId: "4711")) }
}

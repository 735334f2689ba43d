#if CommandLine
import Signet
import SignetEnrollment
import SignetServer
import SignetTesting

/// The steps that must be refused, each with its own error.
extension Demonstration {
    var refusalSteps: [Step] {
        [
            Step(title: "Refused: the server's key is not the pinned one", run: wrongPin),
            Step(title: "Refused: a certificate for another host name", run: otherName),
            Step(title: "Refused: a certificate for the IP address only", run: addressOnly),
            Step(title: "Refused: a certificate with the host name as Common Name only", run: commonNameOnly),
            Step(title: "Refused: an expired certificate", run: expired),
            Step(title: "Refused by the service: no client certificate", run: noCertificate),
            Step(title: "Another host requests the client's certificate, and does not get it", run: otherHost),
            Step(title: "Refused by the service: a wrong service password", run: wrongPassword),
            Step(title: "Refused by the service: a device struck from the registry", run: struckDevice),
            Step(title: "A refused port", run: refusedPort),
            Step(title: "A silent host", run: silentHost),
            Step(title: "An unknown name", run: unknownName),
            Step(title: "No network at all", run: noNetwork),
        ]
    }

    private func ask(_ service: ServiceConfiguration) async throws {
        let client = WebEase.Client(service)
        do {
            _ = try await client.logEntryQuery(.init(patientId: Self.patient))
        } catch {
            try await client.shutdown()
            throw error
        }
        try await client.shutdown()
    }

    private func expect(
        trust code: TrustError.Code, from service: ServiceConfiguration, _ step: inout StepReport
    ) async throws {
        do {
            try await ask(service)
        } catch let error as TrustError where error.code == code {
            step.say("\(code): \(error.message)")
            return
        }
        throw Failure("The client trusted the server.")
    }

    private func expect(
        transport code: TransportError.Code, from service: ServiceConfiguration, _ step: inout StepReport
    ) async throws {
        do {
            try await ask(service)
        } catch let error as TransportError where error.code == code {
            step.say("\(code): \(error)")
            return
        }
        throw Failure("The call came through.")
    }

    // MARK: Servers that the app does not trust

    private func wrongPin(_ step: inout StepReport) async throws {
        var service = try world.configuration(identity: World.deviceLabel)
        let others = try [1, 2].map { _ in try World.pin(world.serverAuthority.issueServer(dnsNames: ["localhost"])) }
        service.trust = .anchors(world.serverAuthority.bundle).pinned(to: others)
        let before = world.passwordsChecked
        try await expect(trust: .pinMismatch, from: service, &step)
        guard world.passwordsChecked == before else { throw Failure("A password was sent all the same.") }
        step.say("neither the client's certificate nor a password was sent")
    }

    /// Calls a server that shows `identity` and admits every client.
    private func expect(_ code: TrustError.Code, of identity: Identity, _ step: inout StepReport) async throws {
        let called = Counter()
        let server = try await listener(identity, clients: .noCertificateRequested, called)
        var service = try world.configuration(identity: World.deviceLabel)
        service.endpoint = try Endpoint("https://localhost:\(server.port)/soap")
        service.trust = .anchors(world.serverAuthority.bundle)
        do { try await expect(trust: code, from: service, &step) } catch {
            await server.server.shutdown()
            throw error
        }
        await server.server.shutdown()
        guard called.value == 0 else { throw Failure("The message was sent all the same.") }
    }

    private func listener(
        _ identity: Identity, clients: ClientAdmission, _ called: Counter
    ) async throws -> (server: SOAPServer, port: Int) {
        var settings = SOAPServer.Settings()
        settings.port = 0
        var tls = ServerTLSConfiguration(identity: .fixed(identity), clients: clients)
        // This plays a server that has not noticed the expiry.
        tls.toleratedIdentityProblems = [.expired]
        let server = try SOAPServer(
            WebEase.dispatcher(Elsewhere(called: called)), path: "/soap", tls: tls, settings: settings)
        return (server, try await server.start())
    }

    private func otherName(_ step: inout StepReport) async throws {
        try await expect(.hostNameMismatch, of: world.serverAuthority.issueServer(dnsNames: ["webease.example"]), &step)
    }

    private func addressOnly(_ step: inout StepReport) async throws {
        try await expect(
            .hostNameMismatch, of: world.serverAuthority.issueServer(ipAddresses: ["127.0.0.1", "::1"]), &step)
    }

    private func commonNameOnly(_ step: inout StepReport) async throws {
        try await expect(.hostNameMismatch, of: world.serverAuthority.issueServer(commonName: "localhost"), &step)
    }

    private func expired(_ step: inout StepReport) async throws {
        try await expect(
            .expired, of: world.serverAuthority.issueServer(dnsNames: ["localhost"], CertificateProfile.server.expired),
            &step)
    }

    // MARK: Servers that refuse the app, and a host that must not learn its identity

    private func noCertificate(_ step: inout StepReport) async throws {
        try await expect(transport: .clientCertificateRequired, from: try world.configuration(identity: nil), &step)
    }

    private func otherHost(_ step: inout StepReport) async throws {
        let called = Counter()
        let other = try await listener(
            world.serverIdentity, clients: .certificateRequired(.anchors(world.deviceAuthority.bundle)), called)
        let device = try world.device()
        // The connections and the configuration are the same; only the address differs.
        let elsewhere = try Endpoint("https://localhost:\(other.port)/soap")
        let misled = device.with { $0.endpoint = elsewhere }
        var refusal: TransportError?
        do { _ = try await misled.logEntryQuery(.init(patientId: Self.patient)) } catch let error as TransportError {
            refusal = error
        }
        _ = try await device.logEntryQuery(.init(patientId: Self.patient))
        try await device.shutdown()
        await other.server.shutdown()
        guard let refusal, refusal.code == .clientCertificateRequired, called.value == 0 else {
            throw Failure("The other host received the client's identity (\(refusal.map { "\($0)" } ?? "no error")).")
        }
        step.say("\(refusal.code): \(refusal)")
        step.say(
            "the service itself still gets it: the client proved \(world.report?.connection.tls?.clientCertificate ?? "nothing")"
        )
    }

    private func wrongPassword(_ step: inout StepReport) async throws {
        let asked = Counter()
        let before = world.passwordsChecked
        var service = try world.configuration(identity: World.deviceLabel)
        service.authentication.credentials = .asking { question in
            asked.increment()
            return .account(user: World.serviceUser, password: question.reason == .rejected ? "wrong again" : "wrong")
        }
        do {
            try await ask(service)
            throw Failure("A wrong password was accepted.")
        } catch let error as AuthenticationError where error.code == .credentialsRefused {
            step.say("\(error.code): \(error.message)")
        }
        let sent = world.passwordsChecked - before
        guard asked.value == 2, sent == 2 else { throw Failure("Asked \(asked.value) times, sent \(sent) times.") }
        step.say(
            "asked for credentials, asked once more when they were refused, then gave up: the service saw 2 attempts")
    }

    private func struckDevice(_ step: inout StepReport) async throws {
        try await world.database.strike(serialNumber: Self.serialNumber)
        do {
            try await ask(try world.configuration(identity: World.deviceLabel))
        } catch let fault as SOAPFault {
            step.say("\(fault)")
            step.say(world.report)
            try await refuseRenewal(&step)
            return
        }
        throw Failure("The struck device was let in.")
    }

    private func refuseRenewal(_ step: inout StepReport) async throws {
        let app = try world.device()
        do {
            _ = try await enrollment(app).run()
        } catch let error as EnrollmentError where error.code == .refused {
            step.say("nor does its certificate get renewed: \(error.message)")
            try await app.shutdown()
            return
        }
        throw Failure("The certificate of the struck device was renewed.")
    }

    // MARK: No answer

    private func refusedPort(_ step: inout StepReport) async throws {
        let listener = try SilentListener()
        let port = listener.port
        listener.close()
        var service = try world.configuration(identity: World.deviceLabel)
        service.endpoint = try Endpoint("https://localhost:\(port)/soap")
        try await expect(transport: .connectionRefused, from: service, &step)
    }

    private func silentHost(_ step: inout StepReport) async throws {
        let listener = try SilentListener()
        defer { listener.close() }
        var service = try world.configuration(identity: World.deviceLabel)
        service.endpoint = try Endpoint("https://localhost:\(listener.port)/soap")
        service.deadlines.connect = .milliseconds(500)
        try await expect(transport: .connectTimeout, from: service, &step)
    }

    private func unknownName(_ step: inout StepReport) async throws {
        var service = try world.configuration(identity: World.deviceLabel)
        service.endpoint = try Endpoint("https://webease.invalid/soap")
        try await expect(transport: .unknownHost, from: service, &step)
    }

    private func noNetwork(_ step: inout StepReport) async throws {
        guard let answer = try EmptyNetwork.run(port: world.port) else {
            step.outcome = .notRun
            step.say("NOT RUN: this machine does not allow an empty network namespace (unshare -rn)")
            return
        }
        guard answer.hasPrefix("\(TransportError.Code.networkUnreachable): ") else {
            throw Failure("Instead: \(answer)")
        }
        step.say(answer)
    }
}

/// A service that must never be reached.
private struct Elsewhere: WebEase.Service {
    let called: Counter

    private func refuse() -> SOAPFault {
        called.increment()
        return .server("This service must never be reached.")
    }

    func logEntryQuery(
        _ input: WebEase.LogEntryQuery, _ context: OperationContext
    ) async throws -> WebEase.LogEntryQueryResponse { throw refuse() }

    func logEntryCreate(
        _ input: WebEase.LogEntryCreate, _ context: OperationContext
    ) async throws -> WebEase.LogEntryCreateResponse { throw refuse() }

    func logEntryUpdate(
        _ input: WebEase.LogEntryUpdate, _ context: OperationContext
    ) async throws -> WebEase.LogEntryUpdateResponse { throw refuse() }

    func logEntryDelete(
        _ input: WebEase.LogEntryDelete, _ context: OperationContext
    ) async throws -> WebEase.LogEntryDeleteResponse { throw refuse() }

    func register(_ input: WebEase.Register, _ context: OperationContext) async throws -> WebEase.RegisterResponse {
        throw refuse()
    }
}
#endif

#if CORPUS
import CorpusServices
import Foundation
import Signet
import SignetONVIF
import SignetServer
import Synchronization
import Testing

@testable import SignetWSSecurity

/// A device hosted by `SOAPServer`, made from ONVIF's WSDLs, whose clock is an hour behind.
@Suite(.serialized) struct ONVIFDeviceTests {
    private static let ptz = "http://www.onvif.org/ver20/ptz/wsdl"

    /// What the device was asked, with which token.
    private final class Log: Sendable {
        private let calls = Mutex<[String]>([])
        var all: [String] { calls.withLock { $0 } }
        func note(_ operation: String, _ what: String) { calls.withLock { $0.append("\(operation) \(what)") } }
    }

    /// The device management service.
    private struct Management: Device.Service {
        let ahead: Duration
        /// Nil for devices before ONVIF 2.0.
        let services: [(namespace: String, address: String)]?

        func getSystemDateAndTime(
            _ input: Device.GetSystemDateAndTime, _ context: OperationContext
        ) async throws -> Device.GetSystemDateAndTimeResponse {
            let now = try #require(
                XSDDateTime(secondsSinceEpoch: (Duration.systemTime + ahead).wholeSeconds))
            return .init(
                systemDateAndTime: .init(
                    dateTimeType: .manual, daylightSavings: false,
                    utcDateTime: .init(
                        time: .init(hour: Int32(now.hour), minute: Int32(now.minute), second: Int32(now.second)),
                        date: .init(
                            year: Int32(now.date.year), month: Int32(now.date.month), day: Int32(now.date.day)))))
        }

        func getServices(
            _ input: Device.GetServices, _ context: OperationContext
        ) async throws -> Device.GetServicesResponse {
            guard let services else {
                throw SOAPFault(
                    .receiver, "Optional Action Not Implemented",
                    subcodes: [
                        .init(namespaceURI: "http://www.onvif.org/ver10/error", localName: "ActionNotSupported")
                    ])
            }
            return .init(
                service: services.map {
                    .init(namespace: $0.namespace, xAddr: $0.address, version: .init(major: 2, minor: 60))
                })
        }

        func getCapabilities(
            _ input: Device.GetCapabilities, _ context: OperationContext
        ) async throws -> Device.GetCapabilitiesResponse {
            .init(
                capabilities: .init(
                    media: .init(xAddr: "http://0.0.0.0/onvif/media", streamingCapabilities: .init()),
                    ptz: .init(xAddr: "http://0.0.0.0/onvif/ptz")))
        }

        func getDeviceInformation(
            _ input: Device.GetDeviceInformation, _ context: OperationContext
        ) async throws -> Device.GetDeviceInformationResponse {
            .init(
                manufacturer: "Signet", model: context.peer.user ?? "", firmwareVersion: "1", serialNumber: "7",
                hardwareId: "1")
        }
    }

    /// Wants a token for all but the time, as devices do, and answers in their words.
    private struct Guard: RequestVerifier {
        var tokens: UsernameTokenVerifier
        let log: Log
        var understoodHeaderBlocks: Set<XMLName> { tokens.understoodHeaderBlocks }

        init(ahead: Duration, log: Log) {
            tokens = UsernameTokenVerifier(replayCache: MemoryReplayCache()) { $0 == "admin" ? "secret" : nil }
            tokens.now = { .systemTime + ahead }
            tokens.forms = [.digest]
            self.log = log
        }

        func verify(_ context: inout OperationContext) async throws {
            guard context.operation != "GetSystemDateAndTime" else {
                return log.note(context.operation, context.headerBlocks.isEmpty ? "without" : "with a header")
            }
            do { try await tokens.verify(&context) } catch let refusal as RequestRefusal {
                log.note(context.operation, "refused")
                throw RequestRefusal(
                    SOAPFault(
                        .sender, "Sender not Authorized",
                        subcodes: [
                            .init(namespaceURI: "http://www.onvif.org/ver10/error", localName: "NotAuthorized")
                        ]),
                    reason: refusal.reason)
            }
            log.note(context.operation, "right")
        }
    }

    /// Starts the device management service, and a PTZ service at a port of its own.
    private func with(
        isOld: Bool = false, _ body: (_ service: ServiceCaller, _ log: Log) async throws -> Void
    ) async throws {
        let (ahead, log) = (Duration.seconds(-3_600), Log())
        var settings = SOAPServer.Settings()
        settings.port = 0
        let presets = ServiceDispatcher(
            name: "PTZ", versions: [.soap12],
            routes: [
                PTZ.Operations.getPresets.route { _, _ in .init(preset: [.init(name: "Tür", token: "1")]) }
            ])
        let head = try SOAPServer.withoutTLS(
            presets.verified(by: Guard(ahead: ahead, log: log)), path: "/onvif/ptz", settings: settings)
        let port = try await head.start()
        let management = Management(
            ahead: ahead,
            services: isOld
                ? nil
                : [
                    (ONVIFDevice.namespace, "http://10.255.255.1\(ONVIFDevice.servicePath)"),
                    (Self.ptz, "http://10.255.255.1:\(port)/onvif/ptz"),
                ])
        let server = try SOAPServer.withoutTLS(
            Device.dispatcher(management).verified(by: Guard(ahead: ahead, log: log)),
            path: ONVIFDevice.servicePath, settings: settings)
        let service = ServiceCaller(
            try ServiceConfiguration("http://127.0.0.1:\(try await server.start())\(ONVIFDevice.servicePath)"))
        let result: Result<Void, any Error>
        do { result = .success(try await body(service, log)) } catch { result = .failure(error) }
        try? await service.transport.shutdown()
        await server.shutdown()
        await head.shutdown()
        try result.get()
    }

    private func security(_ password: String = "secret") -> SecurityHeader {
        SecurityHeader(.init(.digest, user: "admin", password: password))
    }

    @Test func firstCallLearnsAndSecondSucceeds() async throws {
        try await with { service, log in
            let device = try await ONVIFDevice.connect(service, security(), addressing: .reportedPort)
            #expect(log.all == ["GetSystemDateAndTime without", "GetServices right"])
            let offset = try #require(device.clock?.offset)
            #expect(offset < .seconds(-3_599) && offset > .seconds(-3_610))
            let management = Device.Client(device.caller)
            #expect(try await management.getDeviceInformation(.init()).model == "admin")
            // The reported host is wrong, the port is right.
            let ptz = PTZ.Client(try device.caller(for: Self.ptz))
            #expect(try await ptz.getPresets(.init(profileToken: "1")).preset.map(\.name) == ["Tür"])
            #expect(log.all.dropFirst(2) == ["GetDeviceInformation right", "GetPresets right"])
        }
    }

    @Test func aWrongReportedHostAndPortAreReplaced() async throws {
        try await with { service, _ in
            let device = try await ONVIFDevice.connect(service, security())
            #expect(device.services.first?.address == "http://10.255.255.1/onvif/device_service")
            let management = Device.Client(try device.caller(for: ONVIFDevice.namespace))
            #expect(try await management.getDeviceInformation(.init()).model == "admin")
        }
    }

    @Test func deviceRefusesAClientThatHasNotLearnedItsTime() async throws {
        try await with { service, log in
            let client = Device.Client(service).with { $0.headerProviders = [security()] }
            let fault = await #expect(throws: SOAPFault.self) { try await client.getDeviceInformation(.init()) }
            #expect(fault?.subcodes.first?.localName == "NotAuthorized")
            #expect(log.all == ["GetDeviceInformation refused"])
        }
    }

    @Test func aWrongPasswordIsSentOnce() async throws {
        try await with { service, log in
            await #expect(throws: SOAPFault.self) { try await ONVIFDevice.connect(service, security("password")) }
            #expect(
                log.all == ["GetSystemDateAndTime without", "GetServices refused", "GetSystemDateAndTime without"])
        }
    }

    @Test func anotherClockIsLearnedAgainOnce() async throws {
        try await with { service, log in
            let device = try await ONVIFDevice.connect(service, security())
            device.clock?.learn(try #require(XSDDateTime.init("2001-01-01T00:00:00Z")))
            #expect(try await Device.Client(device.caller).getDeviceInformation(.init()).model == "admin")
            #expect(
                log.all.dropFirst(2) == [
                    "GetDeviceInformation refused", "GetSystemDateAndTime without", "GetDeviceInformation right",
                ])
        }
    }

    @Test func anOldDeviceIsAskedForItsCapabilities() async throws {
        try await with(isOld: true) { service, log in
            let device = try await ONVIFDevice.connect(service, security())
            #expect(device.services.map(\.namespace) == ["http://www.onvif.org/ver10/media/wsdl", Self.ptz])
            #expect(
                try device.caller(for: Self.ptz).endpoint.description == "\(service.endpoint.origin)/onvif/ptz")
            #expect(log.all == ["GetSystemDateAndTime without", "GetServices right", "GetCapabilities right"])
        }
    }
}
#endif

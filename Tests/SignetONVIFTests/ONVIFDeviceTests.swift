import HTTPTypes
import SignetONVIF
import SignetSOAP
import SignetWSSecurity
import Synchronization
import Testing

@Suite struct ONVIFDeviceTests {
    /// Answers by the operation that a message names, and remembers what was asked.
    private final class Device: ClientTransport {
        struct Call: Hashable {
            var path: String
            var operation: String
            var hasToken: Bool
        }

        private let answer: @Sendable (Call, Int) -> (status: Int, body: String)
        private let seen = Mutex<[Call]>([])
        var calls: [Call] { seen.withLock { $0 } }
        var operations: [String] { calls.map { $0.hasToken ? $0.operation : "\($0.operation) without" } }

        /// - Parameter answer: its argument is how often the operation was called before.
        init(_ answer: @escaping @Sendable (Call, Int) -> (status: Int, body: String)) { self.answer = answer }

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            let text = String(decoding: try await request.body.collected(limit: 1 << 20), as: UTF8.self)
            let names = ["GetSystemDateAndTime", "GetServices", "GetCapabilities", "GetProfiles"]
            let call = Call(
                path: request.path, operation: names.first { text.contains(":\($0)") } ?? "?",
                hasToken: text.contains("UsernameToken"))
            let before = seen.withLock { calls in
                defer { calls.append(call) }
                return calls.count { $0.operation == call.operation }
            }
            let (status, body) = answer(call, before)
            var response = ClientResponse(
                status: .init(code: status),
                body: Array(
                    """
                    <s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:ter="http://www.onvif.org/ver10/error" \
                    xmlns:tds="http://www.onvif.org/ver10/device/wsdl" xmlns:tt="http://www.onvif.org/ver10/schema">\
                    <s:Body>\(body)</s:Body></s:Envelope>
                    """.utf8))
            response.fields[.contentType] = "application/soap+xml; charset=utf-8"
            return response
        }

        func shutdown() async throws {}

        var caller: ServiceCaller {
            get throws {
                ServiceCaller(endpoint: try Endpoint("http://192.168.0.10" + ONVIFDevice.servicePath), transport: self)
            }
        }
    }

    private static func time(_ year: Int, second: Int = 56) -> (Int, String) {
        (
            200,
            """
            <tds:GetSystemDateAndTimeResponse><tds:SystemDateAndTime><tt:DateTimeType>Manual</tt:DateTimeType>\
            <tt:DaylightSavings>false</tt:DaylightSavings><tt:TimeZone><tt:TZ>UTC</tt:TZ></tt:TimeZone><tt:UTCDateTime><tt:Time><tt:Hour>12</tt:Hour>\
            <tt:Minute>34</tt:Minute><tt:Second>\(second)</tt:Second></tt:Time><tt:Date><tt:Year>\(year)</tt:Year>\
            <tt:Month>3</tt:Month><tt:Day>29</tt:Day></tt:Date></tt:UTCDateTime></tds:SystemDateAndTime></tds:GetSystemDateAndTimeResponse>
            """
        )
    }

    private static let timeless = (
        200,
        """
        <tds:GetSystemDateAndTimeResponse><tds:SystemDateAndTime><tt:DateTimeType>NTP</tt:DateTimeType>\
        <tt:DaylightSavings>false</tt:DaylightSavings></tds:SystemDateAndTime></tds:GetSystemDateAndTimeResponse>
        """
    )

    private static let media = "http://www.onvif.org/ver10/media/wsdl"

    private static let services = (
        200,
        """
        <tds:GetServicesResponse><tds:Service><tds:Namespace>\(media)</tds:Namespace><tds:XAddr>http://10.0.0.7/onvif/media?a=1</tds:XAddr>\
        <tds:Version><tt:Major>2</tt:Major><tt:Minor>42</tt:Minor></tds:Version></tds:Service></tds:GetServicesResponse>
        """
    )

    private static let capabilities = (
        200,
        """
        <tds:GetCapabilitiesResponse><tds:Capabilities><tt:Analytics><tt:XAddr/><tt:RuleSupport>false</tt:RuleSupport></tt:Analytics>\
        <tt:Media><tt:XAddr>http://0.0.0.0/onvif/media</tt:XAddr><tt:StreamingCapabilities/></tt:Media><tt:Extension>\
        <tt:DeviceIO><tt:XAddr>http://0.0.0.0/onvif/io</tt:XAddr></tt:DeviceIO></tt:Extension></tds:Capabilities></tds:GetCapabilitiesResponse>
        """
    )

    private static func fault(_ code: String, _ subcode: String) -> (Int, String) {
        (
            400,
            """
            <s:Fault><s:Code><s:Value>s:\(code)</s:Value><s:Subcode><s:Value>ter:\(subcode)</s:Value></s:Subcode></s:Code>\
            <s:Reason><s:Text xml:lang="en">No.</s:Text></s:Reason></s:Fault>
            """
        )
    }

    private static let refusal = fault("Sender", "NotAuthorized")

    private static var security: SecurityHeader { SecurityHeader(.init(.digest, user: "admin", password: "secret")) }

    private static let profiles = ServiceOperation<XMLAny, XMLAny>(
        name: "GetProfiles", soapAction: "\(media)/GetProfiles", version: .soap12,
        input: XMLName(XMLNamespace(media), "GetProfiles"), output: XMLName(XMLNamespace(media), "GetProfilesResponse"),
        namespaces: [media])
    private static let noProfiles = (200, "<m:GetProfilesResponse xmlns:m=\"\(media)\"/>")

    @Test func timeIsAskedForWithoutATokenAndServicesWithOne() async throws {
        let transport = Device { call, _ in
            switch call.operation {
            case "GetSystemDateAndTime": Self.time(2001)
            case "GetServices": Self.services
            default: Self.noProfiles
            }
        }
        let device = try await ONVIFDevice.connect(try transport.caller, Self.security, allowsPlaintext: true)
        #expect(transport.operations == ["GetSystemDateAndTime without", "GetServices"])
        let offset = try #require(device.clock?.offset)
        #expect(offset < .seconds(-86_400 * 365 * 20))
        #expect(device.services == device.services.filter { $0.namespace == Self.media })
        _ = try await device.caller(for: Self.media).call(Self.profiles, XMLAny())
        #expect(transport.calls.last == .init(path: "/onvif/media?a=1", operation: "GetProfiles", hasToken: true))
        #expect(try device.caller(for: Self.media).endpoint.origin == Endpoint("http://192.168.0.10").origin)
        #expect(throws: ONVIFError(.noSuchService, "")) { try device.caller(for: "urn:other") }
        #expect(!String(reflecting: device).contains("secret"))
    }

    @Test(arguments: ["ActionNotSupported", "Action"]) func oldDevicesAreAskedForCapabilities(subcode: String)
        async throws
    {
        let transport = Device { call, _ in
            switch call.operation {
            case "GetSystemDateAndTime": Self.timeless
            case "GetServices": Self.fault("Receiver", subcode)
            default: Self.capabilities
            }
        }
        let device = try await ONVIFDevice.connect(try transport.caller, Self.security, allowsPlaintext: true)
        #expect(device.clock?.offset == .zero)
        #expect(device.services.map(\.namespace) == [Self.media, "http://www.onvif.org/ver10/deviceIO/wsdl"])
        #expect(try device.caller(for: Self.media).endpoint.description == "http://192.168.0.10/onvif/media")
    }

    @Test func aTokenIsSentOnceUnlessTheClockMoved() async throws {
        let transport = Device { call, _ in
            call.operation == "GetSystemDateAndTime" ? Self.time(2001) : Self.refusal
        }
        let fault = await #expect(throws: SOAPFault.self) {
            try await ONVIFDevice.connect(try transport.caller, Self.security, allowsPlaintext: true)
        }
        #expect(fault?.subcodes.first?.localName == "NotAuthorized")
        #expect(
            transport.operations == ["GetSystemDateAndTime without", "GetServices", "GetSystemDateAndTime without"])
    }

    @Test func aClockThatAlwaysMovesIsFollowedOnce() async throws {
        let transport = Device { call, before in
            call.operation == "GetSystemDateAndTime" ? Self.time(2001 + before) : Self.refusal
        }
        await #expect(throws: SOAPFault.self) {
            try await ONVIFDevice.connect(try transport.caller, Self.security, allowsPlaintext: true)
        }
        #expect(
            transport.operations == [
                "GetSystemDateAndTime without", "GetServices", "GetSystemDateAndTime without", "GetServices",
            ])
    }

    @Test func aCallIsRepeatedWhenTheClockMoved() async throws {
        let transport = Device { call, before in
            switch (call.operation, before) {
            case ("GetSystemDateAndTime", _): Self.time(2001 + before)
            case ("GetServices", _): Self.services
            case (_, 0): Self.refusal
            default: Self.noProfiles
            }
        }
        let device = try await ONVIFDevice.connect(try transport.caller, Self.security, allowsPlaintext: true)
        _ = try await device.caller(for: Self.media).call(Self.profiles, XMLAny())
        // The time is asked for at the device service.
        #expect(
            transport.calls.dropFirst(2).map(\.path) == [
                "/onvif/media?a=1", ONVIFDevice.servicePath, "/onvif/media?a=1",
            ])
        #expect(transport.operations.dropFirst(2) == ["GetProfiles", "GetSystemDateAndTime without", "GetProfiles"])
    }

    @Test func anotherFaultIsNotRepeated() async throws {
        let transport = Device { call, _ in
            switch call.operation {
            case "GetSystemDateAndTime": Self.time(2001)
            case "GetServices": Self.services
            default: Self.fault("Sender", "InvalidArgVal")
            }
        }
        let device = try await ONVIFDevice.connect(try transport.caller, Self.security, allowsPlaintext: true)
        await #expect(throws: SOAPFault.self) {
            try await device.caller(for: Self.media).call(Self.profiles, XMLAny())
        }
        #expect(transport.calls.count == 3)
    }

    @Test func aDeviceThatHidesItsTimeIsAskedAllTheSame() async throws {
        let transport = Device { call, _ in
            call.operation == "GetSystemDateAndTime" ? Self.refusal : Self.services
        }
        let device = try await ONVIFDevice.connect(try transport.caller, Self.security, allowsPlaintext: true)
        #expect(device.clock?.offset == .zero)
        #expect(device.services.count == 1)
    }

    /// A reader of a digest can guess the password.
    @Test func plainHTTPMustBeAllowed() async throws {
        let transport = Device { call, _ in
            call.operation == "GetSystemDateAndTime" ? Self.time(2001) : Self.services
        }
        let error = await #expect(throws: WSSecurityError.self) {
            try await ONVIFDevice.connect(try transport.caller, Self.security)
        }
        #expect(error?.code == .plaintextRefused)
        #expect(!transport.calls.contains { $0.hasToken })
        // Leave that has nothing to act on.
        await #expect(throws: ONVIFError(.unusableOption, "")) {
            try await ONVIFDevice.connect(try transport.caller, nil, allowsPlaintext: true)
        }
        var security = Self.security
        security.allowsPlaintext = true
        _ = try await ONVIFDevice.connect(try transport.caller, security)
        #expect(transport.calls.last?.hasToken == true)
    }

    @Test func withoutATokenTheClientDoesNotAskForTheTime() async throws {
        let transport = Device { _, _ in Self.services }
        let device = try await ONVIFDevice.connect(try transport.caller, nil)
        #expect(transport.operations == ["GetServices without"])
        #expect(device.clock == nil)
    }

    @Test(arguments: [(0, 56), (1969, 56), (10_000, 56), (2001, 62), (2001, -1)])
    func anInvalidTimeIsAnError(year: Int, second: Int) async throws {
        let transport = Device { _, _ in Self.time(year, second: second) }
        await #expect(throws: ONVIFError(.unusableTime, "")) {
            try await ONVIFDevice.connect(try transport.caller, Self.security, allowsPlaintext: true)
        }
        #expect(transport.calls.count == 1)
    }

    @Test func leapSecondsAreTaken() async throws {
        let transport = Device { call, _ in
            call.operation == "GetServices" ? Self.services : Self.time(2016, second: 60)
        }
        _ = try await ONVIFDevice.connect(try transport.caller, Self.security, allowsPlaintext: true)
    }

    @Test func anUnusableAddressIsAnError() async throws {
        let transport = Device { call, _ in
            call.operation == "GetServices"
                ? (200, Self.services.1.replacing("http://10.0.0.7", with: "rtsp://user:secret@h")) : Self.time(2001)
        }
        let device = try await ONVIFDevice.connect(try transport.caller, Self.security, allowsPlaintext: true)
        let error = #expect(throws: ONVIFError.self) { try device.caller(for: Self.media) }
        #expect(error?.code == .unusableAddress)
        #expect(error?.description.contains("secret") == false)
    }
}

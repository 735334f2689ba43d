public import SignetSOAP
public import SignetWSSecurity

/// An ONVIF device, such as a camera: its time, the addresses of its services, and how to call them.
///
/// ```swift
/// let service = try ServiceConfiguration("http://192.168.0.10" + ONVIFDevice.servicePath)
/// let device = try await ONVIFDevice.connect(
///     ServiceCaller(service), SecurityHeader(.init(.digest, user: "admin", password: password)),
///     allowsPlaintext: true)                     // a camera without TLS, in a network of its own
/// let ptz = PTZ.Client(try device.caller(for: "http://www.onvif.org/ver20/ptz/wsdl"))
/// ```
///
/// Made from the ONVIF Core Specification 26.06; **not run against a real device**. The program must know the
/// device's address; `SignetDiscovery` finds devices in a network.
public struct ONVIFDevice: Sendable {
    /// “The entry point for the device management service is fixed to: `/onvif/device_service`” (§5.1.1).
    public static let servicePath = "/onvif/device_service"
    /// The namespace of the device management service.
    public static let namespace = "http://www.onvif.org/ver10/device/wsdl"

    /// A service as the device reports it.
    public struct Service: Sendable, Hashable {
        /// The namespace of its WSDL.
        public let namespace: String
        /// The address as the device reports it. It need not lead to the service: see ``ONVIFAddressing``.
        public let address: String
    }

    /// The services that the device reported when the program connected to it.
    public let services: [Service]
    /// How the addresses of the services are derived from those that the device reports.
    public let addressing: ONVIFAddressing
    /// The offset of the device's clock; nil when calls send no `Security` header block.
    public var clock: ServerClock? { security?.clock }
    private let security: SecurityHeader?
    /// Calls the device service without a token.
    private let anonymous: ServiceCaller

    /// Learns the device's time and the addresses of its services.
    ///
    /// `GetSystemDateAndTime` is called without a token: it has the access class `PRE_AUTH`, “The service shall not
    /// require user authentication” (§5.9.4.3), and the client cannot make a valid token before it knows the time.
    /// `GetServices` (§8.1.2.2) follows with a token, because some devices require one for it nevertheless. Devices
    /// before ONVIF 2.0 may not know `GetServices`; `GetCapabilities` (§8.1.2.4) is then called instead.
    ///
    /// - Parameters:
    ///   - caller: calls of the device service, without `security` among its header providers.
    ///   - security: the token to send with each call. Its time comes from a clock of this device alone, which follows
    ///     the time that the device reports. Nil for devices that ask for HTTP Digest; give those credentials to the
    ///     caller's transport. “A client should not simultaneously supply authentication credentials on both the HTTP
    ///     level and the WS level” (§5.9.1).
    ///   - addressing: how the addresses of services that the device reports become those that are called.
    ///   - allowsPlaintext: allows the token to be sent over plain HTTP, where an attacker on the network path can
    ///     guess the password from its digest. It has the same effect as
    ///     ``/SignetWSSecurity/SecurityHeader/allowsPlaintext``; setting one of them is enough.
    /// - Throws: what a call throws, and ``ONVIFError``: `unusableOption` when plain HTTP is allowed and `security` is
    ///   nil.
    public static func connect(
        _ caller: ServiceCaller, _ security: SecurityHeader?, addressing: ONVIFAddressing = .reached,
        allowsPlaintext: Bool = false
    ) async throws -> ONVIFDevice {
        if security == nil, allowsPlaintext {
            throw ONVIFError(
                .unusableOption,
                "allowsPlaintext has no effect for \(caller.endpoint), because no token is given: pass a SecurityHeader, or for credentials of HTTP set authentication.allowsPlaintext of the configuration."
            )
        }
        // Clocks differ from device to device: the time of one device must not be used for another.
        let security = security.map { shared in
            var own = shared
            own.allowsPlaintext = shared.allowsPlaintext || allowsPlaintext
            own.clock = ServerClock(learningFrom: shared.clock.sources, maximumOffset: shared.clock.maximumOffset)
            return own
        }
        if let security {
            // A device that requires a token even here will refuse the next call too, unless the clocks agree.
            do { try await security.clock.learn(from: caller) } catch let error where ONVIFRefusal.isOne(error) {}
        }
        let device = ONVIFDevice(services: [], addressing: addressing, security: security, anonymous: caller)
        return ONVIFDevice(
            services: try await device.caller.services(), addressing: addressing, security: security,
            anonymous: caller)
    }

    private init(
        services: [Service], addressing: ONVIFAddressing, security: SecurityHeader?, anonymous: ServiceCaller
    ) {
        self.services = services
        self.addressing = addressing
        self.security = security
        self.anonymous = anonymous
    }

    /// Calls the device service, at the address by which the client reached the device.
    ///
    /// Each call carries a token made by the device's clock. When the device refuses a call, the client asks it for its
    /// time; if the clock has moved by more than 5 seconds, the client sends the call once more. A wrong password is
    /// therefore sent once.
    public var caller: ServiceCaller {
        guard let security else { return anonymous }
        var caller = anonymous
        caller.headerProviders.append(security)
        caller.middlewares.append(ONVIFClockRepair(device: anonymous, clock: security.clock))
        return caller
    }

    /// Makes a caller for another service of the device, from which a generated client can be made. It shares the
    /// connections of the device service.
    ///
    /// - Parameter namespace: the namespace of the service's WSDL, for example `http://www.onvif.org/ver10/media/wsdl`.
    /// - Throws: ``ONVIFError`` with `noSuchService`, or with `unusableAddress`.
    public func caller(for namespace: String) throws -> ServiceCaller {
        guard let service = services.first(where: { $0.namespace == namespace }) else {
            throw ONVIFError(
                .noSuchService,
                "The device at \(anonymous.endpoint) reports no service “\(namespace)”: choose one of its \(services.count) services."
            )
        }
        var caller = caller
        do { caller.endpoint = try addressing.endpoint(of: service.address, reachedAt: anonymous.endpoint) } catch {
            throw ONVIFError(
                .unusableAddress,
                "The address that the device at \(anonymous.endpoint) reports for “\(namespace)” cannot be used: \(error.description)",
                cause: error)
        }
        return caller
    }
}

extension ONVIFDevice: CustomStringConvertible, CustomReflectable {
    public var description: String { "the device at \(anonymous.endpoint)" }
    public var customMirror: Mirror { Mirror(self, children: ["services": services, "clock": clock as Any]) }
}

extension ServiceCaller {
    fileprivate func services() async throws -> [ONVIFDevice.Service] {
        do {
            return try await call(ONVIFOperation.getServices, ONVIFServicesQuery()).services.map {
                .init(namespace: $0.namespace, address: $0.address)
            }
        } catch let error where ONVIFRefusal.isUnknownOperation(error) {
            return try await call(ONVIFOperation.getCapabilities, ONVIFCapabilitiesQuery()).capabilities.services.map {
                .init(namespace: $0.namespace, address: $0.address)
            }
        }
    }
}

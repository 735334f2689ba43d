public import SignetSOAP
public import SignetWSSecurity

/// An ONVIF device, as a camera is: what time it has, where its services are, and how to call them.
///
/// ```swift
/// let service = try ServiceConfiguration("http://192.168.0.10" + ONVIFDevice.servicePath)
/// let device = try await ONVIFDevice.connect(
///     ServiceCaller(service), SecurityHeader(.init(.digest, user: "admin", password: password)),
///     allowsPlaintext: true)                     // a camera without TLS, in a network of its own
/// let ptz = PTZ.Client(try device.caller(for: "http://www.onvif.org/ver20/ptz/wsdl"))
/// ```
///
/// Made from the ONVIF Core Specification 26.06; **not run against a real device**. Finding devices in a network (WS-Discovery over
/// UDP) is not part of it: it begins at an address that is known.
public struct ONVIFDevice: Sendable {
    /// “The entry point for the device management service is fixed to: `/onvif/device_service`” (§5.1.1).
    public static let servicePath = "/onvif/device_service"
    /// The namespace of the device management service.
    public static let namespace = "http://www.onvif.org/ver10/device/wsdl"

    /// A service as the device reports it.
    public struct Service: Sendable, Hashable {
        /// The namespace of its WSDL.
        public let namespace: String
        /// Its address as reported, which need not be one that leads there: see ``ONVIFAddressing``.
        public let address: String
    }

    /// What the device reported when it was connected.
    public let services: [Service]
    /// Where the services are taken to be.
    public let addressing: ONVIFAddressing
    /// How far the device's clock is away; nil where no `Security` header block is sent.
    public var clock: ServerClock? { security?.clock }
    private let security: SecurityHeader?
    /// Calls of the device service without a token.
    private let anonymous: ServiceCaller

    /// Learns the device's time, and where its services are.
    ///
    /// `GetSystemDateAndTime` goes without a token: it has the access class `PRE_AUTH`, “The service shall not require user
    /// authentication” (§5.9.4.3), and a token could not be right yet. `GetServices` (§8.1.2.2) follows with one, because there are devices that
    /// want it nevertheless; where it is not known, as in devices before ONVIF 2.0, `GetCapabilities` (§8.1.2.4) does.
    ///
    /// - Parameters:
    ///   - caller: calls of the device service, without `security` among its header providers.
    ///   - security: the token that goes with each call, by a clock of the device's own, which is set by what the device says. Nil for devices that ask for HTTP
    ///     Digest, whose credentials belong to the caller's transport. “A client should not simultaneously supply authentication credentials on
    ///     both the HTTP level and the WS level” (§5.9.1).
    ///   - allowsPlaintext: lets the token travel over plain HTTP, where everybody on the way can guess the password from its digest: as
    ///     ``SecurityHeader/allowsPlaintext``, which may be set in its place.
    /// - Throws: what a call throws, and ``ONVIFError``: `unusableOption` when plain HTTP is allowed for a token that is not there.
    public static func connect(
        _ caller: ServiceCaller, _ security: SecurityHeader?, addressing: ONVIFAddressing = .reached,
        allowsPlaintext: Bool = false
    ) async throws -> ONVIFDevice {
        if security == nil, allowsPlaintext {
            throw ONVIFError(
                .unusableOption,
                "allowsPlaintext is about the token of \(caller.endpoint), and there is none. For credentials of HTTP set authentication.allowsPlaintext of the configuration."
            )
        }
        // Clocks differ from device to device: what one says is nobody else's time.
        let security = security.map { shared in
            var own = shared
            own.allowsPlaintext = shared.allowsPlaintext || allowsPlaintext
            own.clock = ServerClock(learningFrom: shared.clock.sources, maximumOffset: shared.clock.maximumOffset)
            return own
        }
        if let security {
            // A device that wants a token even here will say so again, unless the clocks agree.
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

    /// Calls of the device service, where the device was reached.
    ///
    /// Each call has a token by the device's clock. When one is refused, the device is asked for its time; when that has moved by more
    /// than 5 seconds, the call is sent once more, so that a wrong password is sent once.
    public var caller: ServiceCaller {
        guard let security else { return anonymous }
        var caller = anonymous
        caller.headerProviders.append(security)
        caller.middlewares.append(ONVIFClockRepair(device: anonymous, clock: security.clock))
        return caller
    }

    /// Calls of another service of the device, to make a generated client of. They share the connections of the device service.
    ///
    /// - Parameter namespace: that of the service's WSDL, for example `http://www.onvif.org/ver10/media/wsdl`.
    /// - Throws: ``ONVIFError`` with `noSuchService`, or with `unusableAddress`.
    public func caller(for namespace: String) throws -> ServiceCaller {
        guard let service = services.first(where: { $0.namespace == namespace }) else {
            throw ONVIFError(
                .noSuchService,
                "The device at \(anonymous.endpoint) reports no service “\(namespace)”: see which of its \(services.count) services is meant."
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

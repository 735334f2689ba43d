public import Logging
public import NIOCore
import NIOPosix
public import SignetAuthentication
public import SignetHTTP
public import SignetTLS

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension NIOTransport {
    /// Where the client certificate comes from.
    public enum IdentitySource: Sendable {
        case none
        case fixed(Identity)
        /// Asked for every call. A connection that was opened with one identity is never used with another.
        case asking(@Sendable (Origin) async throws -> Identity?)
    }

    /// How a transport reaches a service.
    public struct Configuration: Sendable {
        /// The only origin that gets the identity and the credentials. Another origin can be called, without either.
        public var origin: Origin
        public var identity: IdentitySource = .none
        /// Errors of the identity with which a connection is made all the same, such as `[.expired]` where the clock of this
        /// machine is wrong and the server's is right. With any other, a call ends with
        /// ``TransportError/Code/unusableIdentity`` before a connection is made.
        public var toleratedIdentityProblems: Set<IdentityProblem.Code> = []
        public var trust: TrustPolicy = .system
        public var authentication = AuthenticationPolicy()
        /// Connections open at the same time to one origin with one identity; further calls wait.
        public var maximumConnections = 8
        /// The largest head of an answer, in bytes of all its fields.
        public var maximumFieldBytes = 64 << 10
        /// Gets events of connections at the level debug, sizes of bodies at trace. Silent unless given.
        public var logger = Logger(label: "signet.transport", factory: { _ in SwiftLogNoOpLogHandler() })
        public var eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
        /// Seconds since 1970, to judge certificates by.
        package var now: @Sendable () -> Int64 = { Int64(time(nil)) }

        public init(origin: Origin) { self.origin = origin }
    }
}

import NIOCore
import NIOPosix
import SignetDiagnosis
import SignetHTTP
import SignetNIOTLS
import SignetNIOTransport

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Looks up a host and opens a TCP connection to each of its addresses.
enum Reachability {
    /// More addresses than a host has.
    private static let maximumAddresses = 8

    static func examine(
        _ origin: Origin, limit: Duration
    ) async -> (resolution: NameResolution, attempts: [ConnectionAttempt]) {
        let (addresses, problem) = await lookUp(origin.host, origin.port)
        let resolution = NameResolution(
            host: origin.host, addresses: addresses.compactMap(\.ipAddress), problem: problem)
        var attempts: [ConnectionAttempt] = []
        for address in addresses.prefix(maximumAddresses) {
            attempts.append(await connect(to: address, limit: limit))
        }
        return (resolution, attempts)
    }

    private static func lookUp(_ host: String, _ port: Int) async -> ([SocketAddress], problem: String?) {
        do {
            return try await NIOThreadPool.singleton.runIfActive {
                var hints = unsafe addrinfo()
                unsafe hints.ai_family = AF_UNSPEC
                #if canImport(Glibc)
                unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
                #else
                unsafe hints.ai_socktype = SOCK_STREAM
                #endif
                var list: UnsafeMutablePointer<addrinfo>?
                let status = unsafe getaddrinfo(host, String(port), &hints, &list)
                defer { if let list = unsafe list { unsafe freeaddrinfo(list) } }
                guard status == 0 else { return ([], unsafe String(cString: gai_strerror(status))) }
                var addresses: [SocketAddress] = []
                var next = unsafe list
                while let info = unsafe next?.pointee {
                    unsafe next = info.ai_next
                    guard let address = unsafe SocketAddress(info) else { continue }
                    if !addresses.contains(address) { addresses.append(address) }
                }
                return (addresses, addresses.isEmpty ? "The name has no address." : nil)
            }
        } catch { return ([], "The lookup was not done: \(error)") }
    }

    private static func connect(to address: SocketAddress, limit: Duration) async -> ConnectionAttempt {
        let start = ContinuousClock.now
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(TimeAmount(limited: limit))
        let outcome: ConnectionAttempt.Outcome
        do {
            let channel = try await bootstrap.connect(to: address).get()
            try? await channel.close().get()
            outcome = .connected
        } catch let error as IOError {
            switch error.errnoCode {
            case ECONNREFUSED: outcome = .refused
            case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL: outcome = .unreachable
            case ETIMEDOUT: outcome = .timedOut
            default: outcome = .closed
            }
        } catch is ChannelError {
            outcome = .timedOut
        } catch { outcome = .unreachable }
        return ConnectionAttempt(
            address.hostAndPort ?? "\(address)", outcome,
            milliseconds: Int(start.duration(to: .now) / .milliseconds(1)))
    }
}

extension SocketAddress {
    fileprivate init?(_ info: addrinfo) {
        guard let address = unsafe info.ai_addr else { return nil }
        switch unsafe info.ai_family {
        case AF_INET:
            self = unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe SocketAddress($0.pointee)
            }
        case AF_INET6:
            self = unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                unsafe SocketAddress($0.pointee)
            }
        default: return nil
        }
    }
}

import NIOCore
import NIOPosix
import SignetHTTP
import SignetXML
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// One search while it runs: its sockets, and what they have received. The sockets are closed when the time is over,
/// or when nothing refers to the session any more.
final class DiscoverySession: Sendable {
    /// What the sockets and the reader share.
    final class Inbox: Sendable {
        let collector: Mutex<DiscoveryCollector>
        /// Wakes the reader; several signals count once.
        let signals: AsyncStream<Void>
        private let signal: AsyncStream<Void>.Continuation

        init(_ collector: DiscoveryCollector) {
            self.collector = Mutex(collector)
            (signals, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        }

        func receive(_ datagram: AddressedEnvelope<ByteBuffer>, over route: DiscoveryRoute) {
            guard let host = route.host(sending: datagram.remoteAddress) else { return }
            let size = datagram.data.readableBytes
            collector.withLock { $0.receive(from: host, size: size) { Array(datagram.data.readableBytesView) } }
            signal.yield()
        }

        func finish() { signal.finish() }
    }

    let inbox: Inbox
    private let channels: [any Channel]

    private init(_ inbox: Inbox, _ channels: [any Channel]) {
        self.inbox = inbox
        self.channels = channels
    }

    deinit { close() }

    /// Opens the sockets, and sends the questions over each of them.
    ///
    /// - Returns: nil when the task was cancelled.
    static func begin(
        _ discovery: DeviceDiscovery, _ kind: DiscoveryRequest.Kind
    ) async throws(DiscoveryError) -> DiscoverySession? {
        if let problem = discovery.problem {
            throw DiscoveryError(.unusableSetting, "The search for devices was not begun: \(problem).")
        }
        let questions = try questions(kind, discovery)
        guard let routes = try await DiscoveryRoute.all(to: discovery.target, within: discovery.listening) else {
            return nil
        }
        // Of one host, only its own answers count.
        let hosts =
            routes.contains { $0.interface != nil } ? nil : Set(routes.compactMap { $0.host(sending: $0.remote) })
        let inbox = Inbox(
            DiscoveryCollector(
                kind, questions: Set(questions.map(\.messageID)), hosts: hosts, ownAddresses: ownAddresses(),
                limits: discovery.limits))
        let deadline = NIODeadline.now() + TimeAmount(discovery.listening)
        var channels: [any Channel] = []
        var asked: [DiscoveryRoute] = []
        var failure: (any Error)?
        for route in routes.prefix(DiscoveryRoute.maximum) {
            do {
                let channel = try await open(route, inbox, discovery.limits)
                do {
                    try await send(questions, route, channel)
                    channels.append(channel)
                    asked.append(route)
                } catch {
                    // An interface that is down sends nothing; the others are asked.
                    channel.close(promise: nil)
                    failure = error
                }
            } catch { failure = error }
        }
        let session = DiscoverySession(inbox, channels)
        var silent: String?
        if case .networks(let names) = discovery.target {
            silent = names.first { name in !asked.contains { $0.isNamed(name) } }
        }
        guard !channels.isEmpty, silent == nil else {
            let place = silent.map { " over the network interface “\($0.printable)”" } ?? ""
            let reason = failure.map { "\($0)" } ?? "a search opens no more than \(DiscoveryRoute.maximum) sockets"
            throw DiscoveryError(
                .notSent,
                "The question for devices could not be sent\(place): \(reason). Check the network, and whether a firewall forbids UDP port \(DeviceDiscovery.port).",
                cause: failure)
        }
        inbox.collector.withLock { $0.tally.unaskedInterfaces = routes.count - asked.count }
        session.end(at: deadline)
        return session
    }

    /// The addresses of this machine's network interfaces.
    private static func ownAddresses() -> Set<[UInt8]> {
        let devices = (try? System.enumerateDevices()) ?? []
        return Set(devices.compactMap { $0.address?.ipAddress.flatMap(AddressBlock.octets) })
    }

    private static func questions(
        _ kind: DiscoveryRequest.Kind, _ discovery: DeviceDiscovery
    ) throws(DiscoveryError) -> [DiscoveryRequest] {
        var questions: [DiscoveryRequest] = []
        for version in discovery.versions {
            if case .probe(_, _, let matching?) = kind, matching.uri(in: version) == nil { continue }
            do throws(XMLError) { questions.append(try DiscoveryRequest(kind, version)) } catch {
                throw DiscoveryError(
                    .unusableSetting,
                    "The search for devices was not begun: a type or scope cannot be written: \(error)",
                    cause: error)
            }
        }
        for question in questions where question.bytes.count > DiscoveryRequest.maximumBytes {
            throw DiscoveryError(
                .unusableSetting,
                "The search for devices was not begun: the question has \(question.bytes.count) bytes, and a datagram has room for \(DiscoveryRequest.maximumBytes): give fewer types and scopes."
            )
        }
        return questions
    }

    private static func open(
        _ route: DiscoveryRoute, _ inbox: Inbox, _ limits: DiscoveryLimits
    ) async throws -> any Channel {
        let channel = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            // One byte more shows that a datagram is too large.
            .channelOption(
                .recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: limits.datagramBytes + 1)
            )
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DatagramReceiver(inbox: inbox, route: route))
                }
            }
            .bind(to: route.local).get()
        do { try await direct(channel, to: route) } catch {
            channel.close(promise: nil)
            throw error
        }
        return channel
    }

    /// Makes multicast leave by the interface of the route.
    private static func direct(_ channel: any Channel, to route: DiscoveryRoute) async throws {
        guard let interface = route.interface, let options = channel as? any SocketOptionProvider else { return }
        if case .v4 = route.local {
            guard let octets = route.local.ipAddress.flatMap(AddressBlock.octets), octets.count == 4 else { return }
            // The four octets in the order of the network are what the system takes.
            let address = unsafe octets.withUnsafeBytes { unsafe $0.loadUnaligned(as: in_addr.self) }
            try await options.setIPMulticastIF(address).get()
        } else {
            try await options.setIPv6MulticastIF(CUnsignedInt(clamping: interface.index)).get()
        }
    }

    /// Sends each question at once, and repeats it after a random time that doubles (SOAP over UDP 1.1, appendix A).
    /// Receivers drop the repetitions by their identifier.
    private static func send(
        _ questions: [DiscoveryRequest], _ route: DiscoveryRoute, _ channel: any Channel
    ) async throws {
        for question in questions {
            let datagram = AddressedEnvelope(
                remoteAddress: route.remote, data: ByteBuffer(bytes: question.bytes))
            try await channel.writeAndFlush(datagram)
            var delay = Int64.random(in: shortestDelay...longestFirstDelay)
            var after: Int64 = 0
            for _ in 0..<(route.interface == nil ? unicastRepeats : multicastRepeats) {
                after += delay
                let timer = channel.eventLoop.scheduleTask(in: .milliseconds(after)) {
                    channel.writeAndFlush(datagram, promise: nil)
                }
                channel.closeFuture.whenComplete { _ in timer.cancel() }
                delay = min(delay * 2, longestDelay)
            }
        }
    }

    private static let unicastRepeats = 1
    private static let multicastRepeats = 2
    private static let shortestDelay: Int64 = 50
    private static let longestFirstDelay: Int64 = 250
    private static let longestDelay: Int64 = 500

    private func end(at deadline: NIODeadline) {
        let inbox = inbox
        for channel in channels {
            let timer = channel.eventLoop.scheduleTask(deadline: deadline) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in timer.cancel() }
        }
        guard let first = channels.first else { return }
        EventLoopFuture.andAllComplete(channels.map(\.closeFuture), on: first.eventLoop)
            .whenComplete { _ in inbox.finish() }
    }

    /// Ends the search after `time` at the latest.
    func shorten(to time: Duration) {
        for channel in channels {
            let timer = channel.eventLoop.scheduleTask(in: TimeAmount(time)) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in timer.cancel() }
        }
    }

    func close() { for channel in channels { channel.close(promise: nil) } }
}

extension DiscoveryRequest {
    /// The size of the largest datagram over IPv4 (RFC 768, RFC 791).
    static let maximumBytes = 65_507
}

private final class DatagramReceiver: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    private let inbox: DiscoverySession.Inbox
    private let route: DiscoveryRoute

    init(inbox: DiscoverySession.Inbox, route: DiscoveryRoute) {
        self.inbox = inbox
        self.route = route
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        inbox.receive(unwrapInboundIn(data), over: route)
    }

    // An error of one datagram, such as an answer of ICMP, does not end the search.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}

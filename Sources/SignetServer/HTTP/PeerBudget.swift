#if Server
import Foundation
import NIOCore
import SignetHTTP
import Synchronization

/// Counts, for each address, the connections whose clients have not yet proved their identity, so that one client
/// cannot occupy all connections of a server.
final class PeerBudget: Sendable {
    /// The key by which connections are counted: an IPv4 address, or the first 64 bits of an IPv6 address, because each
    /// IPv6 client has many addresses of the same prefix.
    private struct Peer: Hashable {
        let octets: [UInt8]

        init(_ address: [UInt8]) { octets = address.count == 16 ? Array(address.prefix(8)) : address }
    }

    private struct Count {
        var open = 0
        /// Whether it was logged that there were too many connections.
        var isReported = false
    }

    enum Admission {
        case admitted(Place)
        /// - Parameter isFirst: whether this is the first refusal of this address since it had no connections.
        case refused(isFirst: Bool)
    }

    /// The place of one connection among the counted connections.
    final class Place: Sendable {
        private let leaving: Mutex<(@Sendable () -> Void)?>

        fileprivate init(_ leaving: (@Sendable () -> Void)?) { self.leaving = Mutex(leaving) }

        /// Frees the place for another connection: the client has proved its identity or has disconnected. Only the
        /// first call counts.
        func leave() {
            let leaving = leaving.withLock { leaving in
                defer { leaving = nil }
                return leaving
            }
            leaving?()
        }
    }

    private let limit: Int
    private let exempt: [AddressBlock]
    private let counts = Mutex<[Peer: Count]>([:])

    /// - Parameters:
    ///   - limit: how many connections of an address are admitted at a time.
    ///   - exempt: addresses whose connections are not counted.
    init(limit: Int, exempt: [AddressBlock]) {
        self.limit = limit
        self.exempt = exempt
    }

    /// Whether the address is that of a proxy, whose connections are not counted.
    func isProxy(_ address: SocketAddress) -> Bool {
        address.octets.map { octets in exempt.contains { $0.contains(octets) } } ?? false
    }

    /// - Parameters:
    ///   - address: nil for a connection at a socket in the file system, which is not counted.
    ///   - isExempt: whether the connection is not counted.
    func admit(_ address: SocketAddress?, isExempt: Bool = false) -> Admission {
        guard let octets = address?.octets, !isExempt else { return .admitted(Place(nil)) }
        let peer = Peer(octets)
        return counts.withLock { counts in
            var count = counts[peer] ?? Count()
            defer { counts[peer] = count }
            guard count.open < limit else {
                defer { count.isReported = true }
                return .refused(isFirst: !count.isReported)
            }
            count.open += 1
            return .admitted(Place { [weak self] in self?.leave(peer) })
        }
    }

    private func leave(_ peer: Peer) {
        counts.withLock { counts in
            guard var count = counts[peer] else { return }
            count.open -= 1
            counts[peer] = count.open > 0 ? count : nil
        }
    }
}

extension SocketAddress {
    /// The octets of an IP address, 4 or 16; nil for a socket in the file system.
    fileprivate var octets: [UInt8]? { ipAddress.flatMap(AddressBlock.octets) }
}
#endif

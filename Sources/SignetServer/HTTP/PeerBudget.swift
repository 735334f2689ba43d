#if Server
import Foundation
import NIOCore
import SignetHTTP
import Synchronization

/// Counts the connections of each address whose clients have not yet proved who they are, so that one client cannot hold all that a
/// server has.
final class PeerBudget: Sendable {
    /// What connections are counted by: an address of IPv4, or the first 64 bits of one of IPv6, of which each client has as many
    /// addresses as it likes.
    private struct Peer: Hashable {
        let octets: [UInt8]

        init(_ address: [UInt8]) { octets = address.count == 16 ? Array(address.prefix(8)) : address }
    }

    private struct Count {
        var open = 0
        /// Whether the log has been told that there were too many.
        var isReported = false
    }

    enum Admission {
        case admitted(Place)
        /// - Parameter isFirst: whether this address has not been refused since it had no connections.
        case refused(isFirst: Bool)
    }

    /// The place of one connection among those that are counted.
    final class Place: Sendable {
        private let leaving: Mutex<(@Sendable () -> Void)?>

        fileprivate init(_ leaving: (@Sendable () -> Void)?) { self.leaving = Mutex(leaving) }

        /// Gives the place to another connection: the client has proved who it is, or is gone. Only the first call counts.
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
    ///   - limit: so many connections of an address are admitted at a time.
    ///   - exempt: addresses that are not counted.
    init(limit: Int, exempt: [AddressBlock]) {
        self.limit = limit
        self.exempt = exempt
    }

    func admit(_ address: SocketAddress) -> Admission {
        guard let octets = address.octets, !exempt.contains(where: { $0.contains(octets) }) else {
            return .admitted(Place(nil))
        }
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
    fileprivate var octets: [UInt8]? {
        switch self {
        case .v4(let address):
            unsafe withUnsafeBytes(of: address.address.sin_addr) { unsafe Array($0) }
        case .v6(let address):
            unsafe AddressBlock.unmapped(withUnsafeBytes(of: address.address.sin6_addr) { unsafe Array($0) })
        case .unixDomainSocket: nil
        }
    }
}
#endif

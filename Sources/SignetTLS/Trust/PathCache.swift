import Crypto
import Synchronization

/// Paths that were accepted, by the certificates that the peer presented, so that the next connection to the same peer
/// costs one digest.
///
/// A policy shares its cache with its copies; a changed policy begins with an empty one.
final class PathCache: Sendable {
    static let maximumPaths = 128
    /// Larger paths are not kept.
    static let maximumBytes = 65_536

    private struct Entry {
        let path: [EncodedCertificate]
        /// The time in which all certificates of the path are valid.
        let validity: ClosedRange<Int64>
    }

    private struct Entries {
        var byKey: [[UInt8]: Entry] = [:]
        /// The oldest first.
        var keys: [[UInt8]] = []
    }

    private let entries = Mutex(Entries())

    /// - Returns: nil also for a path that is not valid `now`: the evaluation then reports the reason.
    func path(for key: [UInt8], at now: Int64) -> [EncodedCertificate]? {
        guard let entry = entries.withLock({ $0.byKey[key] }), entry.validity.contains(now) else { return nil }
        return entry.path
    }

    /// How long a path is kept, in seconds. The limit makes sure that a trust anchor which the operating system removed
    /// is soon noticed.
    static let maximumAge: Int64 = 3_600

    func keep(_ path: [EncodedCertificate], for key: [UInt8], at now: Int64) {
        let (limit, overflow) = now.addingReportingOverflow(Self.maximumAge)
        guard path.reduce(0, { $0 + $1.der.count }) <= Self.maximumBytes,
            let first = path.map({ $0.notBefore ?? .max }).max(), let last = path.map({ $0.notAfter ?? .min }).min(),
            first <= last, !overflow, first <= limit
        else { return }
        entries.withLock { entries in
            if entries.byKey.updateValue(Entry(path: path, validity: first...min(last, limit)), forKey: key) == nil {
                entries.keys.append(key)
            }
            if entries.keys.count > Self.maximumPaths { entries.byKey[entries.keys.removeFirst()] = nil }
        }
    }

    var count: Int { entries.withLock { $0.byKey.count } }

    /// A digest of everything that the verdict depends on, except the policy and the time.
    static func key(_ presented: [EncodedCertificate], _ role: PeerRole) -> [UInt8] {
        var hash = SHA256()
        func add(_ bytes: [UInt8]) {
            unsafe withUnsafeBytes(of: UInt64(bytes.count)) { unsafe hash.update(bufferPointer: $0) }
            hash.update(data: bytes)
        }
        switch role {
        case .client: add([0])
        case .signer: add([3])
        case .server(.dns(let name)): add([1] + name.utf8)
        case .server(.ip(let address)): add([2] + address)
        }
        for certificate in presented { add(certificate.der) }
        return Array(hash.finalize())
    }
}

/// The cache does not take part in the comparison of policies.
extension PathCache: Hashable {
    static func == (left: PathCache, right: PathCache) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

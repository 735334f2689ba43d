import Crypto
import Synchronization

/// Paths that have been found good, by the bytes that were presented, so that a peer seen again costs one digest.
///
/// It belongs to one policy and all its copies; a policy that is changed begins with an empty one.
final class PathCache: Sendable {
    static let maximumPaths = 128
    /// Larger paths are judged anew each time.
    static let maximumBytes = 65_536

    private struct Entry {
        let path: [EncodedCertificate]
        /// When all certificates of the path are valid.
        let validity: ClosedRange<Int64>
    }

    private struct Entries {
        var byKey: [[UInt8]: Entry] = [:]
        /// The oldest first.
        var keys: [[UInt8]] = []
    }

    private let entries = Mutex(Entries())

    /// - Returns: nil as well for a path that is not valid `now`: why not, an evaluation must say.
    func path(for key: [UInt8], at now: Int64) -> [EncodedCertificate]? {
        guard let entry = entries.withLock({ $0.byKey[key] }), entry.validity.contains(now) else { return nil }
        return entry.path
    }

    /// How long a path is believed unasked, in seconds: an anchor that the operating system has given up must be missed soon.
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

    /// A digest of everything that a verdict depends on but the policy and the time.
    static func key(_ presented: [EncodedCertificate], _ role: PeerRole) -> [UInt8] {
        var hash = SHA256()
        func add(_ bytes: [UInt8]) {
            unsafe withUnsafeBytes(of: UInt64(bytes.count)) { unsafe hash.update(bufferPointer: $0) }
            hash.update(data: bytes)
        }
        switch role {
        case .client: add([0])
        case .server(.dns(let name)): add([1] + name.utf8)
        case .server(.ip(let address)): add([2] + address)
        }
        for certificate in presented { add(certificate.der) }
        return Array(hash.finalize())
    }
}

/// What a policy remembers is no part of what it is.
extension PathCache: Hashable {
    static func == (left: PathCache, right: PathCache) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

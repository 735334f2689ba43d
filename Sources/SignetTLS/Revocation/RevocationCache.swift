/// Answers and lists that were verified, until they are outdated. It is a value: its owner shares it between
/// connections.
package struct RevocationCache: Sendable {
    /// What was looked up.
    enum Key: Hashable, Sendable {
        /// SHA-256 of the issuer's certificate, and the serial number.
        case answer(issuer: [UInt8], serialNumber: [UInt8])
        /// SHA-256 of the issuer's certificate, and the address.
        case list(issuer: [UInt8], url: String)
    }

    enum Value: Sendable {
        case status(RevocationStatus)
        /// A list that the issuer signed.
        case list(CertificateRevocationList)
    }

    /// What a check adds to the cache.
    package struct Entry: Sendable {
        let key: Key
        let value: Value
        /// The last second, since 1970 in UTC, in which it may be used.
        let until: Int64
        let bytes: Int

        init(_ key: Key, _ value: Value, until: Int64) {
            self.key = key
            self.value = value
            self.until = until
            let content: Int =
                switch value {
                case .status: 512
                case .list(let list): list.size
                }
            bytes = content + Self.overhead
        }

        private static let overhead = 256
    }

    private let maximumCount: Int
    private let maximumBytes: Int
    private var entries: [Key: Entry] = [:]
    /// The bytes of all entries, about.
    package private(set) var bytes = 0

    /// - Parameters:
    ///   - maximumCount: how many answers and lists are kept together.
    ///   - maximumBytes: how much memory they may take, about. A larger list is not kept.
    package init(maximumCount: Int = 1_024, maximumBytes: Int = 32 << 20) {
        self.maximumCount = maximumCount
        self.maximumBytes = maximumBytes
    }

    /// How many answers and lists there are.
    package var count: Int { entries.count }

    func value(for key: Key, at now: Int64) -> Value? {
        guard let entry = entries[key], now <= entry.until else { return nil }
        return entry.value
    }

    /// Adds what a check has learned. When there is too much, outdated entries go first, then those that are outdated
    /// soonest.
    package mutating func add(_ learned: [Entry], at now: Int64) {
        for entry in learned where entry.bytes <= maximumBytes && now <= entry.until {
            remove(entry.key)
            entries[entry.key] = entry
            bytes += entry.bytes
        }
        guard entries.count > maximumCount || bytes > maximumBytes else { return }
        for entry in entries.values.sorted(by: { $0.until < $1.until }) {
            guard now > entry.until || entries.count > maximumCount || bytes > maximumBytes else { return }
            remove(entry.key)
        }
    }

    private mutating func remove(_ key: Key) {
        if let old = entries.removeValue(forKey: key) { bytes -= old.bytes }
    }
}

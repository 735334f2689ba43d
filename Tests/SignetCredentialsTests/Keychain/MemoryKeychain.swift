import Foundation
import SignetCredentials
import Synchronization

/// Answers the four calls as the Keychain does: by its primary key of Internet passwords, with its result codes.
final class MemoryKeychain: KeychainCalls {
    struct State {
        var items: [KeychainItem] = []
        /// Answers every call from now on.
        var status: Int32?
        /// Answers requests for the data of accounts.
        var statusOfAccounts: [String: Int32] = [:]
        var lastAdded: KeychainItem = [:]
        var lastQuery: KeychainItem = [:]
    }
    let state = Mutex(State())

    /// Attributes of the primary key that are not given are empty, not absent.
    private static let defaults: KeychainItem = [
        .account: .text(""), .securityDomain: .text(""), .server: .text(""), .path: .text(""), .port: .number(0),
        .authenticationType: .authenticationType(.other("")),
    ]

    private static func key(_ item: KeychainItem) -> KeychainItem {
        item.filter { KeychainAttribute.primaryKey.contains($0.key) || [.accessGroup, .service].contains($0.key) }
    }

    private static func matches(_ item: KeychainItem, _ query: KeychainItem) -> Bool {
        // What has a service is of another class.
        (query[.service] == nil) == (item[.service] == nil) && query.allSatisfy { item[$0.key] == $0.value }
    }

    func copyMatching(
        _ query: KeychainItem, limit: KeychainLimit, returning: KeychainReturn
    ) -> (status: Int32, items: [KeychainItem]) {
        state.withLock { state in
            state.lastQuery = query
            if let status = state.status { return (status, []) }
            // Not for the secrets of many items at once.
            if limit == .all, returning == .data { return (KeychainStatus.invalidParameter, []) }
            let found = state.items.filter { Self.matches($0, query) }.prefix(limit == .one ? 1 : .max)
            if found.isEmpty { return (KeychainStatus.itemNotFound, []) }
            if returning == .attributes {
                return (KeychainStatus.success, found.map { $0.filter { $0.key != .data } })
            }
            for item in found {
                if case .text(let account) = item[.account], let status = state.statusOfAccounts[account] {
                    return (status, [])
                }
            }
            return (KeychainStatus.success, found.map { $0.filter { $0.key == .data } })
        }
    }

    func add(_ item: KeychainItem) -> Int32 {
        state.withLock { state in
            if let status = state.status { return status }
            var item = item.merging(Self.defaults) { given, _ in given }
            item[.accessGroup] = item[.accessGroup] ?? .text("first.of.the.program")
            item[.created] = item[.created] ?? .date(Int64(Date().timeIntervalSince1970))
            item[.modified] = item[.created]
            if state.items.contains(where: { Self.key($0) == Self.key(item) }) { return KeychainStatus.duplicateItem }
            state.lastAdded = item
            state.items.append(item)
            return KeychainStatus.success
        }
    }

    func update(_ query: KeychainItem, _ changes: KeychainItem) -> Int32 {
        state.withLock { state in
            if let status = state.status { return status }
            if changes.isEmpty { return KeychainStatus.invalidParameter }
            var isFound = false
            for index in state.items.indices where Self.matches(state.items[index], query) {
                state.items[index].merge(changes) { _, new in new }
                state.items[index][.modified] = .date(Int64(Date().timeIntervalSince1970))
                isFound = true
            }
            return isFound ? KeychainStatus.success : KeychainStatus.itemNotFound
        }
    }

    func delete(_ query: KeychainItem) -> Int32 {
        state.withLock { state in
            if let status = state.status { return status }
            let before = state.items.count
            state.items.removeAll { Self.matches($0, query) }
            return state.items.count < before ? KeychainStatus.success : KeychainStatus.itemNotFound
        }
    }
}

/// The four calls of Apple's Keychain Services that a store makes: for items of class `kSecClassGenericPassword` where
/// ``KeychainAttribute/service`` is given, and of class `kSecClassInternetPassword` otherwise.
///
/// The implementation on Apple's systems only translates names. A call may block while the user is asked.
package protocol KeychainCalls: Sendable {
    /// `SecItemCopyMatching`.
    func copyMatching(
        _ query: KeychainItem, limit: KeychainLimit, returning: KeychainReturn
    ) -> (status: Int32, items: [KeychainItem])
    /// `SecItemAdd`.
    func add(_ item: KeychainItem) -> Int32
    /// `SecItemUpdate`: changes the attributes in `changes` of every item that matches.
    func update(_ query: KeychainItem, _ changes: KeychainItem) -> Int32
    /// `SecItemDelete`: removes every item that matches.
    func delete(_ query: KeychainItem) -> Int32
}

package typealias KeychainItem = [KeychainAttribute: KeychainValue]

/// `kSecMatchLimit`.
package enum KeychainLimit: Sendable { case one, all }

/// `kSecReturnAttributes` or `kSecReturnData`.
package enum KeychainReturn: Sendable { case attributes, data }

package enum KeychainAttribute: Sendable, Hashable, CaseIterable {
    // The primary key of an Internet password.
    case account, securityDomain, server, networkProtocol, authenticationType, port, path
    /// An attribute of a generic password; it is its primary key together with the account.
    case service
    case accessGroup, accessibility
    case label, comment, created, modified
    case data

    package static let primaryKey: [Self] = [
        .account, .securityDomain, .server, .networkProtocol, .authenticationType, .port, .path,
    ]
}

package enum KeychainValue: Sendable, Equatable {
    case text(String)
    case number(Int)
    /// Seconds since 1970 in UTC.
    case date(Int64)
    case secret(SecretBytes)
    case networkProtocol(KeychainProtocol)
    case authenticationType(KeychainAuthenticationType)
    case accessibility(KeychainAccessibility)

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var number: Int? { if case .number(let number) = self { number } else { nil } }
    var date: Int64? { if case .date(let date) = self { date } else { nil } }
    var secret: SecretBytes? { if case .secret(let secret) = self { secret } else { nil } }
}

/// `kSecAttrProtocol`. The Keychain has further protocols.
package enum KeychainProtocol: Sendable, Hashable, CaseIterable { case http, https, httpProxy, httpsProxy }

/// `kSecAttrAuthenticationType`.
package enum KeychainAuthenticationType: Sendable, Hashable {
    /// `kSecAttrAuthenticationTypeDefault`: any scheme.
    case any
    case basic, digest, ntlm
    /// A scheme for which the Keychain has no constant.
    case other(String)

    init(scheme: String?) {
        self =
            switch scheme {
            case nil: .any
            case "basic": .basic
            case "digest": .digest
            case "ntlm": .ntlm
            case .some(let name): .other(name)
            }
    }

    var scheme: String? {
        switch self {
        case .any: nil
        case .basic: "basic"
        case .digest: "digest"
        case .ntlm: "ntlm"
        case .other(let name): name.isEmpty ? nil : name
        }
    }
}

/// When the Keychain gives an item out (`kSecAttrAccessible`).
public enum KeychainAccessibility: Sendable, Hashable, CaseIterable {
    /// While the device is unlocked; the item is part of backups and moves to new devices.
    case whenUnlocked
    /// Once the device was unlocked after its start; the item is part of backups and moves to new devices.
    case afterFirstUnlock
    /// While the device is unlocked, on this device only.
    case whenUnlockedThisDeviceOnly
    /// Once the device was unlocked after its start, on this device only.
    case afterFirstUnlockThisDeviceOnly
    /// While the device is unlocked, on this device only, and only while it has a passcode.
    case whenPasscodeSetThisDeviceOnly
}

#if canImport(Security)
import CoreFoundation
import Foundation
import Security

extension KeychainCredentialStore {
    /// - Parameter accessGroup: which programs share the credentials; nil for the program's first one.
    /// - Parameter accessibility: when credentials can be read; it applies to those that are added from now on.
    public init(
        accessGroup: String? = nil, accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly
    ) {
        self.init(calls: SecurityKeychain(), accessGroup: accessGroup, accessibility: accessibility)
    }
}

extension KeychainIdentityStore {
    /// - Parameter accessGroup: which programs share the identities; nil for the program's first one.
    /// - Parameter accessibility: when identities can be read; it applies to those that are added from now on.
    public init(
        accessGroup: String? = nil, accessibility: KeychainAccessibility = .afterFirstUnlockThisDeviceOnly
    ) {
        self.init(calls: SecurityKeychain(), accessGroup: accessGroup, accessibility: accessibility)
    }
}

/// Translates names and values to those of Apple's framework, and makes no decisions.
struct SecurityKeychain: KeychainCalls {
    func copyMatching(
        _ query: KeychainItem, limit: KeychainLimit, returning: KeychainReturn
    ) -> (status: Int32, items: [KeychainItem]) {
        var dictionary = Self.dictionary(query, isQuery: true)
        dictionary[kSecMatchLimit as String] = limit == .one ? kSecMatchLimitOne : kSecMatchLimitAll
        dictionary[(returning == .data ? kSecReturnData : kSecReturnAttributes) as String] = true
        var result: CFTypeRef?
        let status = SecItemCopyMatching(dictionary as CFDictionary, &result)
        switch result {
        case let data as Data: return (status, [[.data: .secret(SecretBytes(data))]])
        case let items as [[String: Any]]: return (status, items.map(Self.item))
        case let item as [String: Any]: return (status, [Self.item(item)])
        default: return (status, [])
        }
    }

    func add(_ item: KeychainItem) -> Int32 {
        SecItemAdd(Self.dictionary(item, isQuery: true) as CFDictionary, nil)
    }

    func update(_ query: KeychainItem, _ changes: KeychainItem) -> Int32 {
        SecItemUpdate(
            Self.dictionary(query, isQuery: true) as CFDictionary,
            Self.dictionary(changes, isQuery: false) as CFDictionary)
    }

    func delete(_ query: KeychainItem) -> Int32 {
        SecItemDelete(Self.dictionary(query, isQuery: true) as CFDictionary)
    }

    private static func dictionary(_ item: KeychainItem, isQuery: Bool) -> [String: Any] {
        var result: [String: Any] = [:]
        for (attribute, value) in item { result[name(attribute)] = native(value) }
        if isQuery {
            result[kSecClass as String] =
                item[.service] == nil ? kSecClassInternetPassword : kSecClassGenericPassword
            // The file-based Keychain of macOS has neither access groups nor accessibility.
            result[kSecUseDataProtectionKeychain as String] = true
        }
        return result
    }

    /// Attributes that have no name here are left out.
    private static func item(_ dictionary: [String: Any]) -> KeychainItem {
        var result: KeychainItem = [:]
        for attribute in KeychainAttribute.allCases {
            guard let value = dictionary[name(attribute)] else { continue }
            switch attribute {
            case .port: result[attribute] = (value as? Int).map { .number($0) }
            case .created, .modified:
                result[attribute] = (value as? Date).map { .date(Int64($0.timeIntervalSince1970)) }
            case .networkProtocol:
                result[attribute] = KeychainProtocol.allCases.first { name($0) == value as? String }
                    .map { .networkProtocol($0) }
            case .authenticationType:
                result[attribute] = (value as? String).map { .authenticationType(authenticationType($0)) }
            case .accessibility, .data: break
            default: result[attribute] = (value as? String).map { .text($0) }
            }
        }
        return result
    }

    private static func native(_ value: KeychainValue) -> Any {
        switch value {
        case .text(let text): text
        case .number(let number): number
        case .date(let seconds): Date(timeIntervalSince1970: Double(seconds))
        case .secret(let secret): Data(secret.bytes)
        case .networkProtocol(let value): name(value)
        case .authenticationType(let type): name(type)
        case .accessibility(let value): name(value)
        }
    }

    private static func authenticationType(_ name: String) -> KeychainAuthenticationType {
        [.any, .basic, .digest, .ntlm].first { self.name($0) == name } ?? .other(name)
    }
}
#endif

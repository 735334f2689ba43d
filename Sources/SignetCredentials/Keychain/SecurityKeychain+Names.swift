#if canImport(Security)
import Security

extension SecurityKeychain {
    static func name(_ attribute: KeychainAttribute) -> String {
        switch attribute {
        case .account: kSecAttrAccount as String
        case .securityDomain: kSecAttrSecurityDomain as String
        case .server: kSecAttrServer as String
        case .networkProtocol: kSecAttrProtocol as String
        case .authenticationType: kSecAttrAuthenticationType as String
        case .port: kSecAttrPort as String
        case .path: kSecAttrPath as String
        case .service: kSecAttrService as String
        case .accessGroup: kSecAttrAccessGroup as String
        case .accessibility: kSecAttrAccessible as String
        case .label: kSecAttrLabel as String
        case .comment: kSecAttrComment as String
        case .created: kSecAttrCreationDate as String
        case .modified: kSecAttrModificationDate as String
        case .data: kSecValueData as String
        }
    }

    static func name(_ value: KeychainProtocol) -> String {
        switch value {
        case .http: kSecAttrProtocolHTTP as String
        case .https: kSecAttrProtocolHTTPS as String
        case .httpProxy: kSecAttrProtocolHTTPProxy as String
        case .httpsProxy: kSecAttrProtocolHTTPSProxy as String
        }
    }

    static func name(_ type: KeychainAuthenticationType) -> String {
        switch type {
        case .any: kSecAttrAuthenticationTypeDefault as String
        case .basic: kSecAttrAuthenticationTypeHTTPBasic as String
        case .digest: kSecAttrAuthenticationTypeHTTPDigest as String
        case .ntlm: kSecAttrAuthenticationTypeNTLM as String
        case .other(let name): name
        }
    }

    static func name(_ value: KeychainAccessibility) -> String {
        switch value {
        case .whenUnlocked: kSecAttrAccessibleWhenUnlocked as String
        case .afterFirstUnlock: kSecAttrAccessibleAfterFirstUnlock as String
        case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly as String
        case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly as String
        case .whenPasscodeSetThisDeviceOnly: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly as String
        }
    }
}
#endif

import Crypto
import CryptoExtras

/// A program that a service knows by a key, and the secrets with which it signs its requests (OAuth 1.0a, RFC 5849).
///
/// It signs the method, the address and the parameters of each request. It does not sign the content of a SOAP message,
/// which only TLS protects.
public struct OAuth1Consumer: Sendable, Hashable {
    /// How a request is signed (§3.4). With all methods except RSA, the service stores the secret with which the
    /// requests are signed.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Signature: Sendable, Hashable {
        /// HMAC with SHA-1, the only HMAC of the RFC (§3.4.2).
        case hmacSHA1
        /// Not part of the RFC, but most services support it.
        case hmacSHA256
        /// With an RSA key in PEM (PKCS#1 or PKCS#8) without a password.
        case rsaSHA1(privateKey: String)
        /// The secrets themselves, over TLS only.
        case plaintext

        var name: String {
            switch self {
            case .hmacSHA1: "HMAC-SHA1"
            case .hmacSHA256: "HMAC-SHA256"
            case .rsaSHA1: "RSA-SHA1"
            case .plaintext: "PLAINTEXT"
            }
        }
    }

    package let key: String
    private let secret: String
    private let token: String?
    private let tokenSecret: String
    private let signature: Signature

    /// - Parameters:
    ///   - key: the key by which the service knows the program (`oauth_consumer_key`).
    ///   - secret: the secret that belongs to the key; not used with an RSA key.
    ///   - token: the user's token when the program acts for a user; nil when it acts for itself.
    ///   - tokenSecret: the secret that belongs to the token; empty without one.
    ///   - signature: how requests are signed; HMAC with SHA-256 by default.
    public init(
        key: String, secret: String, token: String? = nil, tokenSecret: String = "", signature: Signature = .hmacSHA256
    ) {
        self.key = key
        self.secret = secret
        self.token = token
        self.tokenSecret = tokenSecret
        self.signature = signature
    }

    /// Values that may be used once (§3.3); test vectors fix them.
    struct Freshness {
        let nonce: String
        /// Seconds since 1970.
        let time: UInt64

        static func now() -> Freshness {
            var random = SystemRandomNumberGenerator()
            let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
            let nonce = (0..<22).compactMap { _ in letters.randomElement(using: &random) }
            return Freshness(nonce: String(nonce), time: SystemClock.now.seconds)
        }
    }

    /// The value of an `Authorization` field (§3.5.1).
    func authorization(
        for request: AuthenticationRequest, at space: ProtectionSpace, _ freshness: Freshness = .now()
    ) throws(AuthenticationError) -> String {
        if signature == .plaintext, space.scheme != "https" {
            throw .init(
                .insecureChannel,
                "OAuth's method PLAINTEXT would show the secrets of \(space) to anyone on the network path; use another, or https.",
                space: space)
        }
        var own: [(String, String)] = [
            ("oauth_consumer_key", key), ("oauth_signature_method", signature.name), ("oauth_version", "1.0"),
        ]
        if let token { own.append(("oauth_token", token)) }
        if signature != .plaintext {
            own += [("oauth_timestamp", String(freshness.time)), ("oauth_nonce", freshness.nonce)]
        }
        let base = Self.baseString(for: request, at: space, own)
        let code = try sign(base, for: space)
        let realm = space.realm.isEmpty ? [] : ["realm=\"\(space.realm.percentEncoded)\""]
        let parameters = (own + [("oauth_signature", code)]).sorted { $0.0 < $1.0 }
        return "OAuth "
            + (realm + parameters.map { "\($0.0)=\"\($0.1.percentEncoded)\"" }).joined(separator: ", ")
    }

    // MARK: The calculation

    /// §3.4.1
    static func baseString(
        for request: AuthenticationRequest, at space: ProtectionSpace, _ own: [(String, String)]
    ) -> String {
        let host = space.host.utf8.contains(UInt8(ascii: ":")) ? "[\(space.host)]" : space.host
        let isUsual = space.port == (space.scheme == "https" ? 443 : 80)
        let target = request.target[...]
        let path = target.prefix { $0 != "?" }
        var parameters = own.map { ($0.0.percentEncoded, $0.1.percentEncoded) }
        parameters += pairs(target.dropFirst(path.count).dropFirst())
        if request.isForm { parameters += pairs(String(decoding: request.content?() ?? [], as: UTF8.self)[...]) }
        let sorted = parameters.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { "\($0.0)=\($0.1)" }
        let address = "\(space.scheme)://\(host)\(isUsual ? "" : ":\(space.port)")\(path.isEmpty ? "/" : path)"
        return [request.method.uppercased(), address, sorted.joined(separator: "&")].map(\.percentEncoded)
            .joined(separator: "&")
    }

    /// §3.4.1.3.1: parsed as a form, and encoded again as the standard requires.
    private static func pairs(_ text: Substring) -> [(String, String)] {
        text.split(separator: "&").map { pair in
            let name = pair.prefix { $0 != "=" }
            return (decoded(name).percentEncoded, decoded(pair.dropFirst(name.count).dropFirst()).percentEncoded)
        }
    }

    private func sign(_ base: String, for space: ProtectionSpace) throws(AuthenticationError) -> String {
        let key = "\(secret.percentEncoded)&\(tokenSecret.percentEncoded)"
        let data = Array(base.utf8)
        switch signature {
        case .hmacSHA1:
            return Base64.encode(
                Array(HMAC<Insecure.SHA1>.authenticationCode(for: data, using: SymmetricKey(data: Array(key.utf8)))))
        case .hmacSHA256:
            return Base64.encode(
                Array(HMAC<SHA256>.authenticationCode(for: data, using: SymmetricKey(data: Array(key.utf8)))))
        case .rsaSHA1(let pem):
            do {
                let privateKey = try _RSA.Signing.PrivateKey(pemRepresentation: pem)
                let code = try privateKey.signature(
                    for: Insecure.SHA1.hash(data: data), padding: .insecurePKCS1v1_5)
                return Base64.encode(Array(code.rawRepresentation))
            } catch {
                throw .init(
                    .invalidCredentials, "The consumer's key for \(space) is not an RSA key in PEM.", space: space)
            }
        case .plaintext: return key
        }
    }

    private static func decoded(_ text: Substring) -> String {
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                result.append(value)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

extension OAuth1Consumer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "the consumer “\(key.printable)”" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["key": key], displayStyle: .struct) }
}

extension OAuth1Consumer.Signature: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { name }
    public var debugDescription: String { name }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

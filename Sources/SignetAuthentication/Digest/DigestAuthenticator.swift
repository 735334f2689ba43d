import Crypto

/// The server's side of the Digest scheme (RFC 7616), with `qop=auth`: writes the challenges, and reads what a client proves. The caller
/// knows the nonces and what is kept of the password.
package struct DigestAuthenticator: Sendable, Hashable {
    package typealias Presented = PresentedCredentials<DigestProof>

    package let realm: String
    /// The strongest first: clients take the first one that they know (§3.7).
    package let algorithms: [DigestAlgorithm]
    private let quotedRealm: Realm

    /// - Parameter algorithms: at least one.
    /// - Throws: ``AuthenticationError`` when the realm contains a control character, or there is no algorithm.
    package init(realm: String, algorithms: Set<DigestAlgorithm>) throws(AuthenticationError) {
        guard !algorithms.isEmpty else {
            throw .init(.malformedChallenge, "The Digest scheme needs an algorithm; name SHA-256.")
        }
        (self.realm, quotedRealm) = (realm, try Realm(realm))
        self.algorithms = algorithms.sorted(by: >)
    }

    /// The values of the `WWW-Authenticate` fields of a 401.
    ///
    /// - Parameter isStale: whether the client's proof is right, but for a nonce that cannot be used any more.
    package func challenges(nonce: String, isStale: Bool) -> [String] {
        algorithms.map { algorithm in
            "Digest realm=\(quotedRealm.quoted), qop=\"auth\", algorithm=\(algorithm.rawValue), nonce=\"\(nonce)\", charset=UTF-8"
                + (isStale ? ", stale=true" : "")
        }
    }

    /// Reads the lines of the `Authorization` field of a request.
    ///
    /// - Parameter target: of the request, as in its first line.
    package func read(_ lines: [String], method: String, target: String) -> Presented {
        Presented(lines, of: "Digest") { credentials in
            do throws(Unusable) { return .value(try read(credentials, method: method, target: target)) } catch {
                return .unusable(error.reason)
            }
        }
    }

    private struct Unusable: Error { let reason: String }

    private func read(
        _ credentials: Challenge, method: String, target: String
    ) throws(Unusable) -> DigestProof {
        guard credentials.token68 == nil else { throw Unusable(reason: "malformed credentials") }
        func value(_ name: String) throws(Unusable) -> String {
            guard let value = credentials[name] else {
                throw Unusable(reason: "credentials of Digest without \(name)")
            }
            return value
        }
        guard try value("realm") == realm else { throw Unusable(reason: "credentials for another realm") }
        // Without the parameter it is MD5 (§3.4).
        let name = (credentials["algorithm"] ?? "MD5").uppercased()
        guard let algorithm = algorithms.first(where: { $0.rawValue == name }) else {
            throw Unusable(reason: "another algorithm of Digest than the challenge’s")
        }
        guard try value("qop") == "auth" else { throw Unusable(reason: "another qop than auth") }
        let count = try value("nc")
        guard count.utf8.count == 8, count.utf8.allSatisfy(\.isHexadecimal), count.contains(where: { $0 != "0" }) else {
            throw Unusable(reason: "an nc that is not 8 hexadecimal digits above zero")
        }
        let cnonce = try value("cnonce")
        // It comes back in Authentication-Info.
        guard (1...1024).contains(cnonce.utf8.count) else {
            throw Unusable(reason: "an empty cnonce, or one of more than 1024 bytes")
        }
        let uri = try value("uri")
        guard Self.isSame(uri, target) else { throw Unusable(reason: "credentials for another request target") }
        let user =
            if credentials["username*"] == nil {
                try value("username")
            } else { try extended(try value("username*"), isAlone: credentials["username"] == nil) }
        guard credentials["userhash"].map({ $0.lowercased() == "false" }) ?? true else {
            throw Unusable(reason: "a hash of the user’s name, which the challenge does not ask for")
        }
        return DigestProof(
            user: user, algorithm: algorithm, nonce: try value("nonce"), count: count, cnonce: cnonce,
            response: try value("response").lowercased(), method: method, target: uri)
    }

    /// §3.4.6: the resource must be the same. Some clients name the whole URI.
    private static func isSame(_ uri: String, _ target: String) -> Bool {
        if uri.utf8.elementsEqual(target.utf8) { return true }
        for scheme in ["https://", "http://"] where uri.lowercased().hasPrefix(scheme) {
            let path = uri.unicodeScalars.dropFirst(scheme.count).drop { $0 != "/" && $0 != "?" }
            // Without a path it is “/” (RFC 9110 §4.2.3).
            return ((path.first == "/" ? "" : "/") + String(path)).utf8.elementsEqual(target.utf8)
        }
        return false
    }

    /// RFC 8187 §3.2.1, in UTF-8, as RFC 7616 §3.4 demands.
    private func extended(_ text: String, isAlone: Bool) throws(Unusable) -> String {
        let wrong = Unusable(reason: "a username* that is not UTF-8 by RFC 8187, or stands beside a username")
        let parts = text.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard isAlone, parts.count == 3, parts[0].uppercased() == "UTF-8" else { throw wrong }
        var bytes: [UInt8] = []
        var rest = parts[2].utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst()?.hexadecimalValue, let low = rest.popFirst()?.hexadecimalValue else {
                throw wrong
            }
            bytes.append(high << 4 | low)
        }
        guard let user = String(validating: bytes, as: UTF8.self) else { throw wrong }
        return user
    }
}

/// What a client proves with the Digest scheme (RFC 7616 §3.4).
package struct DigestProof: Sendable, Hashable {
    package let user: String
    package let algorithm: DigestAlgorithm
    package let nonce: String
    /// How often the client has used the nonce, in hexadecimal digits of either case.
    package let count: String
    fileprivate let cnonce: String
    fileprivate let response: String
    fileprivate let method: String
    fileprivate let target: String

    fileprivate init(
        user: String, algorithm: DigestAlgorithm, nonce: String, count: String, cnonce: String, response: String,
        method: String, target: String
    ) {
        (self.user, self.algorithm, self.nonce, self.count, self.cnonce) = (user, algorithm, nonce, count, cnonce)
        (self.response, self.method, self.target) = (response, method, target)
    }

    /// Names this use of the nonce by its user, in 32 bytes: a user cannot use up the nonce of another.
    package var use: [UInt8] {
        Array(SHA256.hash(data: Array("a use of Digest \(nonce) \(count.lowercased()) \(user)".utf8)))
    }

    /// Whether the client knows the password.
    ///
    /// - Parameter secret: H(A1) in hexadecimal digits.
    package func isRight(_ secret: String) -> Bool {
        ConstantTime.equal(response, calculation(secret).value(method: method, target: target))
    }

    /// The value of the `Authentication-Info` field, with which the server proves that it knows the password too (§3.5).
    ///
    /// - Parameters:
    ///   - secret: H(A1) in hexadecimal digits.
    ///   - next: the nonce for further requests; nil for the same one.
    package func information(_ secret: String, next: String?) -> String {
        let proof = calculation(secret).value(method: "", target: target)
        return "qop=auth, rspauth=\"\(proof)\", cnonce=\(cnonce.quotedString), nc=\(count)"
            + (next.map { ", nextnonce=\"\($0)\"" } ?? "")
    }

    private func calculation(_ secret: String) -> DigestResponse {
        DigestResponse(
            algorithm, secret: secret, nonce: nonce, protection: .auth, count: count, cnonce: cnonce)
    }
}

extension DigestProof: CustomStringConvertible, CustomReflectable {
    package var description: String { "a proof of “\(user.printable)”" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }

    fileprivate var isHexadecimal: Bool { hexadecimalValue != nil }
}

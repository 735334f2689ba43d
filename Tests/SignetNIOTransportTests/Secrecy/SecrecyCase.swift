import SignetAuthentication
import SignetSOAP
import SignetWSSecurity

/// Something that asks for a password, and what comes out of it.
struct SecrecyDemand: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case http(AuthenticationScheme)
        case message(UsernameTokenForm)
    }

    /// In the name of a host.
    let word: String
    let kind: Kind
    var challenge: [String] = []
    /// Whether its challenges have no `qop`.
    var isWithoutQop = false
    /// Whether the client can answer the challenge.
    var isUsable = true

    /// Whether what is sent shows the password itself.
    var showsPassword: Bool {
        switch kind {
        case .http(let scheme): scheme == .basic || scheme == .bearer
        case .message(let form): form == .text
        }
    }

    /// - Parameter isLong: with every hash function and every way to leave `qop` out.
    static func all(isLong: Bool) -> [SecrecyDemand] {
        var all = [
            SecrecyDemand(word: "basic", kind: .http(.basic), challenge: ["Basic realm=\"r\""]),
            SecrecyDemand(word: "bearer", kind: .http(.bearer), challenge: ["Bearer realm=\"r\""]),
            SecrecyDemand(word: "ntlm", kind: .http(.ntlm), challenge: ["NTLM"]),
            SecrecyDemand(word: "negotiate", kind: .http(.negotiate), challenge: ["Negotiate"]),
            SecrecyDemand(word: "none", kind: .message(.text)), SecrecyDemand(word: "none", kind: .message(.digest)),
        ]
        let algorithms =
            isLong ? ["", "MD5", "SHA-256", "SHA-512-256", "MD5-sess", "SHA-256-sess"] : ["", "SHA-256-sess"]
        let qops: [(String?, isThere: Bool, isUsable: Bool)] = [
            ("auth", true, true), (nil, false, true), ("", false, true), ("auth-int", true, true),
            ("auth-conf", true, false), (", ,", false, true), ("auth-conf,AUTH", true, true),
        ]
        for (number, algorithm) in algorithms.enumerated() {
            for (other, qop) in (isLong ? qops : Array(qops.prefix(5))).enumerated() {
                let field =
                    "Digest realm=\"r\", nonce=\"n\(number)\(other)\""
                    + (algorithm.isEmpty ? "" : ", algorithm=\(algorithm)") + (qop.0.map { ", qop=\"\($0)\"" } ?? "")
                all.append(
                    SecrecyDemand(
                        word: "digest\(number)\(other)", kind: .http(.digest), challenge: [field],
                        isWithoutQop: !qop.isThere, isUsable: qop.isUsable))
            }
        }
        return all
    }
}

/// One combination of the peer that asks, the scheme that it asks for, the route, and the permissions.
struct SecrecyCase: Sendable, CustomStringConvertible {
    enum Way: String, Sendable, CaseIterable { case direct, proxy, secureProxy }

    let number: Int
    let demand: SecrecyDemand
    /// Whether the proxy asks, and not the origin.
    let isOfProxy: Bool
    let isSecure: Bool
    /// Of the origin; nil for a name that is no loopback address.
    let loopback: String?
    let way: Way
    let allowsPlaintext: Bool
    let allowsWithoutQop: Bool
    /// What the other one, of origin and proxy, is allowed: everything or nothing.
    let isOtherOpen: Bool
    let isEarly: Bool

    /// What the promise says (the wording stands in the article HTTPAuthentication).
    var mayComeOut: Bool {
        let isEncrypted = isOfProxy ? way == .secureProxy : isSecure
        let isLocal = !isOfProxy && way == .direct && loopback != nil
        let mayTravel = isEncrypted || allowsPlaintext || (isLocal && !demand.showsPassword)
        return demand.isUsable && mayTravel && (!demand.isWithoutQop || allowsWithoutQop)
    }

    /// `c7-basic-none`
    var tag: String { "c\(number)-\(isOfProxy ? "none" : demand.word)-\(isOfProxy ? demand.word : "none")" }

    var description: String {
        "\(number): \(isOfProxy ? "proxy" : "origin") asks \(demand.challenge.first ?? "\(demand.kind)"), \(isSecure ? "https" : "http") \(loopback ?? "name"), \(way), plaintext \(allowsPlaintext), without qop \(allowsWithoutQop), other \(isOtherOpen), early \(isEarly)"
    }

    static func all(isLong: Bool) -> [SecrecyCase] {
        var all: [SecrecyCase] = []
        let hosts: [String?] = isLong ? [nil, "127.0.0.1", "localhost"] : [nil, "127.0.0.1"]
        for demand in SecrecyDemand.all(isLong: isLong) {
            for isOfProxy in [false, true] {
                for isSecure in [false, true] {
                    for way in Way.allCases {
                        for loopback in hosts {
                            for leave in 0..<16 {
                                let one = SecrecyCase(
                                    number: all.count, demand: demand, isOfProxy: isOfProxy, isSecure: isSecure,
                                    loopback: loopback, way: way, allowsPlaintext: leave & 1 != 0,
                                    allowsWithoutQop: leave & 2 != 0, isOtherOpen: leave & 4 != 0,
                                    isEarly: leave & 8 != 0)
                                if one.isMeaningful(isLong: isLong) { all.append(one) }
                            }
                        }
                    }
                }
            }
        }
        return all
    }

    private func isMeaningful(isLong: Bool) -> Bool {
        if isOfProxy {
            // A proxy is told a host only, and asks for nothing in messages.
            if way == .direct || loopback != nil { return false }
            if case .message = demand.kind { return false }
        }
        // TLS within TLS is not what is looked at here, and this server does not speak it.
        if way == .secureProxy, isSecure { return false }
        // Through a proxy, a tunnel names no case where the host does not.
        if isSecure, loopback != nil, way != .direct { return false }
        return isLong || (!isEarly || demand.word == "basic")
    }
}

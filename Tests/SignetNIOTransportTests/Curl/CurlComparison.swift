import Crypto
import Foundation
import SignetAuthentication

/// What Signet's client sends beside what curl sends.
///
/// Methods, targets and credentials are compared, and whether it all ends well. What is not:
///
/// - contents and their lengths: where curl knows that it will be asked again it holds them back; Signet does not;
/// - fields such as `User-Agent`, `Accept` and `Cookie`, the order of fields, and which connection a request goes over.
struct CurlComparison {
    let expected: [CurlRequest]
    /// Without those that the runner asked for.
    let actual: [CurlRequest]
    /// By user names.
    let passwords: [String: String]

    /// What curl sends, without those requests that only bring the content which it held back.
    static func expected(_ test: CurlCase) -> (requests: [CurlRequest], note: String?)? {
        guard let text = test.protocolText else { return nil }
        var requests: [CurlRequest] = []
        var note: String?
        for request in CurlRequest.all(in: text) {
            if let last = requests.last, last.value("Content-Length") == "0",
                last.authorization?.messageType == 1 || last.proxyAuthorization?.messageType == 1,
                last.isLike(request), request.authorization == nil, request.proxyAuthorization == nil
            {
                note = "curl held the content back at first; it was sent at once"
                continue
            }
            requests.append(request)
        }
        return (requests, note)
    }

    /// What curl sends, without the requests that only fetch a challenge for what the server has accepted before, and
    /// whether there were such. Signet remembers accepted credentials; curl does not when it may choose.
    var remembering: (requests: [CurlRequest], leavesOut: Bool) {
        var requests: [CurlRequest] = []
        for (index, request) in expected.enumerated() {
            let place = requests.count
            if request.authorization == nil, expected.indices.contains(index + 1), actual.indices.contains(place),
                let sent = actual[place].authorization, request.isLike(expected[index + 1]),
                expected[index + 1].authorization?.scheme == sent.scheme, request.isLike(actual[place]),
                actual[..<place].contains(where: { $0.authorization?.scheme == sent.scheme })
            {
                continue
            }
            requests.append(request)
        }
        return (requests, requests.count < expected.count)
    }

    /// In words; nothing where all is the same.
    var differences: [String] {
        let expected = remembering.requests
        var result: [String] = []
        if expected.count != actual.count {
            let list = actual.map { "\($0.method) \($0.target)" }.joined(separator: ", ")
            result.append("\(actual.count) requests in place of \(expected.count) (\(list))")
        }
        for (number, pair) in zip(expected, actual).enumerated() {
            let (expected, actual) = pair
            var here: [String] = []
            if expected.method != actual.method { here.append("the method is \(actual.method)") }
            if expected.target != actual.target { here.append("the target is \(actual.target)") }
            here += compare(expected.authorization, actual.authorization, actual.method)
            here += compare(expected.proxyAuthorization, actual.proxyAuthorization, actual.method).map {
                "for the proxy, \($0)"
            }
            result += here.map { "request \(number + 1): \($0)" }
        }
        return result
    }

    private func compare(_ expected: CurlAuthorization?, _ actual: CurlAuthorization?, _ method: String) -> [String] {
        guard let expected else { return actual.map { ["\($0.scheme) is sent, and nothing by curl"] } ?? [] }
        guard let actual else { return ["nothing is sent, and \(expected.scheme) by curl"] }
        guard expected.scheme == actual.scheme else {
            return ["\(actual.scheme) is sent, and \(expected.scheme) by curl"]
        }
        switch expected.scheme {
        case "digest": return compareDigest(expected.parameters, actual.parameters, method)
        case "negotiate": return []
        case "ntlm":
            guard expected.messageType == actual.messageType else {
                return ["NTLM's message has the type \(actual.messageType ?? 0)"]
            }
            return expected.account == actual.account ? [] : ["NTLM's account is “\(actual.account ?? "")”"]
        default: return expected.content == actual.content ? [] : ["\(expected.scheme) carries something else"]
        }
    }

    // MARK: Digest (RFC 7616 §3.4)

    private func compareDigest(_ expected: [String: String], _ actual: [String: String], _ method: String) -> [String] {
        var result: [String] = []
        for name in ["username", "username*", "realm", "nonce", "uri", "opaque", "qop", "nc", "userhash"]
        where expected[name] != actual[name] {
            result.append("Digest's \(name) is \(actual[name] ?? "absent") in place of \(expected[name] ?? "none")")
        }
        // None means MD5 (§3.3).
        let algorithm = (actual["algorithm"] ?? "MD5").uppercased()
        if algorithm != (expected["algorithm"] ?? "MD5").uppercased() { result.append("Digest is with \(algorithm)") }
        let given = actual["response"] ?? ""
        if result.isEmpty, actual["cnonce"] == nil, let other = expected["response"], other.allSatisfy(\.isHexDigit) {
            // Nothing in it is left to chance.
            if other != given { result.append("Digest's response differs") }
        } else if let right = response(to: actual, algorithm, method), right != given {
            result.append("Digest's response is wrong")
        }
        return result
    }

    /// Calculated anew; nil where this cannot be done here: without the user's name, for the content, with SHA-512/256.
    private func response(to parameters: [String: String], _ algorithm: String, _ method: String) -> String? {
        guard let user = parameters["username"], let password = passwords[user], parameters["qop"] != "auth-int",
            let realm = parameters["realm"], let nonce = parameters["nonce"], let uri = parameters["uri"]
        else { return nil }
        let hash: (String) -> String
        switch algorithm {
        case "MD5", "MD5-SESS": hash = { Self.digits(Insecure.MD5.hash(data: Data($0.utf8))) }
        case "SHA-256", "SHA-256-SESS": hash = { Self.digits(SHA256.hash(data: Data($0.utf8))) }
        default: return nil
        }
        var secret = hash("\(user):\(realm):\(password)")
        if algorithm.hasSuffix("-SESS") { secret = hash("\(secret):\(nonce):\(parameters["cnonce"] ?? "")") }
        let about = hash("\(method):\(uri)")
        guard let qop = parameters["qop"] else { return hash("\(secret):\(nonce):\(about)") }
        return hash("\(secret):\(nonce):\(parameters["nc"] ?? ""):\(parameters["cnonce"] ?? ""):\(qop):\(about)")
    }

    private static func digits(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension CurlPlayer.End {
    /// What is wrong with it, by the codes that curl ends with; nil for nothing.
    ///
    /// - Parameter status: of the last answer. A challenge that cannot be answered is an error for Signet, and not for
    ///   curl.
    func difference(from codes: [Int], failsOnError: Bool, status: Int?) -> String? {
        let isRefused = status == 401 || status == 407
        let code: Int
        switch self {
        case .answered(let status) where failsOnError && status >= 400: code = 22
        case .answered: code = 0
        case .failed(let error) where error is AuthenticationError && isRefused: code = failsOnError ? 22 : 0
        case .failed(let error):
            let isExpected = !codes.allSatisfy { $0 == 0 || $0 == 22 }
            return isExpected ? nil : "the call failed: \(error)"
        }
        let expected = codes.isEmpty ? [0] : codes
        // Which failure it is cannot be compared; whether it is one can.
        return expected.contains(code)
            ? nil : "the call ended with \(code == 0 ? "an answer" : "an error status"), curl with \(expected)"
    }
}

import Foundation

/// What the test server of curl's suite answers (FILEFORMAT.md, `<dataNUM>`). A value without I/O.
struct CurlReplies: Sendable {
    struct Answer: Sendable {
        let bytes: [UInt8]
        let closes: Bool
        /// The section that is not there, if one had to be.
        var missing: String?
    }

    private let test: CurlCase
    private let isClosing: Bool
    /// The part that was sent last, if it says that its successor comes next whatever is asked for.
    private var bouncing: Int?
    /// The part of the last answer to Negotiate.
    private var negotiated: Int?

    init(_ test: CurlCase) {
        self.test = test
        isClosing = test.values("reply/servercmd").contains("swsclose")
    }

    mutating func answer(to request: CurlRequest) -> Answer {
        var number = part(of: request)
        if let last = bouncing { number = last + 1 }
        bouncing = nil
        let kind = request.method == "CONNECT" ? "connect" : "data"
        let name = number == 0 ? kind : "\(kind)\(number)"
        guard let section = test.sections["reply/\(name)"] else {
            return Answer(bytes: [], closes: true, missing: name)
        }
        let text = String(latin1: section.bytes)
        if text.contains("swsbounce") { bouncing = number }
        let isLast = request.value("Connection")?.lowercased() == "close"
        let closes = text.contains("swsclose") || text.isEmpty || isClosing || isLast
        return Answer(bytes: Self.modern(Self.terminated(section.bytes, closes: closes)), closes: closes)
    }

    // MARK: Which part

    private mutating func part(of request: CurlRequest) -> Int {
        var number = asked(for: request)
        let credentials = [request.value("Authorization"), request.value("Proxy-Authorization")].compactMap { $0 }
        func has(_ start: String) -> Bool {
            credentials.contains { $0.lowercased().hasPrefix(start.lowercased()) }
        }
        if has("Negotiate") {
            negotiated = (negotiated ?? number) + 1
            return negotiated ?? number
        }
        let messages = credentials.map { CurlAuthorization($0) }.compactMap(\.messageType)
        if has("Digest ") {
            number += 1000
        } else if messages.contains(3) {
            number += 1002
        } else if messages.contains(1) {
            number += 1001
        } else if number >= 1000, has("Basic ") {
            number += 1
        }
        return number
    }

    /// What stands behind the number of the case: at the end of the path, or of the host's name.
    private func asked(for request: CurlRequest) -> Int {
        let target = request.target
        let afterSlash = target.lastIndex(of: "/").map { target[target.index(after: $0)...] }
        let afterDot = target.lastIndex(of: ".").map { target[target.index(after: $0)...] }
        for text in [afterSlash, afterDot].compactMap({ $0 }) {
            guard let number = Int(text.prefix { $0.isASCII && $0.isNumber }), number > 0 else { continue }
            return number > 10_000 && number / 10_000 == test.number ? number % 10_000 : 0
        }
        return 0
    }

    // MARK: What is sent

    /// Ends the lines of heads with CR LF where the case has LF alone, which curl reads and Signet refuses (RFC 9112
    /// §2.2).
    ///
    /// - Parameter closes: whether the connection is closed after the answer, which a field then announces, so that the
    ///   client does not find out too late.
    static func terminated(_ bytes: [UInt8], closes: Bool) -> [UInt8] {
        let newline = UInt8(ascii: "\n")
        let end = [UInt8(ascii: "\r"), newline]
        var result: [UInt8] = []
        var rest = bytes[...]
        while rest.starts(with: Array("HTTP/".utf8)), rest.contains(newline) {
            let isInterim = rest.dropFirst(9).first == UInt8(ascii: "1")
            var isFirst = true
            while let place = rest.firstIndex(of: newline) {
                var line = Array(rest[..<place])
                rest = rest[(place + 1)...]
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                result += line + end
                if line.isEmpty { break }
                if isFirst, closes, !isInterim { result += Array("Connection: close".utf8) + end }
                isFirst = false
            }
            guard isInterim else { break }
        }
        return result + rest
    }

    /// Puts a challenge of NTLM version 2 where the case has one that leaves version 1 only, which is not spoken.
    static func modern(_ bytes: [UInt8]) -> [UInt8] {
        let text = String(latin1: bytes)
        guard text.contains("TlRMTVNTUAAC") else { return bytes }
        return text.replacing(#/TlRMTVNTUAAC[A-Za-z0-9+/=]*/#) { match -> String in
            let word = String(match.output)
            guard let data = Data(base64Encoded: word) else { return word }
            return Data(modernChallenge(Array(data))).base64EncodedString()
        }.latin1
    }

    private static func modernChallenge(_ old: [UInt8]) -> [UInt8] {
        // Unicode and target information (MS-NLMP §2.2.2.5).
        let (unicode, information): (UInt8, UInt8) = (0x01, 0x80)
        guard old.count >= 32, old[20] & unicode == 0 || old[22] & information == 0 else { return old }
        let domain: [UInt8] = [2, 0, 4, 0, 0x43, 0, 0x43, 0]
        let end: [UInt8] = [0, 0, 0, 0]
        var flags = Array(old[20..<24])
        flags[0] = flags[0] & ~0x02 | unicode
        flags[2] |= information
        let pairs = domain + end
        let length = [UInt8(pairs.count), 0]
        var message = Array(old[..<12])
        // No name of a target; the target information stands behind the head of 48 bytes.
        message += [0, 0, 0, 0, 48, 0, 0, 0]
        message += flags
        message += old[24..<32]
        message += [UInt8](repeating: 0, count: 8)
        message += length + length + [48, 0, 0, 0]
        return message + pairs
    }
}

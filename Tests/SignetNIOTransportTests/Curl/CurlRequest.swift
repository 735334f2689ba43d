import Foundation

/// The head of a request, as a client sent it or a case expects it.
struct CurlRequest: Sendable {
    let method: String
    let target: String
    private(set) var fields: [(name: String, value: String)] = []

    /// - Parameter line: a request line; what stands before a usual method is the end of the content of another
    ///   request.
    private init?(line: String) {
        guard
            let match = line.firstMatch(
                of: #/(^[A-Z]+|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT) ([^ ]+) HTTP/[0-9.]+$/#)
        else { return nil }
        method = String(match.output.1)
        target = String(match.output.2)
    }

    /// The requests in what went over one connection or several. Contents are left out.
    static func all(in bytes: [UInt8]) -> [CurlRequest] {
        var requests: [CurlRequest] = []
        var current: CurlRequest?
        for piece in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            var line = String(latin1: piece)
            if line.hasSuffix("\r") { line.removeLast() }
            if current == nil {
                current = CurlRequest(line: line)
            } else if line.isEmpty {
                if let current { requests.append(current) }
                current = nil
            } else if let colon = line.firstIndex(of: ":") {
                let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                current?.fields.append((name: String(line[..<colon]), value: value))
            }
        }
        if let current { requests.append(current) }
        return requests
    }

    /// The value of a field; nil where there is none.
    func value(_ name: String) -> String? {
        fields.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Whether both ask for the same.
    func isLike(_ other: CurlRequest) -> Bool { method == other.method && target == other.target }

    var authorization: CurlAuthorization? { value("Authorization").map { CurlAuthorization($0) } }
    var proxyAuthorization: CurlAuthorization? { value("Proxy-Authorization").map { CurlAuthorization($0) } }
}

/// The value of a field with credentials, read without the help of the library.
struct CurlAuthorization: Sendable {
    /// In small letters.
    let scheme: String
    /// What stands behind the scheme.
    let content: String

    init(_ value: String) {
        scheme = value.prefix { $0 != " " }.lowercased()
        content = value.drop { $0 != " " }.trimmingCharacters(in: .whitespaces)
    }

    /// Names in small letters, values without quotation marks and backslashes.
    var parameters: [String: String] {
        var result: [String: String] = [:]
        var rest = content.unicodeScalars[...]
        while let equals = rest.firstIndex(of: "=") {
            let name = String(rest[..<equals]).trimmingCharacters(in: CharacterSet(charactersIn: ", \t"))
            rest = rest[rest.index(after: equals)...]
            result[name.lowercased()] = Self.value(&rest)
        }
        return result
    }

    private static func value(_ rest: inout Substring.UnicodeScalarView) -> String {
        guard rest.first == "\"" else {
            let value = rest.prefix { $0 != "," }
            rest = rest[value.endIndex...]
            return String(value).trimmingCharacters(in: .whitespaces)
        }
        rest = rest.dropFirst()
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != "\"" {
            if scalar == "\\", let next = rest.popFirst() { value.append(next) } else { value.append(scalar) }
        }
        return String(value)
    }

    // MARK: NTLM

    private var message: [UInt8]? {
        guard scheme == "ntlm", let data = Data(base64Encoded: content), data.starts(with: Array("NTLMSSP\0".utf8))
        else { return nil }
        return Array(data)
    }

    /// 1, 2 or 3 (MS-NLMP §2.2.1); nil for what is no message of NTLM.
    var messageType: Int? { message.flatMap { Self.number($0, at: 8, of: 4) } }

    /// The account that logs in with a message of type 3: `domain\user`.
    var account: String? {
        guard let message, messageType == 3, let flags = Self.number(message, at: 60, of: 4) else { return nil }
        let texts = [28, 36].map { place -> String in
            guard let length = Self.number(message, at: place, of: 2),
                let offset = Self.number(message, at: place + 4, of: 4), offset <= message.count,
                length <= message.count - offset
            else { return "?" }
            let bytes = message[offset..<offset + length]
            guard flags & 1 == 1 else { return String(latin1: bytes) }
            return String(bytes: bytes, encoding: .utf16LittleEndian) ?? "?"
        }
        return texts.joined(separator: "\\")
    }

    private static func number(_ bytes: [UInt8], at place: Int, of count: Int) -> Int? {
        guard place + count <= bytes.count else { return nil }
        return bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

import Foundation

/// A test case of curl's own suite, in the form that its FILEFORMAT.md describes.
struct CurlCase: Sendable {
    /// What stands between two tags.
    struct Section: Sendable {
        let attributes: [String: String]
        /// As a server sends it, or a client.
        let bytes: [UInt8]
        /// As it stands in the file, macros replaced, without ends of lines.
        let lines: [String]
    }

    let number: Int
    /// By their place, such as `reply/data1000`.
    let sections: [String: Section]

    init(number: Int, source: [UInt8], variables: [String: String], features: Set<String>) {
        self.number = number
        var variables = variables
        variables["TESTNUMBER"] = String(number)
        let lines = CurlSource(variables: variables, features: features).lines(source)
        sections = Self.sections(of: lines)
    }

    var name: String { values("client/name").first ?? "" }
    var command: String { values("client/command").joined(separator: " ") }
    var servers: [String] { values("client/server").map { String($0.prefix { $0 != " " }) } }
    var features: [String] { values("client/features") }
    /// The requests that curl sends; nil where the case says nothing about them.
    var protocolText: [UInt8]? { sections["verify/protocol"]?.bytes }
    /// The codes one of which curl ends with; nothing means 0.
    var errorCodes: [Int] {
        values("verify/errorcode").flatMap { $0.split(separator: ",") }.compactMap {
            Int($0.trimmingCharacters(in: .whitespaces))
        }
    }
    /// The environment of the command.
    var environment: [String: String] {
        var result: [String: String] = [:]
        for line in values("client/setenv") {
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, let name = parts.first, let value = parts.last { result[String(name)] = String(value) }
        }
        return result
    }
    /// All answers of the server, whichever are given.
    var replies: [(name: String, section: Section)] {
        sections.filter { $0.key.hasPrefix("reply/data") || $0.key.hasPrefix("reply/connect") }
            .filter { !$0.key.hasPrefix("reply/datacheck") }
            .map { (name: String($0.key.dropFirst("reply/".count)), section: $0.value) }
    }

    /// A file that the command reads; nil where the case makes none of that name.
    func file(_ name: String) -> [UInt8]? {
        ["", "1", "2", "3", "4"].lazy.compactMap { self.sections["client/file\($0)"] }.first {
            $0.attributes["name"] == name
        }?.bytes
    }

    /// The lines of a section that say something.
    func values(_ place: String) -> [String] {
        (sections[place]?.lines ?? []).map { $0.trimmingCharacters(in: .whitespaces) }.filter {
            !$0.isEmpty && !$0.hasPrefix("#")
        }
    }

    // MARK: Reading

    private static func sections(of lines: [String]) -> [String: Section] {
        var result: [String: Section] = [:]
        var main: String?
        var open: (name: String, attributes: [String: String], lines: [String])?
        var isComment = false
        for line in lines {
            let text = line.trimmingCharacters(in: .whitespaces)
            if let part = open {
                if text == "</\(part.name)>" {
                    result["\(main ?? "")/\(part.name)"] = section(part.attributes, part.lines)
                    open = nil
                } else {
                    open?.lines.append(line)
                }
                continue
            }
            if isComment || text.hasPrefix("<!--") {
                isComment = !text.contains("-->")
                continue
            }
            guard let tag = Tag(text), tag.name != "testcase" else { continue }
            if tag.isEnd {
                main = nil
            } else if main == nil {
                main = tag.name
            } else {
                open = (tag.name, tag.attributes, [])
            }
        }
        return result
    }

    private struct Tag {
        let name: String
        let attributes: [String: String]
        let isEnd: Bool

        init?(_ text: String) {
            guard let match = text.wholeMatch(of: #/<(/?)([A-Za-z][A-Za-z0-9]*)([^>]*)>/#) else { return nil }
            isEnd = !match.output.1.isEmpty
            name = String(match.output.2)
            var found: [String: String] = [:]
            for attribute in match.output.3.matches(of: #/([A-Za-z0-9_-]+)="([^"]*)"/#) {
                found[String(attribute.output.1)] = String(attribute.output.2)
            }
            attributes = found
        }
    }

    private static func section(_ attributes: [String: String], _ lines: [String]) -> Section {
        var bytes: [UInt8] = []
        var followsHead = false
        for line in lines {
            var line = line
            let isHead: Bool =
                switch attributes["crlf"] {
                case "yes": true
                case "headers": isHeadLine(line) || line.isEmpty && followsHead
                default: false
                }
            if isHead, !line.hasSuffix("\r") { line += "\r" }
            followsHead = isHead && line != "\r"
            bytes += line.latin1 + [UInt8(ascii: "\n")]
        }
        if attributes["nonewline"] == "yes" {
            for end in [UInt8(ascii: "\n"), UInt8(ascii: "\r")] where bytes.last == end { bytes.removeLast() }
        }
        if attributes["base64"] == "yes" {
            bytes = Data(base64Encoded: Data(bytes), options: .ignoreUnknownCharacters).map { Array($0) } ?? []
        }
        return Section(attributes: attributes, bytes: bytes, lines: lines)
    }

    /// What `crlf="headers"` takes for a line of a head.
    private static func isHeadLine(_ line: String) -> Bool {
        line.firstMatch(of: #/^HTTP/(1\.1|1\.0|2|3) [1-5]/#) != nil
            || line.wholeMatch(of: #/[A-Z]+ [^ ]+ HTTP/[0-9]+(\.[0-9]+)?/#) != nil
            || line.firstMatch(of: #/^[A-Za-z0-9_-]+: /#) != nil
            || line.wholeMatch(of: #/[A-Za-z0-9_-]+:/#) != nil
    }
}

#if CommandLine
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A file of logins in the format of ftp: `machine`, `login`, `password`, `default`, and macros, which Signet skips.
struct Netrc: Sendable {
    struct Login: Sendable, Hashable {
        var user: String
        var password: String
    }

    private struct Entry {
        /// Nil for the default.
        let machine: String?
        var user: String?
        var password: String?
        let line: Int
    }

    private let name: String
    private static let maximumBytes = 1 << 20
    private let entries: [Entry]

    /// `~/.netrc`, or the file that the variable `NETRC` names.
    static func usualFile(_ environment: [String: String]) throws(CommandError) -> String {
        if let named = environment["NETRC"], !named.isEmpty { return named }
        guard let home = environment["HOME"], !home.isEmpty else {
            throw CommandError("The environment has no variable HOME; name the file with --netrc-file.")
        }
        return "\(home)/.netrc"
    }

    /// - Throws: ``CommandError`` for a file that other users may read.
    init(file: String) throws {
        var status = stat()
        if stat(file, &status) == 0, status.st_mode & 0o077 != 0 {
            throw CommandError(
                "“\(file)” holds passwords and can be reached by others (mode \(String(status.st_mode & 0o777, radix: 8))). Change that: chmod 600."
            )
        }
        try self.init(
            text: try BoundedFile.readText(file, name: "The file “\(file)”", maximumBytes: Self.maximumBytes), file)
    }

    init(text: String, _ name: String) throws(CommandError) {
        var entries: [Entry] = []
        var words = NetrcWords(text)
        func value(of keyword: String) throws(CommandError) -> String {
            guard let value = words.next() else {
                throw CommandError("“\(name)” ends behind “\(keyword)” in line \(words.line).")
            }
            return value
        }
        while let word = words.next() {
            switch word {
            case "machine": entries.append(Entry(machine: try value(of: word), line: words.line))
            case "default": entries.append(Entry(machine: nil, line: words.line))
            case "login", "password", "account":
                let value = try value(of: word)
                guard let last = entries.indices.last else {
                    throw CommandError("“\(name)”, line \(words.line): “\(word)” stands before any machine.")
                }
                if word == "login" { entries[last].user = value }
                if word == "password" { entries[last].password = value }
            case "macdef": words.skipMacro()
            default:
                // The error does not repeat the word, which may be half of a password.
                throw CommandError("“\(name)”, line \(words.line): a word that is no keyword of this file.")
            }
        }
        self.entries = entries
        self.name = name
    }

    /// The first entry for a host, or else the default. An incomplete entry is an error; no other entry replaces it.
    ///
    /// - Throws: ``CommandError`` for an entry without a login or a password.
    func login(host: String) throws(CommandError) -> Login? {
        let host = host.lowercased()
        let own = entries.filter { $0.machine?.lowercased() == host }
        let candidates = own.isEmpty ? entries.filter { $0.machine == nil } : own
        for entry in candidates {
            if let user = entry.user, let password = entry.password { return Login(user: user, password: password) }
        }
        guard let entry = candidates.first else { return nil }
        let lack = entry.user == nil ? "login" : "password"
        throw CommandError(
            "“\(name)”, line \(entry.line): \(entry.machine.map { "the machine \($0)" } ?? "the default") has no \(lack). Put it there, or give the user with --user."
        )
    }
}

/// Words separated by white space; quotes enclose spaces, a backslash escapes the next character, `#` begins a comment.
private struct NetrcWords {
    private var rest: Substring.UnicodeScalarView
    private(set) var line = 1

    init(_ text: String) { rest = text.unicodeScalars[...] }

    mutating func next() -> String? {
        while let first = rest.first, first.properties.isWhitespace || first == "#" {
            if first == "#" { while let next = rest.first, next != "\n" { rest.removeFirst() } } else { take() }
        }
        guard let first = rest.first else { return nil }
        let isQuoted = first == "\""
        if isQuoted { take() }
        var word = String.UnicodeScalarView()
        while let scalar = rest.first, isQuoted ? scalar != "\"" : !scalar.properties.isWhitespace {
            take()
            if scalar == "\\", let escaped = rest.first {
                take()
                word.append(escaped)
            } else {
                word.append(scalar)
            }
        }
        if isQuoted { take() }
        return String(word)
    }

    /// A macro ends with an empty line.
    mutating func skipMacro() {
        var isEmpty = false
        while let scalar = rest.first {
            take()
            if scalar == "\n" {
                if isEmpty { return }
                isEmpty = true
            } else if !scalar.properties.isWhitespace {
                isEmpty = false
            }
        }
    }

    private mutating func take() {
        guard let scalar = rest.popFirst() else { return }
        if scalar == "\n" { line += 1 }
    }
}
#endif

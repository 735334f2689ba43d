import Foundation
import SignetAuthentication

/// What keeps a case from being played, in words.
struct NotApplicable: Error, Hashable {
    let reason: String

    init(_ reason: String) { self.reason = reason }
}

/// Some addresses, and how they are to be called: a command without `--next` has one of these.
struct CurlOperation: Sendable {
    /// The credentials for one of the two peers that may ask for some: the proxy or the origin.
    struct Login: Sendable {
        var user: String?
        var password = ""
        var token: String?
        var schemes: Set<AuthenticationScheme> = []
        var isAny = false
    }

    var urls: [String] = []
    var login = Login()
    var proxy: String?
    var proxyLogin = Login()
    var exceptions = ""
    var tunnels = false
    var method: String?
    var fields: [(name: String, value: String)] = []
    /// The parts of `-d`, a multipart form or an upload: what it holds is not compared.
    var body: [UInt8]?
    var contentType: String?
    /// A file whose name ends an address that has none.
    var upload: String?
    var putsBodyIntoQuery = false
    var asksForHead = false
    var follows = false
    var maximumRedirects = 50
    var failsOnError = false

    /// What is sent.
    var effectiveMethod: String {
        if let method { return method }
        if asksForHead { return "HEAD" }
        if upload != nil { return "PUT" }
        return body == nil || putsBodyIntoQuery ? "GET" : "POST"
    }
}

/// A command line of curl's.
struct CurlCommand: Sendable {
    let operations: [CurlOperation]

    /// - Parameter file: the content of a file that the case makes.
    /// - Throws: ``NotApplicable`` for the first option that there is nothing for.
    init(_ line: String, file: (String) -> [UInt8]?) throws {
        var operations = [CurlOperation()]
        var words = try Self.words(line)[...]
        while let word = words.popFirst() {
            if word == "--next" || word == "-:" {
                operations.append(CurlOperation())
                continue
            }
            guard word.hasPrefix("-"), word != "-" else {
                operations[operations.count - 1].urls.append(word)
                continue
            }
            let option = CurlOption.split(word)
            for (index, name) in option.names.enumerated() {
                var takesAttached = false
                try CurlOption.apply(name, to: &operations[operations.count - 1], file: file) {
                    // What is attached to a letter is its argument.
                    if let value = option.value { return value }
                    takesAttached = true
                    let attached = option.names[(index + 1)...].map { $0.dropFirst() }.joined()
                    if !attached.isEmpty { return attached }
                    guard let next = words.popFirst() else { throw NotApplicable("\(name) has no argument") }
                    return next
                }
                if takesAttached { break }
            }
        }
        self.operations = operations.filter { !$0.urls.isEmpty }
        guard !self.operations.isEmpty else { throw NotApplicable("the command names no address") }
    }

    /// As a shell splits it, without variables.
    static func words(_ line: String) throws -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var rest = line[...]
        while let character = rest.popFirst() {
            switch (character, quote) {
            case ("\\", nil), ("\\", .some("\"")):
                guard let next = rest.popFirst() else { throw NotApplicable("the command ends with a backslash") }
                let isKept = quote == "\"" && !"\\\"$`".contains(next)
                word = (word ?? "") + (isKept ? "\\" : "") + String(next)
            case ("'", nil), ("\"", nil):
                quote = character
                word = word ?? ""
            case (_, .some(let open)) where open == character:
                quote = nil
            case (" ", nil), ("\t", nil):
                if let finished = word { words.append(finished) }
                word = nil
            case ("|", nil), (";", nil), (">", nil), ("<", nil):
                throw NotApplicable("the command is a script")
            default:
                word = (word ?? "") + String(character)
            }
        }
        if quote != nil { throw NotApplicable("the command has a quotation mark without another") }
        if let word { words.append(word) }
        return words
    }
}

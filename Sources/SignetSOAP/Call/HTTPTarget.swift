/// The path of an address, followed by the location of an operation (WSDL 1.1 §4.4).
struct HTTPTarget: CustomStringConvertible {
    private let operation: String
    /// The address's path, without a slash at its end.
    private let base: String
    /// The location's path, without a slash at its beginning.
    private let location: String
    /// The queries of the address and the location.
    private let addressQuery: String?
    private let locationQuery: String?

    /// - Parameter path: the path of the address.
    /// - Throws: `TransportError` when the location cannot stand in a URL, or leads out of the address's path.
    init(_ path: String, _ location: String, of operation: String) throws(TransportError) {
        self.operation = operation
        let isPlain = location.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"#<>\\^`{|}".utf8.contains($0) }
        let (own, locationQuery) = Self.split(location)
        guard isPlain, Self.segments(own).allSatisfy({ !Self.leads($0) }) else {
            throw TransportError(
                .invalidRequest,
                "The location of \(operation) is not a path below the address of its port: correct it in the WSDL.")
        }
        let (base, addressQuery) = Self.split(path)
        self.location = String(own.drop { $0 == "/" })
        self.locationQuery = locationQuery
        self.addressQuery = addressQuery
        var whole = Substring(base)
        while whole.last == "/" { whole.removeLast() }
        // Without a location the address is kept as it is.
        self.base = self.location.isEmpty ? base : "\(whole)/"
    }

    var description: String { adding("") }

    /// The target with parameters added after its own.
    func adding(_ parameters: String) -> String { url(location, locationQuery, parameters) }

    /// The target with the values of parts in place of their names in parentheses (WSDL 1.1 §4.6).
    ///
    /// - Throws: `ServiceError` when a part does not have exactly one place and one value, or when a value would change
    ///   the rest of the path.
    func replacing(_ parts: [HTTPPart]) throws(ServiceError) -> String {
        var values: [String: String] = [:]
        for part in parts {
            guard values.updateValue(part.value, forKey: part.name) == nil else {
                throw refusal("the part ‘\(part.name)’ has several values, and one place in the path")
            }
        }
        var used: Set<String> = []
        var segments: [String] = []
        for segment in Self.segments(location) {
            let (text, plain, names) = Self.replacing(segment, values)
            if let name = names.first {
                guard !plain.isEmpty else {
                    throw refusal("the part ‘\(name)’ is empty, and a part of the path must not be")
                }
                // Servers decode dots and slashes before they resolve the path.
                guard !Self.leads(plain) else {
                    throw refusal("the part ‘\(name)’ stands in the path, and its value would lead out of it")
                }
            }
            used.formUnion(names)
            segments.append(text)
        }
        let query = locationQuery.map { Self.replacing($0, values) }
        used.formUnion(query?.names ?? [])
        guard used.count == values.count else {
            let lost = values.keys.filter { !used.contains($0) }.sorted().first ?? ""
            throw refusal("the part ‘\(lost)’ has no place in the location")
        }
        return url(segments.joined(separator: "/"), query?.text, "")
    }

    private func refusal(_ reason: String) -> ServiceError {
        ServiceError(.unwritableInput, "The input of \(operation) cannot be sent: \(reason).")
    }

    private func url(_ location: String, _ locationQuery: String?, _ parameters: String) -> String {
        let queries = [addressQuery, locationQuery, parameters].compactMap { $0 }.filter { !$0.isEmpty }
        return base + location + (queries.isEmpty ? "" : "?" + queries.joined(separator: "&"))
    }

    /// Replaces names by values, once, from left to right.
    ///
    /// - Returns: the text for the URL, its decoded text as a server reads it, and the names that were found.
    private static func replacing(
        _ text: String, _ values: [String: String]
    ) -> (text: String, plain: String, names: [String]) {
        var result = (text: "", plain: "", names: [String]())
        var rest = Substring(text)
        while let open = rest.firstIndex(of: "(") {
            let inside = rest[rest.index(after: open)...]
            guard let close = inside.firstIndex(of: ")"), let value = values[String(inside[..<close])] else {
                result.text += rest[...open]
                result.plain += rest[...open]
                rest = inside
                continue
            }
            result.text += rest[..<open] + FormEncoding.segment(value)
            result.plain += rest[..<open] + value
            result.names.append(String(inside[..<close]))
            rest = inside[inside.index(after: close)...]
        }
        result.text += rest
        result.plain += rest
        return result
    }

    // MARK: Paths

    private static func split(_ path: String) -> (path: String, query: String?) {
        guard let mark = path.firstIndex(of: "?") else { return (path, nil) }
        return (String(path[..<mark]), String(path[path.index(after: mark)...]))
    }

    private static func segments(_ path: String) -> [String] {
        path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    }

    /// Whether a server may read `.` or `..` in a segment, once it is decoded.
    private static func leads(_ segment: String) -> Bool {
        let plain = segment.lowercased().replacing("%2e", with: ".").replacing("%2f", with: "/").replacing(
            "%5c", with: "/")
        return plain.split { $0 == "/" || $0 == "\\" }.contains { $0 == "." || $0 == ".." }
    }
}

package import HTTPTypes

extension HTTPField {
    /// Fields that frame a message or control the connection, by their canonical names.
    package static let framing: Set<String> = [
        "connection", "content-length", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade",
    ]
    /// The fields of a request that only the transport may set, including those that name the target. They are grouped
    /// by the length of their names, which rules out most other names without a comparison.
    private static let reserved = Dictionary(
        grouping: framing.union(["expect", "host", "proxy-authorization"]), by: \.utf8.count)

    /// Checks that a program may send this field.
    ///
    /// - Throws: ``TransportError`` with the code `invalidRequest` for a field that the transport sets, and for a value
    ///   with a control character. The error does not repeat the value, which may be a secret.
    package func checkSendable() throws(TransportError) {
        guard Self.reserved[name.canonicalName.utf8.count]?.contains(name.canonicalName) != true else {
            throw .invalid("the field \(name.rawName) is set by the transport")
        }
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw .invalid("the field \(name.rawName) holds a control character")
        }
    }
}

extension TransportError {
    /// The error for a request that no transport can send; `what` is the reason.
    package static func invalid(_ what: String) -> TransportError {
        .init(.invalidRequest, "The request cannot be sent: \(what).")
    }
}

extension HTTPFields {
    /// The value of a field, as the subscript returns it, but without building the subscript's index.
    package func value(of name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name == name {
            if found != nil { return self[name] }
            found = field.value
        }
        return found
    }
}

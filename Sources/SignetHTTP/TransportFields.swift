package import HTTPTypes

extension HTTPField {
    /// Fields that say how a message is framed, or what becomes of the connection, by their canonical names.
    package static let framing: Set<String> = [
        "connection", "content-length", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade",
    ]
    /// The fields of a request that are the transport's: also those that say where it goes. By the length of their names, which tells
    /// most others apart without a look at them.
    private static let reserved = Dictionary(
        grouping: framing.union(["expect", "host", "proxy-authorization"]), by: \.utf8.count)

    /// Makes sure that a program may send this field.
    ///
    /// - Throws: ``TransportError`` with the code `invalidRequest` for a field that the transport sets, and for a
    ///   value with a control character. The value is not repeated: it may be a secret.
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
    /// A request that no transport can send, for the reason that `what` gives.
    package static func invalid(_ what: String) -> TransportError {
        .init(.invalidRequest, "The request cannot be sent: \(what).")
    }
}

extension HTTPFields {
    /// The value of a field as the subscript gives it, without the index that this makes first.
    package func value(of name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name == name {
            if found != nil { return self[name] }
            found = field.value
        }
        return found
    }
}

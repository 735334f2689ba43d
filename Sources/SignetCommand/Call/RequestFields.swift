#if CommandLine
import Foundation
import HTTPTypes
import SignetXML

/// The HTTP fields that `--header` and `--header-file` give.
enum RequestFields {
    /// Fields that Signet writes itself, consistent with the message.
    private static let own: Set<String> = [
        "accept", "connection", "content-length", "content-type", "expect", "host", "soapaction", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]
    /// The largest file of fields read, in bytes.
    private static let maximumBytes = 64 << 10

    /// Reads a field in the form `Name: value` (RFC 9110 §5).
    static func field(_ line: some StringProtocol) throws(CommandError) -> HTTPField {
        guard let colon = line.firstIndex(of: ":") else {
            // The text may be a secret whose field name the user forgot, so the error does not repeat it.
            throw CommandError("a field is written “Name: value”, and this one has no colon.")
        }
        guard let name = HTTPField.Name(String(line[..<colon])) else {
            throw CommandError("“\(line[..<colon])” is not the name of a field (RFC 9110 §5.1).")
        }
        guard !own.contains(name.canonicalName) else {
            throw CommandError("“\(name)” is written by signet itself, in agreement with the message.")
        }
        // White space around a value does not belong to it.
        var value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        while value.last == " " || value.last == "\t" { value.removeLast() }
        let text = String(value)
        guard HTTPField.isValidValue(text) else {
            throw CommandError("the value of “\(name)” holds a character that no field may have (RFC 9110 §5.5).")
        }
        return HTTPField(name: name, value: text)
    }

    /// Reads a field from an argument. Other users of the machine can read arguments, so a field whose name looks
    /// secret is refused.
    static func argument(_ line: String) throws(CommandError) -> HTTPField {
        let field = try field(line)
        // Only field names are tested for “auth”, which credentials have; elements also have names like “author”.
        guard !SecretName.matches(field.name.rawName), !field.name.canonicalName.contains("auth") else {
            throw CommandError(
                "all users of this machine can read arguments, and “\(field.name)” looks like a secret; write it to a "
                    + "file and name that with --header-file.")
        }
        return field
    }

    /// The fields in a file, one per line; empty lines are skipped.
    static func file(_ path: String) throws(CommandError) -> [HTTPField] {
        let text = try BoundedFile.readText(
            path, name: "The file of fields “\(path)”", maximumBytes: maximumBytes)
        guard !text.isEmpty else { throw CommandError("The file of fields “\(path)” is empty.") }
        var fields: [HTTPField] = []
        for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
        where !line.isEmpty {
            do { fields.append(try field(line)) } catch {
                throw CommandError("\(path), line \(number + 1): \(error.message)")
            }
        }
        return fields
    }
}
#endif

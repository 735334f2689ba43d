#if CommandLine
import ArgumentParser
import HTTPTypes

/// The options for additional HTTP fields.
struct FieldOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("An HTTP field of the request, never a secret; may be repeated.", valueName: "name: value"))
    var header: [String] = []

    @Option(
        name: .customLong("header-file"),
        help: ArgumentHelp("HTTP fields from a file, one a line; may be repeated.", valueName: "file"),
        completion: .file())
    var fieldFiles: [String] = []

    func validate() throws {
        // The argument parser's own error would repeat the value, which may be a secret given by mistake.
        do { _ = try arguments() } catch { throw ValidationError("--header: \(error)") }
    }

    /// The fields that the arguments give.
    func arguments() throws(CommandError) -> [HTTPField] {
        try header.map { (line) throws(CommandError) in try RequestFields.argument(line) }
    }

    /// All fields, including those in files.
    func load() throws -> HTTPFields {
        var result = HTTPFields()
        for field in try arguments() + fieldFiles.flatMap(RequestFields.file) { result.append(field) }
        return result
    }
}
#endif

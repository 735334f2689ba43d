#if CommandLine
import SignetDynamic

/// JSON from a file, or from standard input.
enum InputFile {
    /// The largest input read, in bytes.
    private static let maximumBytes = 64 << 20

    /// - Parameter path: `-` for standard input.
    static func value(_ path: String) throws(CommandError) -> DynamicValue {
        let name = path == "-" ? "Standard input" : "The file “\(path)”"
        let bytes = try BoundedFile.read(path, name: name, maximumBytes: maximumBytes)
        do { return try DynamicValue(json: bytes) } catch { throw CommandError("\(name): \(error)") }
    }
}
#endif

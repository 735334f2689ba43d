import Foundation
import SignetDynamic

/// JSON from a file, or from standard input.
enum InputFile {
    /// The largest input read, in bytes.
    private static let maximumBytes = 64 << 20

    /// - Parameter path: `-` for standard input. Pipes are read as well, such as the shell's `<(command)`.
    static func value(_ path: String) throws -> DynamicValue {
        let name = path == "-" ? "Standard input" : "The file “\(path)”"
        guard let file = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path) else {
            throw CommandError("\(name) cannot be read. Check its path and its permissions.")
        }
        let data: Data
        do { data = try file.read(upToCount: maximumBytes + 1) ?? Data() } catch {
            throw CommandError("\(name) cannot be read: \(error)")
        }
        guard data.count <= maximumBytes else {
            throw CommandError("\(name) has more than \(maximumBytes >> 20) MB.")
        }
        do { return try DynamicValue(json: Array(data)) } catch { throw CommandError("\(name) is not JSON: \(error)") }
    }
}

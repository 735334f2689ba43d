#if CommandLine
import Foundation
import Signet

/// Reads files that a user names, up to a limit; the errors tell the user what is wrong with a file.
enum BoundedFile {
    /// - Parameters:
    ///   - path: `-` for standard input. Pipes are read as well, such as the shell's `<(command)`.
    ///   - name: the file's name in errors.
    ///   - maximumBytes: larger files are refused.
    static func read(_ path: String, name: String, maximumBytes: Int) throws(CommandError) -> [UInt8] {
        var isFolder: ObjCBool = false
        if path != "-", FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw CommandError("\(name) is a folder. Name a file.")
        }
        guard let file = path == "-" ? FileHandle.standardInput : FileHandle(forReadingAtPath: path) else {
            throw CommandError("\(name) cannot be read. Check its path and its permissions.")
        }
        let data: Data
        // At the end of an empty file, `read` returns no data.
        do { data = try file.read(upToCount: maximumBytes + 1) ?? Data() } catch {
            throw CommandError("\(name) cannot be read: \(error.localizedDescription)")
        }
        guard data.count <= maximumBytes else {
            throw CommandError("\(name) has more than \(maximumBytes >> 10) KB.")
        }
        return Array(data)
    }

    /// The same for a file of text, in UTF-8 or as Windows writes it: with a byte order mark, or in UTF-16.
    static func readText(_ path: String, name: String, maximumBytes: Int) throws(CommandError) -> String {
        let bytes = TextFile.utf8(try read(path, name: name, maximumBytes: maximumBytes))
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError("\(name) is neither UTF-8 nor UTF-16.")
        }
        return text
    }
}
#endif

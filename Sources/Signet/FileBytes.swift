#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension [UInt8] {
    /// The content of a file, for example a key file; at most 64 MiB.
    ///
    /// - Throws: ``FileError`` naming the file and the reason.
    public init(contentsOfFile path: String) throws(FileError) {
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: path)) } catch {
            throw FileError(path: path, message: error.reason)
        }
        guard data.count <= 64 << 20 else { throw FileError(path: path, message: "it is larger than 64 MiB") }
        self = Array(data)
    }
}

/// A file that cannot be used.
public struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The path as the caller gave it.
    public let path: String
    /// Why it cannot be used: a part of a sentence, without a full stop.
    public let message: String

    public var description: String { "The file “\(path)” cannot be used: \(message)." }
}

extension Error {
    fileprivate var reason: String {
        switch (self as? CocoaError)?.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: "there is no such file"
        case .fileReadNoPermission: "its permissions do not allow it"
        default: "it cannot be read (\(self))"
        }
    }
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Whole files, without Foundation.
public enum File {
    /// The file cannot be read or written.
    public struct Failure: Error { public var path: String }

    public static func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw Failure(path: path) }
        defer { fclose(file) }
        // The size first, so that nothing is grown: the peak of memory is measured, too.
        guard fseek(file, 0, SEEK_END) == 0 else { throw Failure(path: path) }
        let size = ftell(file)
        guard size >= 0, fseek(file, 0, SEEK_SET) == 0 else { throw Failure(path: path) }
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = fread(buffer.baseAddress, 1, size, file)
        }
        guard bytes.count == size else { throw Failure(path: path) }
        return bytes
    }

    public static func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "wb") else { throw Failure(path: path) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count, fclose(file) == 0 else {
            throw Failure(path: path)
        }
    }
}

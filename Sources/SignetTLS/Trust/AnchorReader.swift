#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reads certificates from files and folders of the system, within limits and without Foundation.
///
/// A file that cannot be read, or that is not a certificate, is skipped: one bad file must not cost all the others.
struct AnchorReader {
    /// The limit of folder entries that are read; distributions have about three hundred.
    static let maximumFiles = 4_096
    /// The limit of bytes that are read from all files together.
    static let maximumBytes = 64 << 20

    private var filesLeft = maximumFiles
    private var bytesLeft = maximumBytes
    /// The files that were read. Folders hold the same file under several names: links named by the hash of the
    /// subject.
    private var seen: Set<FileIdentity> = []

    private struct FileIdentity: Hashable {
        let device: UInt64
        let number: UInt64
    }

    /// Every certificate in a PEM file.
    mutating func certificates(inFile path: String) -> [EncodedCertificate] {
        guard let bytes = contents(of: path) else { return [] }
        return Self.blocks(of: bytes).compactMap { block in
            switch block.label {
            case "CERTIFICATE", "X509 CERTIFICATE": EncodedCertificate(der: block.der)
            case "TRUSTED CERTIFICATE": TrustedCertificate.anchor(block.der)
            default: nil
            }
        }
        .filter { $0.content != nil }
    }

    /// The certificates of authorities in a PEM file.
    mutating func authorities(inFile path: String) -> [EncodedCertificate] {
        // Only an authority can be a trust anchor. Some systems keep their own certificate in the same folder.
        certificates(inFile: path).filter { $0.content?.claimsAuthority == true }
    }

    /// The certificates of authorities in all files of a folder. Their names do not matter.
    mutating func authorities(inFolder path: String) -> [EncodedCertificate] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while filesLeft > 0, let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
                    unsafe String(cString: $0)
                }
            }
            if name.hasPrefix(".") { continue }
            filesLeft -= 1
            names.append(name)
        }
        // A folder's order depends on the file system; sorting makes the result the same everywhere.
        return names.sorted().flatMap { authorities(inFile: "\(path)/\($0)") }
    }

    /// The blocks of a PEM file, each decoded separately, so that a damaged block does not affect the others.
    private static func blocks(of bytes: [UInt8]) -> [PEMBlock] {
        let bytes = TextFile.utf8(bytes)
        var result: [PEMBlock] = []
        var start: Int?
        func take(upTo end: Int) {
            guard let first = start, let blocks = try? PEMBlock.all(in: Array(bytes[first..<end])) else { return }
            result += blocks
        }
        for line in bytes.split(separator: 0x0A) where line.starts(with: "-----BEGIN ".utf8) {
            take(upTo: line.startIndex)
            start = line.startIndex
        }
        take(upTo: bytes.endIndex)
        return result
    }

    /// The bytes of a regular file that was not read before; nil for anything else, such as a pipe, whose reading could
    /// block.
    private mutating func contents(of path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0,
            information.st_mode & mode_t(S_IFMT) == mode_t(S_IFREG),
            seen.insert(
                FileIdentity(
                    device: UInt64(truncatingIfNeeded: information.st_dev),
                    number: UInt64(truncatingIfNeeded: information.st_ino))
            ).inserted
        else { return nil }
        let limit = min(PEMFile.maximumBytes, bytesLeft)
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0, result.count + count <= limit else { return nil }
            if count == 0 { break }
            result += buffer.prefix(count)
        }
        bytesLeft -= result.count
        return result
    }
}

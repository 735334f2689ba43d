#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension WSDLLoader {
    /// Loads a WSDL from the disk; imports may lead to no file outside the root folder, not even by a symbolic link.
    ///
    /// A file `catalog.xml` beside the WSDL or in the root folder (OASIS XML Catalogs 1.1) maps imports that name an
    /// address to files.
    ///
    /// - Parameters:
    ///   - root: the highest folder that imports may lead to; nil for the folder of the WSDL.
    ///   - note: gets the path of each other file that is read, below the root.
    package static func load(
        file: String, root: String? = nil, limits: Limits = .init(), noting note: (_ path: String) -> Void = { _ in }
    ) throws(WSDLError) -> WSDLDefinitions {
        let place = SourceLocation(file: file)
        if ["http://", "https://"].contains(where: file.lowercased().hasPrefix) {
            throw WSDLError(
                .importNotFound,
                "this is an address, and a file is needed. Fetch it first, with all that it imports: signet fetch "
                    + "\(file) --output WSDL. Then name the file in the folder WSDL.", at: place)
        }
        let url = URL(filePath: file, directoryHint: .notDirectory).standardizedFileURL
        let folder =
            root.map { URL(filePath: $0, directoryHint: .isDirectory).standardizedFileURL }
            ?? url.deletingLastPathComponent()
        let prefix = folder.path.hasSuffix("/") ? folder.path : folder.path + "/"
        guard url.path.hasPrefix(prefix) else {
            throw WSDLError(.importRefused, "the WSDL lies outside the root folder ‘\(folder.path)’.", at: place)
        }
        let bytes: [UInt8]
        do { bytes = Array(try Data(contentsOf: url)) } catch {
            let isFolder = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) != nil
            let why =
                isFolder
                ? "this is a folder; name the WSDL in it."
                : FileManager.default.fileExists(atPath: url.path)
                    ? "the WSDL cannot be read: \(error.fileReason)." : "there is no such file."
            throw WSDLError(.importNotFound, why, at: place, cause: error)
        }
        let path = String(url.path.dropFirst(prefix.count))
        // Locations begin with the path as the caller wrote it.
        let shown = file.hasSuffix(path) ? String(file.dropLast(path.count)) : prefix
        let names = folder.path.split(separator: "/").map(String.init)
        // The loader is gone when this function returns.
        return try withoutActuallyEscaping(note) { note throws(WSDLError) in
            let loader = WSDLLoader(limits: limits, displayFolder: shown, folder: names) { name in
                let content = try Data.contents(of: name, below: folder)
                if content != nil { note(name) }
                return content
            }
            return try loader.load(bytes, path: path)
        }
    }
}

extension Data {
    /// The bytes of a file below a folder; nil when it is not there.
    fileprivate static func contents(of path: String, below folder: URL) throws -> [UInt8]? {
        let url = folder.appending(path: path, directoryHint: .notDirectory)
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        let real = url.resolvingSymlinksInPath().path
        let root = folder.resolvingSymlinksInPath().path
        guard real.hasPrefix(root.hasSuffix("/") ? root : root + "/") else { throw OutsideRoot() }
        return Array(try Data(contentsOf: url))
    }

    private struct OutsideRoot: Error, CustomStringConvertible {
        var description: String { "a symbolic link leads out of the folder that may be read" }
    }
}

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The content of `signet-bundle.json`: which documents `signet fetch` wrote into a folder. It records no time, so that
/// the same documents give the same file.
package struct BundleManifest: Codable, Equatable, Sendable {
    package static let name = "signet-bundle.json"
    private static let maximumBytes = 16 << 20

    package struct Document: Codable, Equatable, Sendable {
        package var url: String
        package var file: String
        package var bytes: Int
        package var sha256: String
        package var redirectedFrom: [String]?

        package init(url: String, file: String, bytes: Int, sha256: String, redirectedFrom: [String]? = nil) {
            self.url = url
            self.file = file
            self.bytes = bytes
            self.sha256 = sha256
            self.redirectedFrom = redirectedFrom
        }
    }

    package struct Omission: Codable, Equatable, Sendable {
        package var url: String
        package var reason: String

        package init(url: String, reason: String) {
            self.url = url
            self.reason = reason
        }
    }

    package var version = 1
    /// The file to load.
    package var main: String
    package var documents: [Document]
    package var notFetched: [Omission]

    package init(main: String, documents: [Document], notFetched: [Omission]) {
        self.main = main
        self.documents = documents
        self.notFetched = notFetched
    }

    /// Reads the manifest of a folder; nil when the folder has no manifest.
    package init?(folder: String) throws(WSDLError) {
        let path = "\(folder)/\(Self.name)"
        let place = SourceLocation(file: path)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        do {
            let content = try Data(contentsOf: URL(filePath: path, directoryHint: .notDirectory))
            guard content.count <= Self.maximumBytes else {
                throw WSDLError(.limitExceeded, "the file has more than \(Self.maximumBytes) bytes.", at: place)
            }
            self = try JSONDecoder().decode(Self.self, from: content)
        } catch let error as WSDLError {
            throw error
        } catch {
            throw WSDLError(.invalid, "this is not what signet fetch writes: \(error)", at: place, cause: error)
        }
        guard version == 1 else {
            throw WSDLError(.invalid, "it has the version \(version); this signet reads version 1.", at: place)
        }
        // The names are used as paths.
        guard documents.allSatisfy({ Self.isSafe($0.file) }) else {
            throw WSDLError(.invalid, "it names a file outside the folder.", at: place)
        }
    }

    private static func isSafe(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && !name.contains { "/\\:\0".contains($0) }
    }

    /// Checks that the documents beside a WSDL are those that were fetched with it; does nothing when the WSDL was not
    /// fetched.
    ///
    /// - Throws: an error for a manifest that is invalid, or for the first document that has changed since it was
    ///   fetched.
    package static func verify(wsdl: String) throws(WSDLError) {
        let url = URL(filePath: wsdl, directoryHint: .notDirectory)
        let folder = url.deletingLastPathComponent().path
        guard let manifest = try BundleManifest(folder: folder),
            manifest.documents.contains(where: { $0.file == url.lastPathComponent })
        else { return }
        for document in manifest.documents {
            let path = "\(folder)/\(document.file)"
            let content = FileManager.default.contents(atPath: path)
            guard content.map({ Fingerprint.sha256(of: Array($0)) }) != document.sha256 else { continue }
            throw WSDLError(
                content == nil ? .importNotFound : .invalid,
                "the file \(content == nil ? "is gone" : "is not") what ‘signet fetch’ wrote for \(document.url), as "
                    + "\(name) beside it says: fetch it again, or delete \(name) if the documents are yours to change.",
                at: SourceLocation(file: path))
        }
    }
}

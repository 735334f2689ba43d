import Foundation

/// A folder that holds a bundle.
struct BundleFolder {
    let path: String

    private static let maximumManifestBytes = 16 << 20

    private func file(_ name: String) -> String { "\(path)/\(name)" }

    /// What the folder's manifest says; nil when it has none.
    func manifest() throws -> DocumentBundle.Manifest? {
        guard FileManager.default.fileExists(atPath: file(DocumentBundle.manifestName)) else { return nil }
        let name = "“\(file(DocumentBundle.manifestName))”"
        let bytes = try BoundedFile.read(
            file(DocumentBundle.manifestName), name: name, maximumBytes: Self.maximumManifestBytes)
        let manifest: DocumentBundle.Manifest
        do { manifest = try JSONDecoder().decode(DocumentBundle.Manifest.self, from: Data(bytes)) } catch {
            throw CommandError("\(name) is not what signet fetch writes: \(error)")
        }
        guard manifest.version == 1 else {
            throw CommandError("\(name) has the version \(manifest.version); this signet reads version 1.")
        }
        // The names are used as paths.
        guard manifest.documents.allSatisfy({ Self.isSafe($0.file) }) else {
            throw CommandError("\(name) names a file outside the folder.")
        }
        return manifest
    }

    private static func isSafe(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix(".") && !name.contains { "/\\:\0".contains($0) }
    }

    /// Writes a bundle over the one that is there; each file is replaced as a whole, the manifest last.
    func write(_ bundle: DocumentBundle) throws {
        let old = try manifest()
        let manager = FileManager.default
        if old == nil, let present = try? manager.contentsOfDirectory(atPath: path) {
            let taken = Set(bundle.entries.map(\.file) + [DocumentBundle.catalogName]).intersection(present)
            guard taken.isEmpty else {
                throw CommandError(
                    "“\(path)” has other files named \(taken.sorted().joined(separator: ", ")). Choose an empty folder."
                )
            }
        }
        do {
            try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
            for entry in bundle.entries { try write(entry.document.content, entry.file) }
            try write(Array(bundle.catalog.utf8), DocumentBundle.catalogName)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try write(Array(encoder.encode(bundle.manifest)) + [0x0A], DocumentBundle.manifestName)
            let kept = Set(bundle.entries.map(\.file))
            for document in old?.documents ?? [] where !kept.contains(document.file) {
                try? manager.removeItem(atPath: file(document.file))
            }
        } catch let error as CocoaError {
            throw CommandError("“\(path)” cannot be written: \(error.localizedDescription)")
        }
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(filePath: file(name)), options: .atomic)
    }

    /// What differs between the folder and what was fetched now.
    func changes(to bundle: DocumentBundle) throws -> [BundleChange] {
        guard let old = try manifest() else {
            throw CommandError("“\(path)” holds no \(DocumentBundle.manifestName). Fetch without --check first.")
        }
        let present = Dictionary(
            old.documents.map { ($0.url, $0) }, uniquingKeysWith: { first, _ in first })
        var changes: [BundleChange] = []
        for entry in bundle.manifest.documents {
            switch present[entry.url] {
            case nil: changes.append(BundleChange(kind: .added, url: entry.url, file: nil))
            case let known? where known.sha256 != entry.sha256:
                changes.append(BundleChange(kind: .changed, url: entry.url, file: known.file))
            default: break
            }
        }
        let fetched = Set(bundle.manifest.documents.map(\.url))
        for known in old.documents {
            if !fetched.contains(known.url) {
                changes.append(BundleChange(kind: .removed, url: known.url, file: known.file))
            }
            let content = FileManager.default.contents(atPath: file(known.file)).map {
                DocumentBundle.digest(Array($0))
            }
            if content != known.sha256 {
                changes.append(BundleChange(kind: .edited, url: known.url, file: known.file))
            }
        }
        return changes
    }
}

/// What is not as it was when a bundle was fetched.
struct BundleChange: Encodable, Hashable {
    enum Kind: String, Encodable {
        /// The server has another text now.
        case changed
        /// The server's documents refer to one more.
        case added
        /// No document of the server refers to it any more.
        case removed
        /// The file is not what was fetched.
        case edited
    }

    var kind: Kind
    var url: String
    var file: String?

    var line: String {
        switch kind {
        case .changed: "changed: \(url) is not what \(file ?? "") holds"
        case .added: "added: \(url)"
        case .removed: "removed: \(url), which \(file ?? "") holds"
        case .edited: "edited: \(file ?? "") is not what was fetched from \(url)"
        }
    }
}

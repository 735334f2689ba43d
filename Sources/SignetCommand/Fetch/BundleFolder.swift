#if CommandLine
import Foundation
import SignetWSDL

/// A folder that holds a bundle.
struct BundleFolder {
    let path: String

    private func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a bundle over the existing one; each file is replaced atomically, the manifest last.
    func write(_ bundle: DocumentBundle) throws {
        let old = try BundleManifest(folder: path)
        let manager = FileManager.default
        if manager.fileExists(atPath: path), (try? manager.contentsOfDirectory(atPath: path)) == nil {
            throw CommandError("“\(path)” is not a readable folder. Name another with --output.")
        }
        if let present = try? manager.contentsOfDirectory(atPath: path) {
            let ours = old.map { Set($0.documents.map(\.file) + [DocumentBundle.catalogName]) } ?? []
            let taken = Set(bundle.entries.map(\.file) + [DocumentBundle.catalogName]).intersection(present)
                .subtracting(ours)
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
            try write(Array(encoder.encode(bundle.manifest)) + [0x0A], BundleManifest.name)
            let kept = Set(bundle.entries.map(\.file))
            // A folder or the user's own file that a manifest names, but that was not fetched, stays.
            for document in old?.documents ?? []
            where !kept.contains(document.file) && fingerprint(of: document.file) == document.sha256 {
                try? manager.removeItem(atPath: file(document.file))
            }
        } catch let error as CocoaError {
            throw CommandError("“\(path)” cannot be written: \(error.fileReason).")
        }
    }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: URL(filePath: file(name)), options: .atomic)
    }

    /// The differences between the folder and the documents fetched now.
    func changes(to bundle: DocumentBundle) throws -> [BundleChange] {
        guard let old = try BundleManifest(folder: path) else {
            throw CommandError("“\(path)” holds no \(BundleManifest.name). Fetch without --check first.")
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
            if fingerprint(of: known.file) != known.sha256 {
                changes.append(BundleChange(kind: .edited, url: known.url, file: known.file))
            }
        }
        // The catalog maps imports to files; with other documents it would differ anyway.
        if changes.isEmpty, let first = bundle.manifest.documents.first,
            fingerprint(of: DocumentBundle.catalogName) != Fingerprint.sha256(of: Array(bundle.catalog.utf8))
        {
            changes.append(BundleChange(kind: .edited, url: first.url, file: DocumentBundle.catalogName))
        }
        return changes
    }

    /// The fingerprint of a file; nil when the path is not a file.
    private func fingerprint(of name: String) -> String? {
        FileManager.default.contents(atPath: file(name)).map { Fingerprint.sha256(of: Array($0)) }
    }
}

/// One difference from a fetched bundle.
struct BundleChange: Encodable, Hashable {
    enum Kind: String, Encodable {
        /// The server's document has another text now.
        case changed
        /// The server's documents refer to one more.
        case added
        /// No document of the server refers to it any more.
        case removed
        /// The file differs from the fetched document.
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
#endif

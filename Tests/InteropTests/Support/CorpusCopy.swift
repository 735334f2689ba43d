import Foundation

/// A copy of a folder of the corpus that peers can read: imports of addresses lead to the copies that its catalog
/// names, for peers know no catalogs, and document types are left out. It goes with the value.
final class CorpusCopy: Sendable {
    let folder: URL

    /// - Parameter original: the folder; `catalog.tsv` in it names an address and a path on each line.
    init(_ original: URL) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "signet-corpus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let catalog = try? String(contentsOf: original.appending(path: "catalog.tsv"), encoding: .utf8)
        let entries = (catalog ?? "").split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        for path in try FileManager.default.subpathsOfDirectory(atPath: original.path(percentEncoded: false)) {
            let values = try original.appending(path: path).resourceValues(forKeys: [.isRegularFileKey])
            guard values.isRegularFile == true else { continue }
            var text = try String(contentsOf: original.appending(path: path), encoding: .utf8)
            let upwards = String(repeating: "../", count: path.count { $0 == "/" })
            for entry in entries where entry.count == 2 {
                text = text.replacing("\"\(entry[0])\"", with: "\"\(upwards)\(entry[1])\"")
            }
            // PHP finds no schema behind a document type since it fixed CVE-2026-129506 (8.2.36).
            text = text.replacing(/<!DOCTYPE[^>\[]*(?:\[[^\]]*\]\s*)?>/, with: "")
            let copy = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: copy.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: copy)
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func file(_ path: String) -> URL { folder.appending(path: path) }
}

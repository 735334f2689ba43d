package import Foundation
package import SignetWSDL
import SignetXML

/// A WSDL to be checked, with the folder that its imports may not leave.
package struct CorpusCase: Sendable {
    /// How it is named in reports: the manifest's folder, or the path below the folder given.
    package var name: String
    package var file: URL
    package var root: URL

    package init(name: String, file: URL, root: URL) {
        self.name = name
        self.file = file
        self.root = root
    }

    /// The WSDLs of a folder: those that its `MANIFEST.tsv` names, or every `*.wsdl` that no other one imports.
    ///
    /// The manifest may also lie beside the folder; its columns are found by their names: `folder` and `main`.
    package static func all(in folder: URL) throws -> [CorpusCase] {
        for place in [folder, folder.deletingLastPathComponent()] {
            let manifest = place.appending(path: "MANIFEST.tsv")
            guard FileManager.default.fileExists(atPath: manifest.path) else { continue }
            let cases = try listed(in: String(contentsOf: manifest, encoding: .utf8), folder)
            if !cases.isEmpty { return cases }
        }
        return try found(in: folder)
    }

    private static func listed(in manifest: String, _ folder: URL) -> [CorpusCase] {
        let rows = manifest.split(whereSeparator: \.isNewline).map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        guard let header = rows.first, let name = header.firstIndex(of: "folder"),
            let main = header.firstIndex(of: "main")
        else { return [] }
        return rows.dropFirst().compactMap { row in
            guard row.indices.contains(name), row.indices.contains(main) else { return nil }
            let root = folder.appending(path: row[name], directoryHint: .isDirectory)
            let file = root.appending(path: row[main])
            guard FileManager.default.fileExists(atPath: file.path) else { return nil }
            return CorpusCase(name: row[name], file: file, root: root)
        }
    }

    /// Those that a file names, a line each.
    ///
    /// - Throws: ``CorpusError`` when one is not among them.
    package static func listed(in file: URL, _ cases: [CorpusCase]) throws -> [CorpusCase] {
        let names = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline).map(String.init)
        return try names.filter { !$0.hasPrefix("#") }.map { name in
            guard let found = cases.first(where: { $0.name == name }) else {
                throw CorpusError("‘\(file.lastPathComponent)’ names ‘\(name)’, which is not there.")
            }
            return found
        }
    }

    private static func found(in folder: URL) throws -> [CorpusCase] {
        let prefix = folder.resolvingSymlinksInPath().path
        var paths: [String] = []
        for case let path as String in FileManager.default.enumerator(atPath: prefix) ?? .init()
        where path.lowercased().hasSuffix(".wsdl") {
            paths.append(path)
        }
        let files = paths.sorted().map { path in
            let file = URL(filePath: prefix).appending(path: path).standardizedFileURL
            return (path: path, file: file, contents: contents(of: (try? Data(contentsOf: file)) ?? Data(), file))
        }
        let imports = Dictionary(files.map { ($0.file.path, $0.contents.imports) }) { first, _ in first }
        let reached = imports.mapValues { Self.reached(from: $0, imports) }
        return files.compactMap { path, file, contents in
            // Those that import each other in a circle are one, named by the first that has a service.
            let reachedHere = reached[file.path] ?? []
            for (other, place, theirs) in files where reached[place.path]?.contains(file.path) == true && other != path
            {
                let isBefore = theirs.hasService != contents.hasService ? theirs.hasService : other < path
                if isBefore || !reachedHere.contains(place.path) { return nil }
            }
            return CorpusCase(name: path, file: file, root: URL(filePath: prefix, directoryHint: .isDirectory))
        }
    }

    /// All files that are imported from these, and from those.
    private static func reached(from imported: [String], _ imports: [String: [String]]) -> Set<String> {
        var found: Set<String> = []
        var open = imported
        while let file = open.popLast() {
            if found.insert(file).inserted { open += imports[file] ?? [] }
        }
        return found
    }

    /// What a WSDL imports, by the attribute `location` of its `import` elements, and whether it has a service; a
    /// broken document has neither.
    private static func contents(of bytes: Data, _ file: URL) -> (imports: [String], hasService: Bool) {
        var imports: [String] = []
        var hasService = false
        _ = try? XMLReader.read(Array(bytes), doctype: .internalEntities) { (reader) throws(XMLError) in
            while try reader.next() != .endOfDocument {
                if reader.isElement(serviceName) { hasService = true }
                guard reader.isElement(importName), let location = reader.attribute("location") else { continue }
                let target = URL(filePath: location, relativeTo: file.deletingLastPathComponent())
                imports.append(target.standardizedFileURL.path)
            }
        }
        return (imports, hasService)
    }

    private static let importName = XMLName(Namespaces.wsdl, "import")
    private static let serviceName = XMLName(Namespaces.wsdl, "service")
}

extension CorpusCase {
    /// The definitions, and the documents that were read for them.
    package func load() throws -> (definitions: WSDLDefinitions, documents: [URL]) {
        var documents = [file]
        let base = root.resolvingSymlinksInPath().path
        let prefix = base.hasSuffix("/") ? base : base + "/"
        let path = file.resolvingSymlinksInPath().path
        guard path.hasPrefix(prefix) else { throw CorpusError("the WSDL lies outside its folder") }
        let loader = WSDLLoader { name in
            let place = URL(filePath: prefix + name).standardizedFileURL
            guard FileManager.default.fileExists(atPath: place.path) else { return nil }
            guard place.resolvingSymlinksInPath().path.hasPrefix(prefix) else {
                throw CorpusError("a symbolic link leads out of the folder")
            }
            if !documents.contains(place) { documents.append(place) }
            return Array(try Data(contentsOf: place))
        }
        let definitions = try loader.load(Array(try Data(contentsOf: file)), path: String(path.dropFirst(prefix.count)))
        return (definitions, documents)
    }
}

package struct CorpusError: Error, CustomStringConvertible {
    package var description: String
    package init(_ description: String) { self.description = description }
}

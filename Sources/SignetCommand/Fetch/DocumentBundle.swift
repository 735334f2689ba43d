#if CommandLine
import SignetWSDL

/// Fetched documents, under file names that are safe on every file system, with a catalog of their addresses.
struct DocumentBundle {
    static let catalogName = "catalog.xml"

    /// The main document's file first.
    var entries: [Entry] = []
    var omissions: [Fetcher.Omission]

    struct Entry {
        var file: String
        var document: Fetcher.Document
        var sha256: String
    }

    init(_ outcome: Fetcher.Outcome) {
        omissions = outcome.omissions
        for (number, document) in outcome.documents.enumerated() {
            let isMain = number == 0
            let stem = Self.name(of: document.address.path, isMain: isMain)
            let mark = Fingerprint.sha256(of: Array(document.address.description.utf8)).prefix(8)
            entries.append(
                Entry(
                    file: isMain ? stem : "\(mark)-\(stem)", document: document,
                    sha256: Fingerprint.sha256(of: document.content)))
        }
    }

    var manifest: BundleManifest {
        BundleManifest(
            main: entries.first?.file ?? "",
            documents: entries.map { entry in
                let aliases = entry.document.aliases.map(\.description)
                return BundleManifest.Document(
                    url: entry.document.address.description, file: entry.file, bytes: entry.document.content.count,
                    sha256: entry.sha256, redirectedFrom: aliases.isEmpty ? nil : aliases)
            },
            notFetched: omissions.map { BundleManifest.Omission(url: $0.address, reason: $0.reason) })
    }

    /// An OASIS XML Catalog. References in a file are relative to the first of its addresses.
    var catalog: String {
        var text =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<catalog xmlns=\"urn:oasis:names:tc:entity:xmlns:xml:catalog\">\n"
        for entry in entries {
            for address in [entry.document.address] + entry.document.aliases {
                text += "  <uri name=\"\(Self.escaped(address.description))\" uri=\"\(entry.file)\"/>\n"
            }
        }
        return text + "</catalog>\n"
    }

    /// Loads the main document as `signet generate` will.
    func load() throws(WSDLError) -> WSDLDefinitions {
        var files = [Self.catalogName: Array(catalog.utf8)]
        for entry in entries { files[entry.file] = entry.document.content }
        guard let main = entries.first else {
            throw WSDLError(.importNotFound, "nothing was fetched.", at: SourceLocation(file: BundleManifest.name))
        }
        return try WSDLLoader { files[$0] }.load(main.document.content, path: main.file)
    }

    /// The last part of a path as a file name: ASCII letters, digits, `-`, `_` and inner dots.
    private static func name(of path: String, isMain: Bool) -> String {
        let last = path.prefix { $0 != "?" && $0 != "#" }.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
        var name = String(
            last.unicodeScalars.prefix(60).map { scalar in
                let isSafe = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
                return isSafe || scalar == "-" || scalar == "." ? Character(scalar) : "_"
            })
        while name.contains("..") { name.replace("..", with: "_") }
        name = String(name.drop { $0 == "." || $0 == "-" })
        while name.last == "." { name.removeLast() }
        let ending = isMain ? ".wsdl" : ".xsd"
        let isEnded = name.lowercased().hasSuffix(".wsdl") || (!isMain && name.lowercased().hasSuffix(".xsd"))
        return (name.isEmpty ? "document" : name) + (isEnded ? "" : ending)
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
#endif

import Foundation

/// The files that the generator reads and writes for a target: the same for both plugins, in packages and in Xcode
/// projects.
struct ServiceFiles {
    let wsdls: [URL]
    /// The configuration of the target, if it has one.
    let configuration: URL?
    /// The files that a WSDL may need beside itself: other WSDLs, schemas, catalogs, and the manifest of fetched
    /// documents.
    let inputs: [URL]

    /// An error in the layout of a target or in the arguments of a command.
    struct Misuse: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter files: all files of the target.
    init(_ files: [URL], of target: String) throws {
        let names = ["signet-generator-config.yaml", "signet-generator-config.yml"]
        let configurations = files.filter { names.contains($0.lastPathComponent) }
        guard configurations.count < 2 else {
            let paths = configurations.map { $0.path(percentEncoded: false) }.joined(separator: " and ")
            throw Misuse(
                description: "the target ‘\(target)’ has several configurations, of which one must go: \(paths)")
        }
        configuration = configurations.first
        let all = files.filter { $0.pathExtension.lowercased() == "wsdl" }
        // A WSDL may be in several files, of which one has the service and imports the others.
        let imported = Set(all.flatMap(Self.imports))
        let services = all.filter { !imported.contains(Self.path($0)) || Self.hasService($0) }
        wsdls = services.isEmpty ? all : services
        let companions = ["catalog.xml", "signet-bundle.json"]
        let folders = wsdls.map { Self.path($0.deletingLastPathComponent()) }
        inputs =
            files.filter { file in
                file.pathExtension.lowercased() == "xsd" || companions.contains(file.lastPathComponent)
                    || folders.contains { Self.path(file).hasPrefix($0) } && Self.isImported(file)
            } + all + configurations
        try Self.check(wsdls)
    }

    private static func path(_ url: URL) -> String { url.standardizedFileURL.path(percentEncoded: false) }

    /// Whether a file in or below the folder of a WSDL is a schema or a part of a WSDL, judged by its content: fetched
    /// files have names of any form, such as `xmlmime` or `b-2`. The package manager does not report an input as an
    /// unhandled file.
    private static func isImported(_ file: URL) -> Bool {
        let known = ["swift", "wsdl", "h", "c", "m", "mm", "cpp", "s", "md", "json", "yaml", "yml"]
        guard !known.contains(file.pathExtension.lowercased()), let handle = try? FileHandle(forReadingFrom: file)
        else {
            return false
        }
        defer { try? handle.close() }
        let start = String(decoding: (try? handle.read(upToCount: 4096)) ?? Data(), as: UTF8.self)
        return [
            "http://www.w3.org/2001/XMLSchema\"", "http://www.w3.org/2001/XMLSchema'",
            "http://schemas.xmlsoap.org/wsdl/",
        ]
        .contains(where: start.contains)
    }

    /// The paths of the WSDLs that a WSDL imports from files.
    private static func imports(of wsdl: URL) -> [String] {
        let text = text(of: wsdl)
        let folder = wsdl.deletingLastPathComponent()
        return text.matches(of: /<(?:[\w.\-]+:)?import\s[^>]*?\blocation\s*=\s*["']([^"']+)["']/).map {
            path(folder.appending(path: $0.1.removingPercentEncoding ?? String($0.1)))
        }
    }

    private static func hasService(_ wsdl: URL) -> Bool {
        text(of: wsdl).firstMatch(of: /<([\w.\-]+:)?service[\s>\/]/) != nil
    }

    /// A WSDL without its comments. Its tags are of ASCII in all encodings but UTF-16.
    private static func text(of wsdl: URL) -> String {
        let data = (try? Data(contentsOf: wsdl)) ?? Data()
        let isWide = data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE])
        let text = String(data: data, encoding: isWide ? .utf16 : .utf8) ?? String(data: data, encoding: .isoLatin1)
        return (text ?? "").replacing(/<!--.*?-->/.dotMatchesNewlines(), with: "")
    }

    /// The names of generated files derive from the WSDL's name. On a file system that ignores case, two of them could
    /// be one file.
    private static func check(_ wsdls: [URL]) throws {
        var first: [String: URL] = [:]
        for wsdl in wsdls {
            guard let other = first.updateValue(wsdl, forKey: Self.base(of: wsdl).lowercased()) else { continue }
            let paths = "‘\(other.path(percentEncoded: false))’ and ‘\(wsdl.path(percentEncoded: false))’"
            throw Misuse(description: "\(paths) would both make ‘\(base(of: wsdl))+Service.swift’; rename one of them.")
        }
    }

    private static func base(of wsdl: URL) -> String { wsdl.deletingPathExtension().lastPathComponent }

    /// The names of the files that the generator writes for every WSDL, some of them possibly empty.
    func outputNames(for wsdl: URL) -> [String] {
        let base = Self.base(of: wsdl)
        return (1...shards).flatMap { ["\(base)+Model\($0)+Coding.swift", "\(base)+Model\($0).swift"] }
            + ["\(base)+Service.swift"]
    }

    /// The value of `shards` in the configuration. It applies to all WSDLs and has a line of its own, because a plugin
    /// must know it before the generator runs.
    private var shards: Int {
        guard let configuration, let text = try? String(contentsOf: configuration, encoding: .utf8) else { return 4 }
        for line in text.split(whereSeparator: \.isNewline) {
            let words = line.prefix { $0 != "#" }.split(separator: ":")
            guard words.count == 2, words[0] == "shards" else { continue }
            if let number = Int(words[1].trimmingCharacters(in: .whitespaces)), (1...64).contains(number) {
                return number
            }
        }
        return 4
    }

    /// The generator's arguments.
    ///
    /// - Parameter folder: the target's folder; imports may not lead outside it unless the configuration allows that.
    func arguments(for wsdl: URL, output: URL, folder: URL) -> [String] {
        let bounds = configuration.map { ("--config", $0) } ?? ("--root", folder)
        return [("--wsdl", wsdl), ("--output", output), bounds].flatMap { [$0, $1.path(percentEncoded: false)] }
    }
}

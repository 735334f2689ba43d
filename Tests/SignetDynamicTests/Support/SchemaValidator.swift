import Foundation
import SignetSOAP

/// Judges elements by the schemas of a WSDL with xmllint, in a folder of its own.
struct SchemaValidator {
    struct Failure: Error, CustomStringConvertible { let description: String }

    private let folder: URL
    private let catalog: URL

    /// Something to leave out of a schema that xmllint, rightly, does not accept as it is.
    struct Correction: Sendable {
        var file: String
        /// The first `text` behind `mark` is left out.
        var mark: String
        var text: String
    }

    /// Takes the schemas out of a WSDL, and copies those that it imports.
    ///
    /// - Parameters:
    ///   - path: the WSDL below the root.
    ///   - root: the folder that imports may lead to, whose catalog says where addresses are found.
    init(wsdl path: String, root: URL, correction: Correction? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let copy = folder.appending(path: "root")
        try FileManager.default.copyItem(at: root, to: copy)
        try Self.allowWriting(in: copy)
        catalog = copy.appending(path: "catalog.xml")
        if let correction { try Self.apply(correction, in: copy) }
        let wsdl = copy.appending(path: path)
        try writeSchemas(Self.schemas(in: Array(try Data(contentsOf: wsdl))), beside: wsdl)
    }

    private static func apply(_ correction: Correction, in root: URL) throws {
        let file = root.appending(path: correction.file)
        var text = try String(contentsOf: file, encoding: .utf8)
        guard let mark = text.range(of: correction.mark),
            let range = text.range(of: correction.text, range: mark.upperBound..<text.endIndex)
        else { throw Failure(description: "\(correction.file) holds nothing to correct.") }
        text.removeSubrange(range)
        try FileManager.default.removeItem(at: file)
        try Data(text.utf8).write(to: file)
    }

    /// A copy comes with the rights of what was copied.
    private static func allowWriting(in folder: URL) throws {
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isDirectoryKey])
        let inside = all?.compactMap { $0 as? URL }.filter(\.hasDirectoryPath) ?? []
        for folder in [folder] + inside {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path())
        }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// What is wrong with the elements, a text each that says the file's name; empty when all are valid.
    func defects(in elements: [(name: String, bytes: [UInt8])]) throws -> [String] {
        for (name, bytes) in elements { try Data(bytes).write(to: folder.appending(path: "\(name).xml")) }
        let names = elements.map { "\($0.name).xml" }
        let lines = try xmllint(["--noout", "--nonet", "--schema", "driver.xsd"] + names)
        let valid = Set(lines.compactMap { $0.hasSuffix(" validates") ? String($0.dropLast(10)) : nil })
        if valid.isEmpty, !names.isEmpty { return lines }
        return names.filter { !valid.contains($0) }.map { name in
            "\(name): \(lines.filter { $0.hasPrefix(name) }.prefix(3).joined(separator: "\n"))"
        }
    }

    private func xmllint(_ arguments: [String]) throws -> [String] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/xmllint")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ["LC_ALL": "C.UTF-8", "XML_CATALOG_FILES": catalog.path(percentEncoded: false)]
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        let handle = try FileHandle(forWritingTo: log)
        process.standardError = handle
        process.standardOutput = handle
        try process.run()
        process.waitUntilExit()
        return try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    /// One file for each schema, and one that imports them all.
    private func writeSchemas(_ schemas: [(namespace: String, text: String)], beside wsdl: URL) throws {
        var files: [String: String] = [:]
        for (index, schema) in schemas.enumerated() { files[schema.namespace] = "schema\(index).xsd" }
        var driver = "<xs:schema targetNamespace=\"urn:driver\" xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">\n"
        for (index, schema) in schemas.enumerated() {
            var text = schema.text.replacing(#/(schemaLocation\s*=\s*")([^":]+)"/#) { match in
                let file = wsdl.deletingLastPathComponent().appending(path: String(match.output.2)).standardized
                return "\(match.output.1)file://\(file.path())\""
            }
            // Between the schemas of one WSDL an import needs no location; xmllint wants one.
            text.replace(#/<([a-z]+:)?import\s+namespace="([^"]*)"\s*/>/#) { match in
                guard let file = files[String(match.output.2)] else { return String(match.output.0) }
                return "<\(match.output.1 ?? "")import namespace=\"\(match.output.2)\" schemaLocation=\"\(file)\"/>"
            }
            try Data(text.utf8).write(to: folder.appending(path: "schema\(index).xsd"))
            let namespace = schema.namespace.isEmpty ? "" : " namespace=\"\(schema.namespace)\""
            driver += "<xs:import\(namespace) schemaLocation=\"schema\(index).xsd\"/>\n"
        }
        try Data((driver + "</xs:schema>").utf8).write(to: folder.appending(path: "driver.xsd"))
    }

    /// The schemas inside a WSDL, each with the namespace declarations from around it.
    private static func schemas(in wsdl: [UInt8]) throws -> [(namespace: String, text: String)] {
        let schema = XMLName("http://www.w3.org/2001/XMLSchema", "schema")
        var limits = XMLLimits()
        limits.namespaces = 1024
        return try XMLReader.read(wsdl, limits: limits) { (reader) throws(XMLError) in
            var found: [(namespace: String, text: String)] = []
            while true {
                let token = try reader.next()
                if token == .endOfDocument { return found }
                guard token == .startElement, reader.isElement(schema) else { continue }
                let namespace = reader.attribute("targetNamespace") ?? ""
                let scope = reader.namespacesInScope
                let tagEnd = reader.offset
                let start = wsdl[..<tagEnd].lastIndex(of: UInt8(ascii: "<")) ?? 0
                try reader.skipElement()
                let text = String(decoding: wsdl[start..<reader.offset], as: UTF8.self)
                let tag = String(decoding: wsdl[start..<tagEnd], as: UTF8.self)
                var declarations = ""
                for (prefix, uri) in scope where !prefix.isEmpty && !tag.contains("xmlns:\(prefix)=") {
                    if !declarations.contains("xmlns:\(prefix)=") { declarations += " xmlns:\(prefix)=\"\(uri)\"" }
                }
                if let standard = scope.last(where: { $0.prefix.isEmpty }), !tag.contains("xmlns=") {
                    declarations += " xmlns=\"\(standard.uri)\""
                }
                let nameEnd = tag.firstIndex { $0 == " " || $0 == ">" || $0 == "\n" || $0 == "\t" } ?? tag.endIndex
                found.append((namespace, text.prefix(upTo: nameEnd) + declarations + text.suffix(from: nameEnd)))
            }
        }
    }
}

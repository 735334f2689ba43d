import Foundation
import HostileDocuments
import TestSupport
import Testing

/// What libxml2 says of the same documents: it has to refuse those that the tests call ill-formed, and to accept those
/// that the tests call well-formed.
@Suite struct HostileOpinionTests {
    /// Documents about which xmllint decides otherwise, and why it is wrong or cannot decide.
    static let exceptions: [String: String] = {
        var exceptions = [
            "a NUL behind the root": "it stops at a NUL",
            "a document with its NUL of C": "it stops at a NUL",
            "no space before standalone": "it asks for none, production 32 does",
            "the version “1.”": "it takes it with a warning, production 26 asks for a digit",
            "the namespace “&#9;&#10;&#13;”": "its message about what is no URI has several lines",
            "xml declared twice": "it passes over declarations of xml",
        ]
        for name in ["lt as something else", "lt as itself", "amp as itself once escaped", "amp outside the document"] {
            exceptions[name] = "it passes over what declares the five known entities anew"
        }
        exceptions["a prefix that nothing declares in an entity"] = "it says so without naming the file"
        for encoding in ["UTF-16BE", "UTF-16LE"] {
            exceptions["\(encoding) that ends in a character"] = "it passes over half a character at the end"
            for form in ["without a mark", "without a mark, behind a line end"] {
                exceptions["\(encoding) \(form)"] = "without a mark it knows UTF-16 by an XML declaration only"
            }
        }
        return exceptions
    }()

    @Test(.enabled(if: RequiredTool.isExpected("xmllint"), "xmllint is not installed"))
    func xmllintAgrees() throws {
        let xmllint = URL(filePath: try #require(RequiredTool.path(of: "xmllint"), "xmllint is not installed"))
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-hostile-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // xmllint does not have Signet's limits and optional refusals, and does not know the charset of the transport.
        let documents = (HostileDocument.small + HostileDocument.large(kilobytes: 64))
            .filter { !$0.isRefusedByChoice && $0.charset == nil }
        for (index, document) in documents.enumerated() {
            try Data(document.bytes).write(to: folder.appending(path: "\(index).xml"))
        }
        let log = folder.appending(path: "log")
        try Data().write(to: log)
        let process = Process()
        process.executableURL = xmllint
        process.arguments = ["--nonet", "--noout"] + documents.indices.map { "\($0).xml" }
        process.currentDirectoryURL = folder
        process.environment = ["LC_ALL": "C.UTF-8"]
        process.standardError = try FileHandle(forWritingTo: log)
        try process.run()
        process.waitUntilExit()
        let refused = Self.refused(String(decoding: try Data(contentsOf: log), as: UTF8.self))
        #expect(refused.count > 300)
        for (index, document) in documents.enumerated() {
            let agrees = refused.contains(index) == document.isRefused
            if let reason = Self.exceptions[document.name] {
                #expect(!agrees, "xmllint agrees on “\(document.name)”, which was an exception: \(reason)")
            } else {
                #expect(agrees, "xmllint \(refused.contains(index) ? "refuses" : "accepts") “\(document.name)”")
            }
        }
    }

    /// The numbers of the files of which xmllint printed an error: its status tells nothing about errors in namespaces.
    /// A namespace name that is no URI does not count as an error (Namespaces in XML 1.0 §2.2 leaves it to the
    /// application).
    private static func refused(_ log: String) -> Set<Int> {
        Set(
            log.split(separator: "\n").compactMap { line in
                guard line.contains(" error : "), !line.hasSuffix("is not a valid URI"),
                    let name = line.split(separator: ".xml:").first
                else { return nil }
                return Int(name)
            })
    }
}

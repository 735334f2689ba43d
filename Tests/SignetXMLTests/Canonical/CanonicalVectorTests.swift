import CorpusFiles
import Foundation
import Testing

@testable import SignetXML

/// The vectors of libxml2, among them the examples of the recommendations and those of the W3C's test cases for Canonical
/// XML 1.1. What an XPath expression chooses is supported where it is an element.
@Suite struct CanonicalVectorTests {
    private static let folder = "suites/xmldsig-c14n/libxml2-c14n"

    struct Vector: CustomStringConvertible {
        let form: XMLCanonicalization
        let folder: String
        let name: String
        /// The local name of the chosen element; nil for the document.
        var element: String?
        var description: String { "\(folder)/\(name)" }
    }

    private static func vectors() throws -> [Vector] {
        let forms: [(String, XMLCanonicalization)] = [
            ("with-comments", .init(.inclusive10, hasComments: true)), ("without-comments", .init(.inclusive10)),
            ("1-1-without-comments", .init(.inclusive11)), ("exc-without-comments", .init(.exclusive10)),
        ]
        return try forms.flatMap { folder, form in
            let files = try Corpus.file("\(Self.folder)/test/c14n/\(folder)")
            let all = try FileManager.default.contentsOfDirectory(atPath: files.path).sorted()
            return try all.filter { $0.hasSuffix(".xml") }.compactMap { file -> Vector? in
                let name = String(file.dropLast(4))
                var vector = Vector(form: form, folder: folder, name: name)
                if all.contains("\(name).xpath") {
                    let text = try String(contentsOf: files.appending(path: "\(name).xpath"), encoding: .utf8)
                    let choice = text.firstMatch(of: #/\[\s*ancestor-or-self::(?:\w+:)?(\w+)\s*\]\s*<\/XPath>/#)
                    guard let choice else { return nil }
                    vector.element = String(choice.output.1)
                }
                guard all.contains("\(name).ns") else { return vector }
                var listed = form
                listed.inclusiveNamespaces = try String(
                    contentsOf: files.appending(path: "\(name).ns"), encoding: .utf8
                ).split(whereSeparator: \.isWhitespace).map(String.init)
                return Vector(form: listed, folder: folder, name: name, element: vector.element)
            }
        }
    }

    private static let exceptions = ["example-5": "it needs an external entity, which is never fetched"]

    /// Where the elements with a local name begin.
    private func offsets(of element: String, in document: [UInt8]) throws -> [Int] {
        try XMLReader.read(document) { (reader) throws(XMLError) in
            var offsets: [Int] = []
            var depth = 0
            while try reader.next() != .endOfDocument {
                if reader.frames.count > depth, reader.elementName == element, let frame = reader.frames.last {
                    offsets.append(frame.name - 1 - reader.base)
                }
                depth = reader.frames.count
            }
            return offsets
        }
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set")) func vectorsAgree() throws {
        var count = 0
        for vector in try Self.vectors() {
            if let reason = Self.exceptions[vector.name] {
                print("canonical forms: \(vector) is left out, since \(reason)")
                continue
            }
            let input = try Corpus.file("\(Self.folder)/test/c14n/\(vector.folder)/\(vector.name).xml")
            let expected = try Data(
                contentsOf: Corpus.file("\(Self.folder)/result/c14n/\(vector.folder)/\(vector.name)"))
            var document = Array(try Data(contentsOf: input))
            var form: [UInt8] = []
            if let element = vector.element {
                // The reader's own form without the declaration has the places of its text.
                if document.firstRange(of: Array("<!DOCTYPE".utf8)) != nil {
                    document = try XMLCanonicalization(.inclusive10, hasComments: true).canonicalForm(
                        of: document, doctype: .internalEntities)
                }
                for offset in try offsets(of: element, in: document) {
                    try vector.form.write(elementAt: offset, of: document) { form.append(contentsOf: $0) }
                }
            } else {
                form = try vector.form.canonicalForm(of: document, doctype: .internalEntities)
            }
            #expect(
                String(decoding: form, as: UTF8.self) == String(decoding: expected, as: UTF8.self), "\(vector)")
            count += 1
        }
        print("canonical forms: \(count) vectors of libxml2")
        #expect(count >= 30)
    }
}

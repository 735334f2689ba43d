import CorpusFiles
import Foundation
import SignetXML
import Testing

/// Schemas and WSDLs of others that have a document type declaration.
@Suite struct SchemaDocumentTests {
    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func allOfTheCorpusAreRead() throws {
        let folder = try Corpus.file("wsdl")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var count = 0
        while let file = files?.nextObject() as? URL {
            guard ["xsd", "wsdl"].contains(file.pathExtension.lowercased()) else { continue }
            let document = Array(try Data(contentsOf: file))
            let start = String(decoding: document.prefix(5000), as: UTF8.self)
            guard start.contains("<!DOCTYPE"), !start.contains("<!DOCTYPE html") else { continue }
            #expect(throws: Never.self, "\(file.path)") { try expanded(document) }
            // In some it stands in a comment only.
            do throws(XMLError) { _ = try trace(document) } catch {
                #expect(error.code == .doctypeRefused, "\(file.path): \(error)")
                count += 1
            }
        }
        print("\(count) schemas of the corpus with a document type declaration are read.")
        #expect(count > 8)
    }
}

import CorpusFiles
import Foundation
import SignetTLS
import SignetXML
import Testing

@testable import SignetSignature

/// The vectors of XMLSec, whose signers are known by the certificates in them.
@Suite struct SignatureVectorTests {
    private static let folder = "suites/xmldsig-c14n/xmlsec"

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set")) func vectorsAreVerified() throws {
        var valid = 0
        var refused: [String: [String]] = [:]
        for folder in [
            "aleksey-xmldsig-01", "merlin-xmldsig-twenty-three", "xmldsig11-interop-2012", "merlin-exc-c14n-one",
        ] {
            let path = try Corpus.path("\(Self.folder)/\(folder)")
            for file in try FileManager.default.contentsOfDirectory(atPath: path).sorted() where file.hasSuffix(".xml")
            {
                let document = Array(try Data(contentsOf: URL(filePath: path).appending(path: file)))
                do {
                    try Self.verify(document)
                    valid += 1
                } catch let error as XMLSignatureError {
                    refused[error.code.description, default: []].append("\(file): \(error)")
                }
            }
        }
        print("signatures: \(valid) vectors of XMLSec are valid")
        for (code, files) in refused.sorted(by: { $0.key < $1.key }) {
            print("\(code): \(files.count)\n  \(files.joined(separator: "\n  "))")
        }
        #expect(valid >= 10)
    }

    private static func verify(_ document: [UInt8]) throws {
        let index = try DocumentIndex(of: document, limits: XMLLimits())
        guard let offset = index.signatures.first else { throw XMLSignatureError(.noSignature, "none") }
        let signature = try SignatureElement(at: offset, of: document, limits: XMLLimits())
        let identifier = signature.references.first.map { String($0.uri.dropFirst()) } ?? ""
        let named = try DocumentIndex(of: document, identifiers: [identifier], limits: XMLLimits())
        let target = (try? named.element(identifier: identifier)) ?? named.root
        var verifier = XMLSignatureVerifier(signers: signature.certificates)
        verifier.acceptsSHA1 = true
        let now = signature.certificates.first?.notBefore.map { $0 + 1 } ?? 0
        _ = try verifier.verify(
            document,
            covering: target == named.root ? .root : .element(XMLName(target.namespaceURI, target.localName)), at: now)
    }
}

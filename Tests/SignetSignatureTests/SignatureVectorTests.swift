import CorpusFiles
import Foundation
import SignetTLS
import SignetXML
import Testing

@testable import SignetSignature

/// The vectors of XMLSec and of Santuario, whose signers are known by the certificates in them: most of Santuario's have an HMAC,
/// DSA or nothing but a key.
@Suite struct SignatureVectorTests {
    private static let xmlsec = [
        "aleksey-xmldsig-01", "merlin-xmldsig-twenty-three", "xmldsig11-interop-2012", "merlin-exc-c14n-one",
    ].map { "xmlsec/" + $0 }

    @Test(
        .enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"),
        arguments: [("XMLSec", xmlsec, 12), ("Santuario", ["santuario"], 3)])
    func vectorsAreVerified(name: String, folders: [String], least: Int) throws {
        var valid: [String] = []
        var refused: [String: [String]] = [:]
        for folder in folders {
            let path = try Corpus.path("suites/xmldsig-c14n/\(folder)")
            let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
            for file in files.sorted() where file.hasSuffix(".xml") {
                let document = Array(try Data(contentsOf: URL(filePath: path).appending(path: file)))
                // Most of the files of Santuario are parts of signed documents, and other documents.
                guard String(decoding: document, as: UTF8.self).contains("SignatureValue") else { continue }
                do {
                    try Self.verify(document)
                    valid.append(file)
                } catch let error as XMLSignatureError {
                    refused[error.code.description, default: []].append("\(file): \(error)")
                }
            }
        }
        print("signatures: \(valid.count) vectors of \(name) are valid\n  \(valid.joined(separator: "\n  "))")
        for (code, files) in refused.sorted(by: { $0.key < $1.key }) {
            print("\(code): \(files.count)\n  \(files.joined(separator: "\n  "))")
        }
        #expect(valid.count >= least, "\(name)")
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

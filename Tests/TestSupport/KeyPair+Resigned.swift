import SignetSignature
package import SignetTLS
import SignetXML

extension KeyPair {
    /// A document whose first signature is made anew over its SignedInfo as it stands, for what no signer of this library would sign.
    ///
    /// - Parameter document: its signature has the prefix `ds`, an exclusive canonicalization and an algorithm of this key.
    package func resigned(_ document: String) async throws -> String {
        guard let start = document.firstRange(of: "<ds:SignedInfo"), let algorithm = documentAlgorithms.first,
            let from = document.firstRange(of: "<ds:SignatureValue>"),
            let to = document.firstRange(of: "</ds:SignatureValue>")
        else { throw MissingSignature() }
        let offset = document.utf8.distance(from: document.startIndex, to: start.lowerBound)
        let element = DocumentIndex.Element(namespaceURI: "", localName: "", range: offset..<offset)
        let content = try XMLCanonicalization(.exclusive10).content(
            of: element, in: Array(document.utf8), limits: XMLLimits())
        let value = Text.base64(try await documentSignature(algorithm, over: content))
        return document[..<from.upperBound] + value + document[to.lowerBound...]
    }

    private struct MissingSignature: Error {}
}

package import SignetTLS
import SignetXML

/// What is found about the signatures of a document, for a person who wants to know why one is refused. Whether a signature is accepted,
/// an `XMLSignatureVerifier` says.
package struct SignatureExamination: Sendable {
    package struct Signature: Sendable {
        /// Where its start tag begins.
        package var offset: Int
        package var algorithm = ""
        package var canonicalization = ""
        /// The bytes that the key has signed.
        package var signedInfo: [UInt8] = []
        /// The certificate whose key made the signature, trusted or not; nil when no certificate is known whose key did.
        package var signer: EncodedCertificate?
        package var references: [Reference] = []
        /// Why the signature is not accepted; nil when it is.
        package var problem: String?
    }

    package struct Reference: Sendable {
        package var uri: String
        package var canonicalization: String
        package var digestMethod: String
        /// Nil when the reference leads to no element.
        package var element: DocumentIndex.Element?
        /// The bytes that were digested now; nil when there is no element.
        package var content: [UInt8]?
        /// Why the content is not what was signed; nil when it is.
        package var problem: String?
    }

    package let root: DocumentIndex.Element
    package private(set) var signatures: [Signature] = []
    let document: [UInt8]
    let limits: XMLLimits
    /// The document before it was changed, if the user has it.
    let original: [UInt8]?
    private let verifier: XMLSignatureVerifier
    /// How many bytes of canonical forms may still be made.
    private var room: Int

    /// - Parameters:
    ///   - verifier: decides which signatures are accepted, and within which limits documents are read.
    ///   - certificates: those that can have made the signatures, besides those in them.
    ///   - now: the time at which the certificates must be valid, in seconds since 1970 in UTC.
    ///   - original: the document as it was signed; nil when it is not there.
    /// - Throws: ``XMLSignatureError`` for a document that cannot be read, or has no signature.
    package init(
        of document: [UInt8], by verifier: XMLSignatureVerifier, certificates: [EncodedCertificate] = [], at now: Int64,
        original: [UInt8]? = nil
    ) throws(XMLSignatureError) {
        self.document = document
        self.original = original
        self.verifier = verifier
        limits = verifier.limits
        room = limits.documentBytes
        let survey = try DocumentIndex(signaturesOf: document, limits: limits)
        root = survey.root
        let read = survey.signatures.map { offset in
            Result { () throws(XMLSignatureError) in
                try SignatureElement(at: offset, of: document, limits: limits)
            }
        }
        let identifiers = Set(read.compactMap { try? $0.get() }.flatMap(\.references).compactMap(\.identifier))
        let index = try DocumentIndex(of: document, identifiers: identifiers, limits: limits)
        for (offset, result) in zip(survey.signatures, read) {
            switch result {
            case .failure(let error): signatures.append(Signature(offset: offset, problem: error.message))
            case .success(let signature): signatures.append(examined(signature, index, certificates, now))
            }
        }
    }

    private mutating func examined(
        _ element: SignatureElement, _ index: DocumentIndex, _ others: [EncodedCertificate], _ now: Int64
    ) -> Signature {
        var signature = Signature(offset: element.offset)
        signature.algorithm = SignatureAlgorithms.uri(element.method)
        signature.canonicalization = SignatureAlgorithms.uri(element.form.method)
        for reference in element.references { signature.references.append(examined(reference, element, index)) }
        let candidates = element.certificates + others.filter { !element.certificates.contains($0) }
        do {
            signature.signedInfo = try element.form.content(of: element.signedInfo, in: document, limits: limits)
            signature.signer = (candidates + verifier.signers).first { isSigner($0, element, signature.signedInfo) }
            let elements = try element.references.map { (reference) throws(XMLSignatureError) in
                try verifier.element(of: reference, element, index)
            }
            _ = try verifier.verify(element, candidates, elements, document, now)
        } catch {
            switch error.code {
            case .wrongSignature where signature.signer == nil,
                .untrustedSigner where candidates.isEmpty && verifier.signers.isEmpty:
                signature.problem = whyNotSigned(element, signature.signedInfo, candidates + verifier.signers)
            case .wrongSignature:
                signature.problem =
                    "The signature was made by “\(signature.signer?.subject ?? "")”, who is not one of the trusted signers."
            case .changedContent:
                signature.problem = signature.references.compactMap(\.problem).first ?? error.message
            default: signature.problem = error.message
            }
        }
        return signature
    }

    private mutating func examined(
        _ reference: SignatureElement.Reference, _ signature: SignatureElement, _ index: DocumentIndex
    ) -> Reference {
        var result = Reference(
            uri: reference.uri, canonicalization: SignatureAlgorithms.uri(reference.form.method),
            digestMethod: SignatureAlgorithms.uri(reference.digestMethod))
        do {
            let element = try verifier.element(of: reference, signature, index)
            result.element = element
            guard room > 0 else {
                result.problem =
                    "The references cover more than \(limits.documentBytes) bytes together, and this one was not looked at."
                return result
            }
            let omitted = element.range.contains(signature.offset) ? signature.offset : nil
            let content = try reference.form.content(
                of: reference.uri.isEmpty ? nil : element, in: document, omitting: omitted, limits: limits)
            room -= content.count
            result.content = content
            if reference.digestMethod.digest(of: content) != reference.digest {
                result.problem = whyChanged(reference, element, content, omitted)
                // Other canonical forms were tried.
                room -= 8 * content.count
            }
        } catch { result.problem = error.message }
        return result
    }
}

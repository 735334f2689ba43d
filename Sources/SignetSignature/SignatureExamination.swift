package import SignetTLS
package import SignetXML

/// What is found about the signatures of a document, valid or not, for a person who wants to know why one is refused. It trusts
/// nothing, and decides nothing.
package struct SignatureExamination: Sendable {
    package struct Signature: Sendable {
        /// Where its start tag begins.
        package var offset: Int
        package var algorithm = ""
        package var canonicalization = ""
        /// The bytes that the key has signed.
        package var signedInfo: [UInt8] = []
        /// The certificate whose key made the signature; nil for none of those that are known.
        package var signer: EncodedCertificate?
        /// The certificates that the signature brings.
        package var certificates: [EncodedCertificate] = []
        package var references: [Reference] = []
        /// Why the signature is not valid, whatever its references lead to; nil when it is.
        package var problem: String?

        /// Whether a known key made the signature, and all content is what was signed.
        package var isValid: Bool { problem == nil && references.allSatisfy { $0.problem == nil } }
        package var usesSHA1: Bool {
            algorithm == SignatureAlgorithms.uri(.rsaSHA1)
                || references.contains { $0.digestMethod == SignatureAlgorithms.uri(DigestMethod.sha1) }
        }
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

    package private(set) var root: DocumentIndex.Element
    package private(set) var signatures: [Signature] = []
    private let document: [UInt8]
    private let limits: XMLLimits
    /// How many bytes of canonical forms may still be made.
    private var room: Int
    /// The document before it was changed, if the user has it.
    private let original: [UInt8]?

    /// - Parameters:
    ///   - certificates: those that can have made the signatures, besides those in them.
    ///   - original: the document as it was signed; nil when it is not there.
    /// - Throws: ``XMLSignatureError`` for a document that cannot be read, or has no signature.
    package init(
        of document: [UInt8], certificates: [EncodedCertificate] = [], original: [UInt8]? = nil,
        limits: XMLLimits = XMLLimits()
    ) throws(XMLSignatureError) {
        self.document = document
        self.original = original
        self.limits = limits
        room = limits.documentBytes
        let survey = try DocumentIndex(of: document, limits: limits)
        root = survey.root
        guard !survey.signatures.isEmpty else {
            throw XMLSignatureError(.noSignature, "The document has no signature.")
        }
        guard survey.signatures.count <= DocumentIndex.maximumSignatures else {
            throw XMLSignatureError(
                .unsupported,
                "The document has \(survey.signatures.count) signatures; \(DocumentIndex.maximumSignatures) are the limit."
            )
        }
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
            case .success(let signature): signatures.append(examined(signature, index, certificates))
            }
        }
    }

    /// The element that must be signed: the one with an identifier; otherwise the Body of an envelope, or the root element.
    package func expected(_ identifier: String?) throws(XMLSignatureError) -> DocumentIndex.Element {
        if let identifier {
            return try DocumentIndex(of: document, identifiers: [identifier], limits: limits)
                .element(identifier: identifier)
        }
        guard root.localName == "Envelope", Self.envelopes.contains(root.namespaceURI) else { return root }
        return try body()
    }

    /// The one Body that is a child of the envelope: others can stand elsewhere, signed or not.
    private func body() throws(XMLSignatureError) -> DocumentIndex.Element {
        let name = XMLName(XMLNamespace(root.namespaceURI), "Body")
        var bodies: [DocumentIndex.Element] = []
        var isOther = false
        do {
            try XMLReader.read(document, limits: limits) { (reader) throws(XMLError) in
                try reader.root()
                while try reader.nextChild() {
                    let start = reader.startTagOffset ?? 0
                    let isHeader = reader.isElement(XMLName(name.namespace, "Header")) && bodies.isEmpty
                    let isBody = reader.isElement(name)
                    isOther = isOther || !isHeader && !isBody
                    try reader.skipElement()
                    guard isBody else { continue }
                    bodies.append(
                        DocumentIndex.Element(
                            namespaceURI: root.namespaceURI, localName: "Body", range: start..<reader.bytesRead))
                }
            }
        } catch { throw XMLSignatureError(.unreadable, "The document cannot be read: \(error)", cause: error) }
        guard let first = bodies.first, bodies.count == 1, !isOther else {
            throw XMLSignatureError(
                .wrongReference,
                "The envelope has \(bodies.count) elements “Body”\(isOther ? ", and others that have no place there" : ""); it must have a Header or none, and one Body."
            )
        }
        return first
    }

    private static let envelopes = [
        "http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope",
    ]

    // MARK: One signature

    private mutating func examined(
        _ element: SignatureElement, _ index: DocumentIndex, _ others: [EncodedCertificate]
    ) -> Signature {
        var signature = Signature(offset: element.offset)
        signature.algorithm = SignatureAlgorithms.uri(element.method)
        signature.certificates = element.certificates
        signature.canonicalization = SignatureAlgorithms.uri(element.form.method)
        for reference in element.references { signature.references.append(examined(reference, element, index)) }
        do {
            signature.signedInfo = try element.form.content(of: element.signedInfo, in: document, limits: limits)
        } catch {
            signature.problem = error.message
            return signature
        }
        let candidates = element.certificates + others.filter { !element.certificates.contains($0) }
        signature.signer = candidates.first { isSigner($0, element, signature.signedInfo) }
        if signature.signer == nil {
            signature.problem = whyNotSigned(element, signature.signedInfo, candidates)
        }
        return signature
    }

    private func isSigner(_ certificate: EncodedCertificate, _ element: SignatureElement, _ signed: [UInt8]) -> Bool {
        guard let key = try? VerificationKey(of: certificate) else { return false }
        return element.method.isValid(element.value, over: signed, by: key)
    }

    private func whyNotSigned(
        _ element: SignatureElement, _ signed: [UInt8], _ candidates: [EncodedCertificate]
    ) -> String {
        guard !candidates.isEmpty else {
            return
                "The signature brings no certificate, so that it is unknown whose key made it. Give the signer's certificate (signet: --signer)."
        }
        for method in XMLCanonicalization.Method.allCases where method != element.form.method {
            var form = element.form
            form.method = method
            guard let other = try? form.content(of: element.signedInfo, in: document, limits: limits),
                let signer = candidates.first(where: { isSigner($0, element, other) })
            else { continue }
            return
                "The key of “\(signer.subject)” signed another canonical form of SignedInfo (\(SignatureAlgorithms.uri(method))) than the signature names."
        }
        let unindented = Self.withoutBlanksBetweenTags(signed)
        if let signer = candidates.first(where: { isSigner($0, element, unindented) }) {
            return
                "The key of “\(signer.subject)” made the signature. White space was added to SignedInfo afterwards, as by a program that indents."
        }
        for candidate in candidates {
            guard let key = try? VerificationKey(of: candidate) else { continue }
            if key.isRSASignature(element.value) {
                return
                    "The key of “\(candidate.subject)” made the signature, over another SignedInfo than the one that stands in the document: SignedInfo was changed, or its namespaces are others than when it was signed."
            }
        }
        for candidate in candidates {
            do { _ = try VerificationKey(of: candidate) } catch {
                return "The certificate of “\(candidate.subject)” has \(error)."
            }
        }
        let names = candidates.prefix(5).map { "“\($0.subject)”" }.joined(separator: ", ")
        return "The signature was not made by the key of \(names), or SignedInfo or SignatureValue was changed."
    }

    // MARK: References

    private mutating func examined(
        _ reference: SignatureElement.Reference, _ signature: SignatureElement, _ index: DocumentIndex
    ) -> Reference {
        var result = Reference(
            uri: reference.uri, canonicalization: SignatureAlgorithms.uri(reference.form.method),
            digestMethod: SignatureAlgorithms.uri(reference.digestMethod))
        do {
            let element = reference.uri.isEmpty ? index.root : try reference.element(in: index)
            result.element = element
            let isInside = element.range.contains(signature.offset)
            guard room > 0 else {
                result.problem =
                    "The references cover more than \(limits.documentBytes) bytes together, and this one was not looked at."
                return result
            }
            let content = try reference.form.content(
                of: reference.uri.isEmpty ? nil : element, in: document, omitting: isInside ? signature.offset : nil,
                limits: limits)
            room -= content.count
            result.content = content
            if isInside, !reference.isEnveloped {
                result.problem =
                    "The signature stands in what it signs, and the transform for enveloped signatures is missing."
            } else if reference.digestMethod.digest(of: content) != reference.digest {
                result.problem = whyChanged(reference, element, content, isInside ? signature.offset : nil)
                // Other canonical forms were tried.
                room -= 8 * content.count
            }
        } catch { result.problem = error.message }
        return result
    }

    /// Looks for what could have been done to the content after it was signed.
    private func whyChanged(
        _ reference: SignatureElement.Reference, _ element: DocumentIndex.Element, _ content: [UInt8], _ omitted: Int?
    ) -> String {
        func fits(_ bytes: [UInt8]) -> Bool { reference.digestMethod.digest(of: bytes) == reference.digest }
        let target = reference.uri.isEmpty ? nil : element
        for method in XMLCanonicalization.Method.allCases {
            for hasComments in [false, true] where method != reference.form.method || hasComments {
                var form = reference.form
                (form.method, form.hasComments) = (method, hasComments)
                guard let other = try? form.content(of: target, in: document, omitting: omitted, limits: limits),
                    fits(other)
                else { continue }
                let name = SignatureAlgorithms.uri(method) + (hasComments ? "#WithComments" : "")
                return "The digest is that of another canonical form (\(name)) than the reference names."
            }
        }
        if !reference.form.inclusiveNamespaces.isEmpty {
            var form = reference.form
            form.inclusiveNamespaces = []
            if let other = try? form.content(of: target, in: document, omitting: omitted, limits: limits), fits(other) {
                return "The digest is that of the canonical form without the prefixes that InclusiveNamespaces lists."
            }
        }
        if omitted != nil,
            let other = try? reference.form.content(of: target, in: document, limits: limits), fits(other)
        {
            return "The digest is that of the content with the signature in it."
        }
        if fits(Self.withoutBlanksBetweenTags(content)) {
            return "White space between elements was added after the content was signed, as by a program that indents."
        }
        if fits(Self.replacing("\n", with: "&#xD;\n", in: content)) {
            return "The line ends were CR LF when the content was signed, and are LF now."
        }
        if fits(Self.replacing("&#xD;", with: "", in: content)) {
            return "The line ends were LF when the content was signed, and are CR LF now."
        }
        return difference(reference, content)
            ?? "The content was changed after it was signed, or its DigestValue was."
    }

    /// The first byte that differs from the content as it was signed; nil when the original is not there.
    private func difference(_ reference: SignatureElement.Reference, _ content: [UInt8]) -> String? {
        guard let original else { return nil }
        let before: [UInt8]
        do {
            let index = try DocumentIndex(
                of: original, identifiers: Set([reference.identifier].compactMap(\.self)), limits: limits)
            let element = reference.uri.isEmpty ? nil : try reference.element(in: index)
            let range = element?.range ?? index.root.range
            before = try reference.form.content(
                of: element, in: original, omitting: index.signatures.first(where: range.contains), limits: limits)
        } catch { return "The original has no such content: \(error.message)" }
        guard before != content else {
            return "The content is that of the original. Its DigestValue was changed, or is that of another content."
        }
        guard reference.digestMethod.digest(of: before) == reference.digest else {
            return
                "The content was changed after it was signed. The original that was given is not what was signed either."
        }
        let place =
            zip(before, content).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            ?? min(before.count, content.count)
        return
            "The content was changed after it was signed. Its canonical forms differ from byte \(place) on: signed was “\(Self.excerpt(before, place))”, and now it is “\(Self.excerpt(content, place))”."
    }

    private static func excerpt(_ bytes: [UInt8], _ place: Int) -> String {
        let begin = max(0, place - 16)
        // A place in the middle of a character would show none.
        return String(decoding: bytes[begin..<min(bytes.count, place + 32)], as: UTF8.self).map { character in
            character.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } ? String(character) : " "
        }.joined()
    }

    private static func withoutBlanksBetweenTags(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = bytes.startIndex
        while position < bytes.endIndex {
            result.append(bytes[position])
            if bytes[position] == UInt8(ascii: ">") {
                let rest = bytes[(position + 1)...].drop { " \t\n\r".utf8.contains($0) }
                if rest.first == UInt8(ascii: "<") { position = rest.startIndex - 1 }
            }
            position += 1
        }
        return result
    }

    private static func replacing(_ old: String, with new: String, in bytes: [UInt8]) -> [UInt8] {
        let (old, new) = (Array(old.utf8), Array(new.utf8))
        var result: [UInt8] = []
        var rest = bytes[...]
        while let first = rest.firstIndex(of: old[0]) {
            result += rest[..<first]
            rest = rest[first...]
            if rest.starts(with: old) {
                result += new
                rest = rest.dropFirst(old.count)
            } else if let byte = rest.popFirst() {
                result.append(byte)
            }
        }
        return result + rest
    }

    // MARK: Coverage

    /// The elements in signatures that stand in what these signatures cover, and that no signature covers: an enveloped signature is left
    /// out as a whole, with all that an attacker has put into it.
    package func elements(hiddenIn signatures: [Signature]) throws(XMLSignatureError) -> [DocumentIndex.Element] {
        let ranges = signatures.flatMap(\.references).compactMap(\.element?.range)
        let covered = Set(ranges.map(\.lowerBound))
        let own: Set = [
            SignatureElement.namespace.uri, SignatureElement.exclusive.uri, "http://www.w3.org/2009/xmldsig11#",
        ]
        var found: [DocumentIndex.Element] = []
        /// The end of the outermost signature that is open, in open elements.
        var depth: Int?
        do {
            try XMLReader.read(document, limits: limits) { (reader) throws(XMLError) in
                while true {
                    switch try reader.next() {
                    case .startElement:
                        let start = reader.startTagOffset ?? 0
                        if depth == nil {
                            if reader.isElement(XMLName(SignatureElement.namespace, "Signature")),
                                ranges.contains(where: { $0.lowerBound < start && start < $0.upperBound })
                            {
                                depth = reader.openElements
                            }
                        } else if covered.contains(start) {
                            try reader.skipElement()
                        } else if !own.contains(reader.namespaceURI) {
                            let (uri, name) = (reader.namespaceURI, reader.elementName)
                            try reader.skipElement()
                            found.append(
                                DocumentIndex.Element(
                                    namespaceURI: uri, localName: name, range: start..<reader.bytesRead))
                        }
                    case .endElement: if let open = depth, reader.openElements < open { depth = nil }
                    case .text: continue
                    case .endOfDocument: return
                    }
                }
            }
        } catch { throw XMLSignatureError(.unreadable, "The document cannot be read: \(error)", cause: error) }
        return found
    }

    /// The outermost elements that none of these signatures covers. Signatures, and elements around what is covered, are not among
    /// them.
    package func elements(outside signatures: [Signature]) throws(XMLSignatureError) -> [DocumentIndex.Element] {
        let signature = XMLName(SignatureElement.namespace, "Signature")
        let covered = Set(signatures.flatMap(\.references).compactMap(\.element?.range.lowerBound))
        var found: [DocumentIndex.Element] = []
        /// The open elements, how many were found before each, and whether something inside is covered.
        var open: [(element: DocumentIndex.Element, found: Int, isAround: Bool)] = []
        do {
            try XMLReader.read(document, limits: limits) { (reader) throws(XMLError) in
                while true {
                    switch try reader.next() {
                    case .startElement:
                        let start = reader.startTagOffset ?? 0
                        if covered.contains(start) {
                            for position in open.indices { open[position].isAround = true }
                            try reader.skipElement()
                        } else if reader.isElement(signature) {
                            try reader.skipElement()
                        } else {
                            let element = DocumentIndex.Element(
                                namespaceURI: reader.namespaceURI, localName: reader.elementName, range: start..<start)
                            open.append((element, found.count, false))
                        }
                    case .endElement:
                        guard var last = open.popLast(), !last.isAround else { continue }
                        last.element.range = last.element.range.lowerBound..<reader.bytesRead
                        found.removeLast(found.count - last.found)
                        found.append(last.element)
                    case .text: continue
                    case .endOfDocument: return
                    }
                }
            }
        } catch { throw XMLSignatureError(.unreadable, "The document cannot be read: \(error)", cause: error) }
        return found
    }
}

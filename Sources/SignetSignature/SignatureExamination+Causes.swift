import SignetTLS
import SignetXML

/// What can have happened to a signature that is refused.
extension SignatureExamination {
    func isSigner(_ certificate: EncodedCertificate, _ element: SignatureElement, _ signed: [UInt8]) -> Bool {
        guard let key = try? VerificationKey(of: certificate) else { return false }
        return element.method.isValid(element.value, over: signed, by: key)
    }

    func whyNotSigned(
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

    /// Looks for what could have been done to the content after it was signed.
    func whyChanged(
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
        let text = String(decoding: content, as: UTF8.self)
        if text.contains("http://www.w3.org/2001/04/xmlenc#"), text.contains("EncryptedData") {
            return
                "The content holds encrypted elements (EncryptedData). What was signed before it was encrypted can be judged only after it is decrypted."
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
}

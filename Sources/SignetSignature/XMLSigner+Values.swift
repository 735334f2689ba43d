public import SignetXML

extension XMLSigner {
    /// Writes a value as an element, and signs it.
    ///
    /// ```swift
    /// let signed = try await signer.sign(invoice, as: XMLName("http://www.portalfiscal.inf.br/nfe", "NFe"), covering: .element(id: "NFe35"))
    /// ```
    ///
    /// Send the fragment as it is, as the content of an element that may have any: `XMLAny(children: [signed])`. A value that is read
    /// from it and written again can have other prefixes, which an inclusive canonical form covers.
    ///
    /// - Parameters:
    ///   - value: a structure, such as a generated one.
    ///   - name: the name of the element.
    ///   - content: what is signed.
    /// - Returns: the element with the signature.
    /// - Throws: ``XMLSignatureError``; with `unreadable` for a value that cannot be written.
    public func sign<Value: XMLFielded>(
        _ value: Value, as name: XMLName, covering content: Content
    ) async throws(XMLSignatureError) -> XMLFragment {
        let bytes: [UInt8]
        do { bytes = try XMLFragment(name, value).bytes } catch {
            throw XMLSignatureError(.unreadable, "The value cannot be written: \(error)", cause: error)
        }
        let signed = try await sign(bytes, covering: content)
        do { return try XMLFragment(parsing: signed, limits: limits) } catch {
            throw XMLSignatureError(.unreadable, "The signed value exceeds the limits: \(error)", cause: error)
        }
    }
}

extension XMLSignatureVerifier {
    /// Verifies a signature in an element, and reads the value from what is signed.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - fragment: the element.
    ///   - expectation: the element that must be signed, whose content is the value.
    ///   - now: the time at which the certificates must be valid, in seconds since 1970 in UTC.
    /// - Returns: the value, and who signed it.
    /// - Throws: ``XMLSignatureError``; with `unreadable` when the signed element is no such value.
    public func verify<Value: XMLFielded>(
        _ type: Value.Type = Value.self, in fragment: XMLFragment, covering expectation: Expectation, at now: Int64
    ) throws(XMLSignatureError) -> (value: Value, signature: VerifiedSignature) {
        let signature = try verify(fragment.bytes, covering: expectation, at: now)
        do {
            let content = try XMLFragment(parsing: signature.content.bytes, limits: limits)
            return (try content.structure(type), signature)
        } catch {
            throw XMLSignatureError(
                .unreadable, "The signed element “\(signature.content.localName)” is no \(type): \(error)", cause: error
            )
        }
    }
}

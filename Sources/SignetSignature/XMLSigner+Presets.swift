public import SignetTLS
public import SignetXML

/// The forms that services demand. Not run against the real services.
extension XMLSigner {
    /// Documents of Brazil's NF-e, such as the element `infNFe` of an invoice, which the signature follows. The key is RSA and in
    /// memory.
    ///
    /// ```swift
    /// let signed = try await XMLSigner.nfe(identity).sign(document, covering: .element(id: "NFe35"))
    /// ```
    ///
    /// Source: Manual de Orientação do Contribuinte 7.0, “Padrão de assinatura digital”: RSA and SHA-1, the transforms for enveloped
    /// signatures and Canonical XML 1.0, the certificate of the signer alone, elements without a prefix.
    ///
    /// - Throws: ``XMLSignatureError`` with `cannotSign` for a key of another kind.
    public static func nfe(_ identity: Identity) throws(XMLSignatureError) -> XMLSigner {
        var signer = try rsaSHA1(identity)
        signer.canonicalization = XMLCanonicalization(.inclusive10)
        signer.place = .after
        return signer
    }

    /// Requests of the mass download of Mexico's SAT (`SolicitaDescarga`, `VerificaSolicitudDescarga`, `Descargar`): the signature covers
    /// the element of the operation, and stands in the element inside. The key is RSA and in memory.
    ///
    /// ```swift
    /// let namespace = XMLNamespace("http://DescargaMasivaTerceros.sat.gob.mx")
    /// let signer = try XMLSigner.sat(identity, inside: XMLName(namespace, "solicitud"))
    /// let signed = try await signer.sign(request, covering: .root)
    /// ```
    ///
    /// Source: “Documentación del Servicio de Solicitud de Descarga Masiva” 1.2 and the requests that the library phpcfdi/sat-ws-descarga-masiva
    /// makes: RSA and SHA-1, exclusive canonicalization, an empty reference, elements without a prefix.
    ///
    /// - Parameters:
    ///   - identity: the FIEL of the sender.
    ///   - name: the element that gets the signature, as its last child.
    /// - Throws: ``XMLSignatureError`` with `cannotSign` for a key of another kind.
    public static func sat(_ identity: Identity, inside name: XMLName) throws(XMLSignatureError) -> XMLSigner {
        var signer = try rsaSHA1(identity)
        signer.place = .within(name)
        return signer
    }

    private static func rsaSHA1(_ identity: Identity) throws(XMLSignatureError) -> XMLSigner {
        var signer = try XMLSigner(identity)
        guard KeyPair(of: identity).kind.rsaBits != nil else {
            throw XMLSignatureError(
                .cannotSign,
                "The service demands an RSA key; that of “\(identity.leaf.subject)” is \(KeyPair(of: identity).kind).")
        }
        signer.algorithm = .insecureRSASHA1
        signer.digest = .insecureSHA1
        signer.prefix = ""
        return signer
    }
}

import SignetSignature
import SignetTLS
import SignetXML
import Support

/// What is accepted as signed was signed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let isPart = input.byte() & 1 != 0
    let document = input.rest()
    guard let verified = try? verify(document, isPart: isPart) else { return 0 }
    for content in verified.contents {
        require(signed.contains(content.bytes), "accepted as signed: \(String(decoding: content.bytes, as: UTF8.self))")
    }
    require(!isPart || verified.content.localName == "a", "another element is returned than was expected")
    return 0
}

func verify(_ document: [UInt8], isPart: Bool) throws(XMLSignatureError) -> VerifiedSignature {
    try verifier.verify(
        document, covering: isPart ? .element(XMLName("urn:p", "a")) : .root, at: certificate.notBefore ?? 0)
}

/// The certificate of a signer whose key was deleted.
let certificate = EncodedCertificate(
    der: Text.bytes(
        base64: """
            MIIBODCB66ADAgECAhR3uLSiWCk/ONgFJG3peb5u78zYkjAFBgMrZXAwETEPMA0GA1UEAwwGc2lnbmVyMCAXDTI2MTEyODEyMzMy
            MVoYDzIxMjYxMTA0MTIzMzIxWjARMQ8wDQYDVQQDDAZzaWduZXIwKjAFBgMrZXADIQCx1khV1GXBJ/8WamfL9L4oO2/6nivGSIoA
            ARJ7zvM0aqNTMFEwHQYDVR0OBBYEFG8njb7BychDLbges2gOOHLqxiKQMB8GA1UdIwQYMBaAFG8njb7BychDLbges2gOOHLqxiKQ
            MA8GA1UdEwEB/wQFMAMBAf8wBQYDK2VwA0EAoSEvQ1AA8jN0jfJS7jnQLWXMv55SJlCpOS1sbA39TZMVjp8aJeoccQhU4VFcoqcL
            zPqB85JYucbUPiwLa28TAQ==
            """.utf8) ?? [])
let verifier = XMLSignatureVerifier(signers: [certificate])

/// What the signer has signed: four documents, with each canonicalization.
let signed: Set<[UInt8]> = Set(
    documents.flatMap { document in
        let bytes = Array(document.utf8)
        let verified = (try? verify(bytes, isPart: false)) ?? (try? verify(bytes, isPart: true))
        require(verified != nil, "a signed document is refused")
        return verified?.contents.map(\.bytes) ?? []
    })

let documents = [
    ##"<r xmlns="urn:r" xmlns:p="urn:p"><p:a Id="i">one<p:b/></p:a><ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><ds:SignatureMethod Algorithm="http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519"/><ds:Reference URI=""><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>AMMh3oVESPXUfcdFy7xwPLeGOCIfo4zvgJnj4PH/pVk=</ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue>rVeuSrWNqTOr4ZMsBYTIyJL4mPloLrtp0LQ/tDvaNn/76KcQbU9kqnxx6w5EsWo4k85PgfN5PHM6kQJh2edJDw==</ds:SignatureValue></ds:Signature></r>"##,
    ##"<r xmlns="urn:r" xmlns:p="urn:p"><p:a Id="i">one<p:b/></p:a><ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><ds:SignatureMethod Algorithm="http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519"/><ds:Reference URI="#i"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>cVvkquEWAXkpmuIgexevORCinf+PvSBAUf7vff/1YWY=</ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue>rprlWkjTfjH2kdk7mm3WVjkw9iShoAAizAwEYR5eTYs0HQLPMtwalYVDKGG0QnZmweHaRC2nTh7DBXzSLMssBw==</ds:SignatureValue></ds:Signature></r>"##,
    ##"<r xmlns="urn:r" xmlns:p="urn:p"><p:a Id="i">one<p:b/></p:a><ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"/><ds:SignatureMethod Algorithm="http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519"/><ds:Reference URI="#i"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><ds:Transform Algorithm="http://www.w3.org/TR/2001/REC-xml-c14n-20010315"/></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>iiP3Wgo2lonaVZQPR0V34zsGAxAydpY5Hmxgar46o9Y=</ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue>3oY9Ya/BFfv+8+/qX8gkeAymn5zOPoK2fuypXCfSkMPTiFdlXfChcgym8L8l6VCsGEiPK8OE0+R0tVZSVPDYCg==</ds:SignatureValue></ds:Signature></r>"##,
    ##"<r xmlns="urn:r" xmlns:p="urn:p"><p:a Id="i">one<p:b/></p:a><ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2006/12/xml-c14n11"/><ds:SignatureMethod Algorithm="http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519"/><ds:Reference URI=""><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/><ds:Transform Algorithm="http://www.w3.org/2006/12/xml-c14n11"/></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>DFkLPMTWP/RBRhWZRikTfR1kwpnObAWf6/dntpyDq8k=</ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue>mHjkNCd6+BZ24oix8rwEfM+PKccsvhE9I+SFr7B5k+DF6n+NxVfwdA8kjrVeG/qVjGBUywJFh2ovyKoJ2FTxCA==</ds:SignatureValue></ds:Signature></r>"##,
]

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

import SignetSOAP
import SignetTLS
import SignetXML
import Support

@testable import SignetWSSecurity

/// What is read of a message was signed.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    guard let opened = try? policy.open(SOAPMessage(input.rest()), now: now) else { return 0 }
    for piece in pieces(of: opened.envelope) {
        require(signed.contains(piece), "read as signed: \(String(decoding: piece, as: UTF8.self))")
    }
    return 0
}

let now = Duration.seconds(1795881010)

/// The header blocks, the parts of Security and the body of a message that was opened.
func pieces(of envelope: [UInt8]) -> [[UInt8]] {
    guard let found = try? SecuredEnvelope(envelope, roles: [], limits: XMLLimits()) else {
        require(false, "an opened message cannot be read")
        return []
    }
    let blocks = found.headerBlocks.filter { $0.element != found.security?.element }
    return (blocks + found.securityParts + [found.body]).map { Array(envelope[$0.element.range]) }
}

/// Accepts the messages below; the key of their signer was deleted.
let policy = SignaturePolicy(signers: [
    EncodedCertificate(
        der: Text.bytes(
            base64: """
                MIIBODCB66ADAgECAhQpb8NdGAOAIbI5NjiHL/z2vKK+NjAFBgMrZXAwETEPMA0GA1UEAwwGc2lnbmVyMCAXDTI2MTEyODE1NDQw
                NVoYDzIxMjYxMTA0MTU0NDA1WjARMQ8wDQYDVQQDDAZzaWduZXIwKjAFBgMrZXADIQDCXESxh+103FqCG8FfrrCOpCQ1FzwLD8Oy
                BIU+240ps6NTMFEwHQYDVR0OBBYEFJlvc2+bpGyE+2fQfVWXvZvvJosyMB8GA1UdIwQYMBaAFJlvc2+bpGyE+2fQfVWXvZvvJosy
                MA8GA1UdEwEB/wQFMAMBAf8wBQYDK2VwA0EAMT3s/z3kd1gz7N+j+4YPucXNZ7k+CfrNN8V4zkGAw0X+xuTU3o39Lpl+exF5j3H7
                6UAB9Y4AdptY5beCXYDZAQ==
                """.utf8) ?? [])
])

/// What the signer has signed.
let signed: Set<[UInt8]> = Set(
    messages.flatMap { message in
        let opened = try? policy.open(SOAPMessage(Array(message.utf8)), now: now)
        require(opened != nil, "a signed message is refused")
        return opened.map { pieces(of: $0.envelope) } ?? []
    })

let messages = [
    ##"<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:wsse="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd" xmlns:wsu="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"><s:Header><wsse:Security><wsu:Timestamp wsu:Id="t"><wsu:Created>2026-11-28T15:50:00Z</wsu:Created></wsu:Timestamp><wsse:BinarySecurityToken xmlns:wsse="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd" xmlns:wsu="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd" EncodingType="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary" ValueType="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3" wsu:Id="X509-d103d224d5ba52dc0c926527c1807947">MIIBODCB66ADAgECAhQpb8NdGAOAIbI5NjiHL/z2vKK+NjAFBgMrZXAwETEPMA0GA1UEAwwGc2lnbmVyMCAXDTI2MTEyODE1NDQwNVoYDzIxMjYxMTA0MTU0NDA1WjARMQ8wDQYDVQQDDAZzaWduZXIwKjAFBgMrZXADIQDCXESxh+103FqCG8FfrrCOpCQ1FzwLD8OyBIU+240ps6NTMFEwHQYDVR0OBBYEFJlvc2+bpGyE+2fQfVWXvZvvJosyMB8GA1UdIwQYMBaAFJlvc2+bpGyE+2fQfVWXvZvvJosyMA8GA1UdEwEB/wQFMAMBAf8wBQYDK2VwA0EAMT3s/z3kd1gz7N+j+4YPucXNZ7k+CfrNN8V4zkGAw0X+xuTU3o39Lpl+exF5j3H76UAB9Y4AdptY5beCXYDZAQ==</wsse:BinarySecurityToken><ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><ds:SignatureMethod Algorithm="http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519"/><ds:Reference URI="#t"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"><ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="wsu"/></ds:Transform></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>pRKP+EE9ODZJdebgFhdo6Bcj07V5vgWI6Bo30TTYL8I=</ds:DigestValue></ds:Reference><ds:Reference URI="#b"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"><ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="wsu"/></ds:Transform></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>Yfr/W1+QKH5e6LXKFkyGolydPXIbXCe6pBcaJBE40nY=</ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue>/bxV1qUZl56cAnJ02y8Q/+dkZ/Q2vkGBy8FxNiNu0zNo30UsRi8mU03GkoD33bCYzIQz7ProQUkLlHTTtPGmCw==</ds:SignatureValue><ds:KeyInfo><wsse:SecurityTokenReference xmlns:wsse="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"><wsse:Reference URI="#X509-d103d224d5ba52dc0c926527c1807947" ValueType="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3"/></wsse:SecurityTokenReference></ds:KeyInfo></ds:Signature></wsse:Security></s:Header><s:Body wsu:Id="b"><e:Echo xmlns:e="urn:echo">pay one</e:Echo></s:Body></s:Envelope>"##,
    ##"<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:wsse="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd" xmlns:wsu="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd"><s:Header><a:Action xmlns:wsuu="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd" wsuu:Id="Action-bc7c6d8432086e8b7ef01a9a9e40595a" xmlns:a="http://www.w3.org/2005/08/addressing">urn:echo</a:Action><wsse:Security><wsu:Timestamp wsu:Id="t"><wsu:Created>2026-11-28T15:50:00Z</wsu:Created></wsu:Timestamp><wsse:BinarySecurityToken xmlns:wsse="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd" xmlns:wsu="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd" EncodingType="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary" ValueType="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3" wsu:Id="X509-b11917d2d434b9aa7ba4ef69ba977fc4">MIIBODCB66ADAgECAhQpb8NdGAOAIbI5NjiHL/z2vKK+NjAFBgMrZXAwETEPMA0GA1UEAwwGc2lnbmVyMCAXDTI2MTEyODE1NDQwNVoYDzIxMjYxMTA0MTU0NDA1WjARMQ8wDQYDVQQDDAZzaWduZXIwKjAFBgMrZXADIQDCXESxh+103FqCG8FfrrCOpCQ1FzwLD8OyBIU+240ps6NTMFEwHQYDVR0OBBYEFJlvc2+bpGyE+2fQfVWXvZvvJosyMB8GA1UdIwQYMBaAFJlvc2+bpGyE+2fQfVWXvZvvJosyMA8GA1UdEwEB/wQFMAMBAf8wBQYDK2VwA0EAMT3s/z3kd1gz7N+j+4YPucXNZ7k+CfrNN8V4zkGAw0X+xuTU3o39Lpl+exF5j3H76UAB9Y4AdptY5beCXYDZAQ==</wsse:BinarySecurityToken><ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/><ds:SignatureMethod Algorithm="http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519"/><ds:Reference URI="#Action-bc7c6d8432086e8b7ef01a9a9e40595a"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"><ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="wsuu"/></ds:Transform></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>LyGH3BV4EtwM5ZjiXxl6C/tXLNuMFgFNnodGGQSmpGM=</ds:DigestValue></ds:Reference><ds:Reference URI="#t"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"><ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="wsu"/></ds:Transform></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>pRKP+EE9ODZJdebgFhdo6Bcj07V5vgWI6Bo30TTYL8I=</ds:DigestValue></ds:Reference><ds:Reference URI="#X509-b11917d2d434b9aa7ba4ef69ba977fc4"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"><ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="wsu"/></ds:Transform></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>tcs/Jy4pujHHRnFsbsCjt2rNa6i2Ul2865kRoSmUIaA=</ds:DigestValue></ds:Reference><ds:Reference URI="#b"><ds:Transforms><ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"><ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="wsu x"/></ds:Transform></ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"/><ds:DigestValue>KXkn0O+l2lc/8eaq8EBM5geUx+CL/tL4UBN6mvmo0rU=</ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue>KVMr4wmatsLHRqAlrI5eGENmsT8Qacpkzf+4kK0jhogbXuVoFMYrI4aar47wG9l9bTaSSLE5jnMmkP58/Ls+DQ==</ds:SignatureValue><ds:KeyInfo><wsse:SecurityTokenReference xmlns:wsse="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"><wsse:Reference URI="#X509-b11917d2d434b9aa7ba4ef69ba977fc4" ValueType="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3"/></wsse:SecurityTokenReference></ds:KeyInfo></ds:Signature></wsse:Security></s:Header><s:Body wsu:Id="b"><Echo xmlns="urn:echo" xmlns:x="urn:x" k="x:y"><a Id="a"/>pay two</Echo></s:Body></s:Envelope>"##,
]

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

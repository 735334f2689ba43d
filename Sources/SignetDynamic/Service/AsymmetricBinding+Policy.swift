import SignetSOAP
import SignetWSDL
import SignetXML

extension AsymmetricBinding {
    init(_ policy: AsymmetricPolicy) {
        self.init(
            AlgorithmSuite(policy.suite), client: CertificateReference(policy.client),
            service: CertificateReference(policy.service), confirmsSignature: policy.confirmsSignature,
            usesTokenTransform: policy.usesTokenTransform,
            request: Protection(policy.request), answer: Protection(policy.answer))
    }
}

extension AsymmetricBinding.AlgorithmSuite {
    fileprivate init(_ suite: AsymmetricPolicy.Suite) {
        self =
            switch suite {
            case .basic256Sha256: .basic256Sha256
            case .basic192Sha256: .basic192Sha256
            case .basic128Sha256: .basic128Sha256
            case .basic256: .basic256
            case .basic192: .basic192
            case .basic128: .basic128
            }
    }
}

extension AsymmetricBinding.Protection {
    fileprivate init(_ protection: AsymmetricPolicy.Protection) {
        self.init(
            signed: Set(protection.signed.map(MessagePart.init)),
            encrypted: Set(protection.encrypted.map(MessagePart.init)))
    }
}

extension CertificateReference {
    fileprivate init(_ reference: AsymmetricPolicy.Reference) {
        self =
            switch reference {
            case .certificate: .certificate
            case .path: .path
            case .issuerSerial: .issuerSerial
            case .subjectKeyIdentifier: .subjectKeyIdentifier
            case .thumbprint: .thumbprint
            }
    }
}

extension MessagePart {
    fileprivate init(_ part: AsymmetricPolicy.Part) {
        self =
            switch part {
            case .body: .body
            case .timestamp: .timestamp
            case .usernameToken: .usernameToken
            case .signingToken: .signingToken
            case .allHeaderBlocks: .allHeaderBlocks
            case .attachments: .attachments
            case .headerBlocks(let namespace): .headerBlocks(XMLNamespace(namespace))
            case .headerBlock(let name): .headerBlock(XMLName(name.namespace, name.localName))
            }
    }
}

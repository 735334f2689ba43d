import SignetSOAP
import SignetTLS

extension XMLWriter {
    /// Writes a Security header block.
    mutating func security(_ content: (inout XMLWriter) -> Void) {
        startElement(
            SecurityName.security, declaring: [("wsse", SecurityName.extensions), ("wsu", SecurityName.utility)])
        content(&self)
        endElement(SecurityName.security)
    }

    /// SOAP Message Security 1.1 §10.
    mutating func timestamp(created: String, expires: String) {
        startElement(SecurityName.timestamp, attributes: [(SecurityName.id, SecurityName.newIdentifier("Timestamp"))])
        element(SecurityName.created, text: created)
        element(SecurityName.expires, text: expires)
        endElement(SecurityName.timestamp)
    }

    /// UsernameToken Profile 1.1 §3.1.
    mutating func token(_ token: UsernameToken, _ user: String, _ password: String, created: String) {
        let nonce = [UInt8].random(16)
        let digest = PasswordDigest.bytes(nonce: nonce, created: created, password: password)
        let secret = token.form == .digest ? XSDBase64Binary(digest).lexicalForm : password
        startElement(
            SecurityName.usernameToken, attributes: [(SecurityName.id, SecurityName.newIdentifier("UsernameToken"))])
        element(SecurityName.username, text: user)
        if token.form != .noPassword {
            element(SecurityName.password, text: secret, attributes: [(SecurityName.type, token.form.uri)])
        }
        if token.form == .digest || token.form == .textWithNonce {
            element(
                SecurityName.nonce, text: XSDBase64Binary(nonce).lexicalForm,
                attributes: [(SecurityName.encodingType, SecurityName.base64Binary)])
            element(SecurityName.created, text: created)
        }
        endElement(SecurityName.usernameToken)
    }

    private mutating func element(_ name: XMLName, text: String, attributes: [(name: XMLName, value: String)] = []) {
        startElement(name, attributes: attributes)
        self.text(text)
        endElement(name)
    }

    /// Names the value of the signature of a request (SOAP Message Security 1.1 §8.5).
    mutating func confirmation(of value: [UInt8]) {
        startElement(
            SecurityName.signatureConfirmation,
            attributes: [
                (SecurityName.id, SecurityName.newIdentifier("SignatureConfirmation")),
                (SecurityName.value, XSDBase64Binary(value).lexicalForm),
            ])
        endElement(SecurityName.signatureConfirmation)
    }
}

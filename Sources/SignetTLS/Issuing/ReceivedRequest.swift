import Crypto
import SwiftASN1

/// A request for a certificate (PKCS#10, RFC 2986) as an authority reads it.
package struct ReceivedRequest: Sendable {
    /// The request in DER.
    package let der: [UInt8]
    /// The subject that is asked for, to be shown as ``EncodedCertificate/subject`` is; empty for no subject.
    package let subject: String
    /// The Name of the subject in DER.
    let subjectBytes: [UInt8]
    /// SubjectPublicKeyInfo in DER.
    package let publicKeyInfo: [UInt8]
    let publicKey: PublicKey
    /// The extensions that are asked for.
    package let extensions: [CertificateSigningRequest.Extension]
    /// The names of subjectAltName that are asked for, such as `dns:device-7.example`.
    package let alternativeNames: [String]
    /// The password by which the authority knows the client (RFC 2985 §5.4.1); nil for no password.
    package let challengePassword: String?

    /// Requests in use have between 300 bytes and a few kilobytes.
    package static let maximumBytes = 32_768
    private static let maximumAttributes = 32

    /// Reads a request, and checks that the client has the private key: its signature is right.
    ///
    /// - Throws: ``IdentityError`` with `tooLarge`, `damaged`, or with `unsupportedAlgorithm` for a key or a signature that no
    ///   longer protects.
    package init(der: [UInt8]) throws(IdentityError) {
        guard der.count <= Self.maximumBytes else {
            throw IdentityError(
                .tooLarge, "The request has \(der.count) bytes; at most \(Self.maximumBytes) are read.")
        }
        do { self = try ReceivedRequest(reading: der) } catch let error as IdentityError {
            throw error
        } catch let problem as AlgorithmProblem {
            let code: IdentityError.Code = if case .malformed = problem { .damaged } else { .unsupportedAlgorithm }
            throw IdentityError(code, "The request has \(problem).", cause: problem)
        } catch let error as EncodingError {
            throw IdentityError(.damaged, "The request cannot be read: \(error).", cause: error)
        } catch {
            // The decoder's own errors name lines of its source.
            throw IdentityError(.damaged, "The request cannot be read: it is cut off or malformed.", cause: error)
        }
    }

    private init(reading der: [UInt8]) throws {
        self.der = der
        var request = try NodeReader(try DER.parse(der))
        let content = try request.next()
        let algorithm = try AlgorithmIdentifier(try request.next())
        let bits = try ASN1BitString(derEncoded: try request.next())
        guard bits.paddingBits == 0 else { throw EncodingError("a signature that is not whole bytes") }
        try request.end()

        var fields = try NodeReader(content)
        guard try fields.next().integer() == 0 else { throw EncodingError("an unknown version") }
        let name = try fields.next()
        try Self.checkSubject(name)
        let subject = try DistinguishedName(name)
        subjectBytes = Array(name.encodedBytes)
        self.subject = subject.isEmpty ? "" : subject.text
        let info = try fields.next().encodedBytes
        publicKeyInfo = Array(info)
        publicKey = try PublicKey(publicKeyInfo: info)
        var (asked, password): ([CertificateContent.Extension], String?) = ([], nil)
        if let attributes = fields.next(ifContext: 0) {
            (asked, password) = try Self.attributes(attributes)
        }
        try fields.end()
        guard try SignatureAlgorithm(algorithm).isValid(bits.bytes, over: content.encodedBytes, by: publicKey) else {
            throw EncodingError("its signature is not that of its key")
        }
        challengePassword = password
        extensions = asked.map { .init("\($0.identifier)", isCritical: $0.isCritical, value: Array($0.value)) }
        guard let names = asked.first(where: { $0.identifier == .subjectAltName }) else {
            alternativeNames = []
            return
        }
        var reader = try NodeReader(try DER.parse(names.value))
        var found: [String] = []
        while let name = reader.nextIfAny() {
            try Self.checkName(name)
            found.append(EncodedCertificate.name(name))
        }
        guard !found.isEmpty else { throw EncodingError("no name in subjectAltName") }
        alternativeNames = found
    }

    /// Who decides about a request sees it as text, which must not leave out a part of what is certified: longer values
    /// are shown without their ends.
    private static let maximumShownBytes = 255

    private static func checkSubject(_ name: ASN1Node) throws {
        var sets = try NodeReader(name)
        while let set = sets.nextIfAny() {
            var entries = try NodeReader(set, .set)
            while let entry = entries.nextIfAny() {
                var fields = try NodeReader(entry)
                _ = try fields.next()
                guard try fields.next().encodedBytes.count <= maximumShownBytes else {
                    throw EncodingError("a subject with a value of more than \(maximumShownBytes) bytes")
                }
            }
        }
    }

    /// Names whose text says all of them: email, dns, uri, ip, and the user principal name of Windows.
    private static func checkName(_ name: ASN1Node) throws {
        guard name.encodedBytes.count <= maximumShownBytes else {
            throw EncodingError("an alternative name of more than \(maximumShownBytes) bytes")
        }
        switch name.contextTag {
        case 1, 2, 6: return
        case 7: if try [4, 16].contains(name.primitiveBytes().count) { return }
        case 0:
            var fields = try NodeReader(contentsOf: name)
            let type = try fields.next().objectIdentifier()
            if type == .Request.userPrincipalName, try fields.next().explicit().identifier == .utf8String { return }
        default: break
        }
        throw EncodingError(
            "an alternative name of another kind than email, dns, uri, ip, and the user principal name of Windows")
    }

    private static func attributes(
        _ set: ASN1Node
    ) throws -> (extensions: [CertificateContent.Extension], password: String?) {
        var (extensions, password): ([CertificateContent.Extension], String?) = ([], nil)
        var (nodes, count) = (try NodeReader(contentsOf: set), 0)
        while let node = nodes.nextIfAny() {
            count += 1
            guard count <= maximumAttributes else { throw EncodingError("more than \(maximumAttributes) attributes") }
            var fields = try NodeReader(node)
            let type = try fields.next().objectIdentifier()
            var values = try NodeReader(try fields.next(), .set)
            try fields.end()
            guard let value = values.nextIfAny() else { continue }
            switch type {
            case .Request.extensions:
                guard extensions.isEmpty else { throw EncodingError("extensions twice") }
                extensions = try CertificateContent.extensions(value)
            case .Request.challengePassword:
                // One of the kinds of strings (RFC 2985 §5.4.1).
                password = String(decoding: try value.primitiveBytes(), as: UTF8.self)
            // Others are for other authorities (RFC 2986 §4.1).
            default: break
            }
        }
        return (extensions, password)
    }
}

extension ReceivedRequest {
    /// SHA-256 of the public key, as in ``EncodedCertificate/publicKeySHA256``.
    package var publicKeySHA256: [UInt8] { Array(SHA256.hash(data: publicKeyInfo)) }

    /// Whether the subject and the alternative names are those of a certificate, byte for byte (RFC 7030 §4.2.2).
    package func renews(_ certificate: EncodedCertificate) -> Bool {
        guard let content = certificate.content, content.subjectBytes.elementsEqual(subjectBytes) else { return false }
        let names = content.extensions.first { $0.identifier == .subjectAltName }?.value
        return names.map(Array.init) == extensions.first { $0.identifier == "2.5.29.17" }?.value
    }
}

extension ReceivedRequest: CustomStringConvertible, CustomReflectable {
    /// It may have a challenge password, which is not shown.
    package var description: String { "ReceivedRequest(\(subject))" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

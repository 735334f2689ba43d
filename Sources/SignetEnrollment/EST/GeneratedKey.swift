import HTTPTypes
import SignetHTTP
import SignetTLS

/// The answer to serverkeygen: a key and its certificates in two parts (RFC 7030 §4.4.2, RFC 2046 §5.1).
struct GeneratedKey {
    private let key: [UInt8]
    private let certificates: [EncodedCertificate]

    init(_ response: ClientResponse, _ origin: Origin) throws {
        func malformed(_ what: String) -> EnrollmentError {
            EnrollmentError(.malformedAnswer, "The authority \(origin) answered serverkeygen with \(what).")
        }
        let type = try? ParameterizedValue(response.fields[.contentType] ?? "")
        guard let type, type.essence == "multipart/mixed", let boundary = type["boundary"], !boundary.isEmpty else {
            throw malformed("no message of two parts (multipart/mixed)")
        }
        var key: [UInt8]?
        var certificates: [EncodedCertificate]?
        for part in Self.parts(of: response.body, boundary) {
            switch part.type {
            case "application/pkcs8": key = ESTEnroller.decoded(part.body)
            case "application/pkcs7-mime":
                if part.isKey {
                    throw EnrollmentError(
                        .unsupported,
                        "The authority \(origin) encrypts the key for another key (RFC 7030 §4.4.2), which is not supported. Make the key yourself (signet enroll est)."
                    )
                }
                certificates = ESTEnroller.decoded(part.body).flatMap { try? CertificateBundle(pkcs7: $0).certificates }
            default: continue
            }
        }
        guard let key else { throw malformed("no private key (application/pkcs8)") }
        guard let certificates else { throw malformed("no certificates (application/pkcs7-mime)") }
        self.key = key
        self.certificates = certificates
    }

    func identity() throws -> Identity {
        let pem = CertificateBundle(certificates).pem
        let text = "-----BEGIN PRIVATE KEY-----\n\(Text.base64(key))\n-----END PRIVATE KEY-----\n"
        do { return try Identity(pem: pem, privateKey: Array(text.utf8)) } catch {
            throw EnrollmentError(
                .wrongKey, "The key and the certificates of the authority do not fit: \(error.message)", cause: error)
        }
    }

    private struct Part {
        var type = ""
        /// Whether it is a key within CMS.
        var isKey = false
        var body: [UInt8] = []
    }

    /// More parts than the protocol has.
    private static let maximumParts = 8

    private static func parts(of body: [UInt8], _ boundary: String) -> [Part] {
        let text = String(decoding: body, as: UTF8.self)
        // What stands before the first boundary and after the last is no part.
        let pieces = text.split(separator: "--\(boundary)", maxSplits: maximumParts, omittingEmptySubsequences: false)
        return pieces.dropFirst().prefix { !$0.hasPrefix("--") }.map(part)
    }

    private static func part(_ piece: Substring) -> Part {
        var part = Part()
        let lines = piece.split(omittingEmptySubsequences: false) { $0.isNewline }.dropFirst()
        let end = lines.firstIndex(where: \.isEmpty) ?? lines.endIndex
        for line in lines[..<end] {
            guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == "content-type" else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            guard let type = try? ParameterizedValue(String(value)) else { continue }
            part.type = type.essence
            part.isKey = type["smime-type"]?.lowercased() == "server-generated-key"
        }
        part.body = lines[end...].joined(separator: "\n").utf8.map { $0 }
        return part
    }
}

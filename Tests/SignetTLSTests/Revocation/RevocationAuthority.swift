import Crypto
import Foundation
import SwiftASN1
import TestSupport
import Testing

@testable import SignetTLS

/// `root`, the authority `middle` below it and `leaf`, made by the openssl command, which also answers as their OCSP
/// server and writes their lists.
struct RevocationAuthority {
    static let leafSerial = "1001"
    static let middleSerial = "2002"
    /// When a certificate in an index was revoked: 2020-01-02 03:04:05 UTC.
    static let revoked: Int64 = 1_577_934_245

    let openssl: OpenSSL
    var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// - Parameters:
    ///   - leaf: more extensions of the leaf, in OpenSSL's notation.
    ///   - middle: more extensions of the authority.
    init(leaf: String = Self.sources("leaf"), middle: String = Self.sources("middle")) throws {
        openssl = try OpenSSL()
        try openssl.makeRoot("root")
        try issue(
            "middle", by: "root", serial: Self.middleSerial, "basicConstraints=critical,CA:TRUE\n\(middle)")
        try issue(
            "leaf", by: "middle", serial: Self.leafSerial, "subjectAltName=DNS:service.example\n\(leaf)")
    }

    static func sources(_ name: String) -> String {
        """
        authorityInfoAccess=OCSP;URI:http://ocsp.example/\(name)
        crlDistributionPoints=URI:http://lists.example/\(name).crl
        """
    }

    func remove() { openssl.remove() }

    /// A certificate `name.pem` with its key `name.key`.
    func issue(
        _ name: String, by issuer: String, serial: String, subject: String? = nil, days: Int = 5, _ extensions: String
    ) throws {
        try openssl.issue(
            name, by: issuer, extensions, serial: serial, subject: subject.map { "/CN=\($0)" }, days: days)
    }

    func certificate(_ name: String) throws -> EncodedCertificate {
        try #require(try CertificateBundle(pem: openssl.bytes("\(name).pem")).certificates.first)
    }

    var path: CertificationPath {
        get throws { CertificationPath(certificates: try ["leaf", "middle", "root"].map(certificate)) }
    }

    func request(nonce: [UInt8]? = nil) throws -> OCSPRequest {
        try OCSPRequest(about: certificate("leaf"), issuedBy: certificate("middle"), nonce: nonce)
    }

    /// A line of OpenSSL's index of certificates.
    static func line(_ serial: String, revokedFor reason: String? = nil) -> String {
        OpenSSL.indexLine(serial, revokedFor: reason)
    }

    /// The answer of OpenSSL's OCSP server.
    ///
    /// - Parameters:
    ///   - signer: the certificate whose key signs.
    ///   - options: by default, the next update is in a day.
    func answer(
        _ request: [UInt8], index: String = line(leafSerial), issuer: String = "middle", signer: String? = nil,
        _ options: String = "-ndays 1"
    ) throws -> [UInt8] {
        let signer = signer ?? issuer
        try openssl.write(request, "request.der")
        try openssl.write(index, "index.txt")
        try openssl(
            "ocsp -index index.txt -CA \(issuer).pem -rsigner \(signer).pem -rkey \(signer).key -reqin request.der -respout answer.der \(options)"
        )
        return try openssl.bytes("answer.der")
    }

    /// The same answer with other bytes in its signed part, signed again.
    func changed(_ answer: [UInt8], _ old: [UInt8], to new: [UInt8], issuer: String = "middle") throws -> [UInt8] {
        let response = try OCSPResponse(der: answer)
        var data = Array(response.signedBytes)
        try #require(old.count == new.count)
        data.replaceSubrange(try #require(data.firstRange(of: old)), with: new)
        let pem = String(decoding: try openssl.bytes("\(issuer).key"), as: UTF8.self)
        let signature = try P256.Signing.PrivateKey(pemRepresentation: pem).signature(for: data).derRepresentation
        let basic = try DER.bytes { coder in
            try coder.appendSequence { coder in
                coder.serialize(try DER.parse(data))
                coder.serialize(try DER.parse(response.signatureAlgorithm.encoded))
                try coder.serialize(ASN1BitString(bytes: Array(signature)[...]))
            }
        }
        return try DER.bytes { coder in
            try coder.appendSequence { coder in
                coder.appendPrimitiveNode(identifier: .enumerated) { $0.append(0) }
                let tag = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
                try coder.appendConstructedNode(identifier: tag) { coder in
                    try coder.appendSequence { coder in
                        try coder.serialize(ASN1ObjectIdentifier.OCSP.basicResponse)
                        coder.appendOctets(basic)
                    }
                }
            }
        }
    }

    /// What an answer says about the leaf.
    func status(
        _ answer: [UInt8], nonce: [UInt8]? = nil, after seconds: Int64 = 0
    ) throws(RevocationProblem) -> OCSPResponse.Status {
        let response = try OCSPResponse(der: answer)
        let (leaf, middle) = try RevocationProblem.reading("The test") {
            (try certificate("leaf"), try certificate("middle"))
        }
        return try response.status(of: leaf, issuedBy: middle, nonce: nonce, at: now + seconds).status
    }

    /// A revocation list in DER.
    ///
    /// - Parameters:
    ///   - extensions: in OpenSSL's notation.
    ///   - version: a list of version 1 has no extensions and no number.
    func list(
        index: String = line(leafSerial), issuer: String = "middle", extensions: String = "", version: Int = 2
    ) throws -> [UInt8] {
        try openssl.revocationList(of: issuer, index: index, extensions: extensions, version: version)
    }

    /// What a list says about the leaf.
    func status(
        inList der: [UInt8], after seconds: Int64 = 0
    ) throws(RevocationProblem) -> CertificateRevocationList.Status {
        let list = try CertificateRevocationList(der: der)
        let (leaf, middle, points) = try RevocationProblem.reading("The test") {
            let leaf = try certificate("leaf")
            return (leaf, try certificate("middle"), try leaf.content?.listDistributionPoints() ?? [])
        }
        try list.verify(issuedBy: middle)
        guard let point = points.first else { throw RevocationProblem(.noSource, "No point.") }
        return try list.status(of: leaf, from: point, at: now + seconds)
    }
}

/// The code of the problem that `body` throws.
func problem<Value>(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Value
) throws -> RevocationProblem.Code {
    let error = #expect(throws: RevocationProblem.self, sourceLocation: sourceLocation) { _ = try body() }
    let problem = try #require(error, sourceLocation: sourceLocation)
    #expect(problem.message.hasSuffix("."), "not a sentence: \(problem)", sourceLocation: sourceLocation)
    return problem.code
}

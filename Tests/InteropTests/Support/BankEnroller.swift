import Foundation
import ReferenceServices
import Signet
import SignetEnrollment
import SignetSignature

private let namespace = "http://op.fi/mlp/xmldata/"

/// The document that a bank's certificate service takes, beside the signature that may be its last element.
struct CertApplicationRequest: XMLStructure {
    static let name = XMLName(namespace, "CertApplicationRequest")

    var customerID: String
    var timestamp: XSDDateTime
    var environment: String
    var softwareID: String
    var service: String
    var content: XSDBase64Binary?
    /// A password that is good for one certificate.
    var transferKey: String?

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            [namespace],
            elements: "CustomerId Timestamp Environment SoftwareId Service Content? TransferKey?")
        fields.field(&x.customerID)
        fields.field(&x.timestamp)
        fields.field(&x.environment)
        fields.field(&x.softwareID)
        fields.field(&x.service)
        fields.field(&x.content)
        fields.field(&x.transferKey)
    }
}

/// The document with which the service answers.
struct CertApplicationResponse: XMLStructure {
    struct Certificate: XMLStructure {
        var name: String
        var certificate: XSDBase64Binary

        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([namespace], elements: "Name Certificate")
            fields.field(&x.name)
            fields.field(&x.certificate)
        }
    }

    struct Certificates: XMLStructure {
        var certificate: [Certificate]

        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names([namespace], elements: "Certificate*")
            fields.field(&x.certificate)
        }
    }

    var customerID: String
    var responseCode: String
    var responseText: String
    var certificates: Certificates?

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            [namespace], elements: "CustomerId ResponseCode ResponseText Certificates?")
        fields.field(&x.customerID)
        fields.field(&x.responseCode)
        fields.field(&x.responseText)
        fields.field(&x.certificates)
    }
}

/// Requests certificates in the way of Finnish banks: the request (PKCS#10) is in a document of its own, with a password for the first
/// certificate, and signed with the key of the former one for each later.
struct BankEnroller: Enroller {
    let client: CertificateService.Client
    let customer: String
    let transferKey: String?
    /// The certificates with whose keys the bank signs its answers.
    let bank: [EncodedCertificate]
    let intermediates: [EncodedCertificate]

    func demands(_ identity: Identity?) async throws -> EnrollmentDemands {
        var demands = EnrollmentDemands()
        demands.key = .rsa(bits: 2048)
        demands.intermediates = intermediates
        return demands
    }

    func enroll(_ request: EnrollmentRequest) async throws -> EnrollmentAnswer {
        let now = Date().timeIntervalSince1970
        guard let timestamp = XSDDateTime(secondsSinceEpoch: Int64(now)) else {
            throw EnrollmentError(.unsupported, "This computer's clock shows a year that no message can have.")
        }
        var document = CertApplicationRequest(
            customerID: customer, timestamp: timestamp, environment: "TEST", softwareID: "Signet", service: "MATU",
            content: XSDBase64Binary(request.content.der))
        let bytes: [UInt8]
        if let identity = request.identity {
            bytes = try await XMLSigner(identity).sign(document, as: CertApplicationRequest.name, covering: .root).bytes
        } else if let transferKey {
            document.transferKey = transferKey
            bytes = try XMLFragment(CertApplicationRequest.name, document).bytes
        } else {
            throw EnrollmentError(.refused, "The bank gives the first certificate for a transfer key only.")
        }
        let header = CertificateService.CertificateRequestHeader(
            senderId: customer, requestId: UUID().uuidString, timestamp: timestamp)
        let answer = try await client.getCertificate(
            .init(requestHeader: header, applicationRequest: XSDBase64Binary(bytes)))
        let response: CertApplicationResponse
        do {
            response = try XMLSignatureVerifier(signers: bank).verify(
                CertApplicationResponse.self, in: XMLFragment(parsing: answer.applicationResponse.bytes),
                covering: .root,
                at: Int64(now)
            ).value
        } catch {
            throw EnrollmentError(.unverifiedAnswer, "The bank did not sign this answer: \(error)", cause: error)
        }
        guard response.responseCode == "00" else {
            throw EnrollmentError(
                .refused, "The bank refuses the request: \(response.responseText) (\(response.responseCode)).")
        }
        return .issued((response.certificates?.certificate ?? []).map { .init(der: $0.certificate.bytes) })
    }
}

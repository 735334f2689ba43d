#if CommandLine
import Crypto
import Foundation
import SignetCredentials
import SignetSOAP
import SignetTLS
import SignetTesting

/// The WebEase service: a diary in a database, for registered devices only.
struct Diary: WebEase.Service {
    let database: DiaryDatabase
    /// Issues the devices' own identities.
    let authority: CertificateAuthority
    /// Knows what the authority has issued, so that devices can renew it.
    let issued: any IssuedCertificateStore
    /// The SHA-256 of the only certificate that may register devices; it may do nothing else.
    let distributionCertificate: [UInt8]

    func logEntryQuery(
        _ input: WebEase.LogEntryQuery, _ context: OperationContext
    ) async throws -> WebEase.LogEntryQueryResponse {
        try await admit(context)
        let limit = min(max(Int(input.limit ?? 100), 1), 1000)
        let (entries, truncated) = try await database.entries(
            of: input.patientId, on: input.entryDate, kinds: input.kind, limit: limit)
        return .init(entry: entries, truncated: truncated)
    }

    func logEntryCreate(
        _ input: WebEase.LogEntryCreate, _ context: OperationContext
    ) async throws -> WebEase.LogEntryCreateResponse {
        try await admit(context)
        return .init(entry: try await database.create(input.entry, at: try now()))
    }

    func logEntryUpdate(
        _ input: WebEase.LogEntryUpdate, _ context: OperationContext
    ) async throws -> WebEase.LogEntryUpdateResponse {
        try await admit(context)
        return .init(entry: try await database.update(input.entry, at: try now()))
    }

    func logEntryDelete(
        _ input: WebEase.LogEntryDelete, _ context: OperationContext
    ) async throws -> WebEase.LogEntryDeleteResponse {
        try await admit(context)
        try await database.delete(input.id)
        return .init(deleted: true)
    }

    func register(_ input: WebEase.Register, _ context: OperationContext) async throws -> WebEase.RegisterResponse {
        guard context.peer.certificateSHA256 == distributionCertificate else {
            throw refusal("certificate", "Only the distribution certificate may register a device.")
        }
        guard !input.serialNumber.isEmpty, input.serialNumber.utf8.count <= 64 else {
            throw refusal("serialNumber", "A serial number has 1 to 64 characters.")
        }
        let identity = try authority.issueClient(commonName: "WebEase device \(input.serialNumber)")
        guard try await database.register(serialNumber: input.serialNumber, subject: identity.leaf.subject) else {
            throw refusal("registered", "The device \(input.serialNumber) is registered already.")
        }
        try await issued.add(IssuedCertificate(identity.leaf))
        let password = randomPassword()
        let label = "device-\(input.serialNumber)"
        let file = try identity.pkcs12(password: password, label: label)
        return .init(label: label, identity: XSDBase64Binary(file), password: password)
    }

    private func refusal(_ reason: String, _ explanation: String) -> any Error {
        DeclaredFault(WebEase.RegistrationRefused(reason: reason, explanation: explanation), reason: explanation)
    }

    /// Throws a fault unless the client is a registered device.
    private func admit(_ context: OperationContext) async throws {
        let name = context.peer.certificateSubject ?? "A client without a certificate"
        switch try await database.standing(of: context.peer.certificateSubject ?? "") {
        case .registered: return
        case .struck: throw SOAPFault.client("The device \(name) has been struck from the registry.")
        case .unknown: throw SOAPFault.client("\(name) is not a registered device.")
        }
    }

    private func now() throws -> XSDDateTime {
        guard let now = XSDDateTime(.now) else { throw SOAPFault.server("The clock is wrong.") }
        return now
    }
}

/// 128 random bits as text.
func randomPassword() -> String {
    unsafe SymmetricKey(size: .bits128).withUnsafeBytes { bytes in
        unsafe bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }.joined()
    }
}
#endif

/// The kind of a record. Its number is stored in the file.
package enum RecordKind: UInt8, Sendable, CaseIterable {
    case credential = 1
    case identity = 2
    case exception = 3
    case issuedCertificate = 4
    case receivedIdentity = 5
    case account = 6
    case accountCertificate = 7
    case serverSecret = 8

    package var name: String {
        switch self {
        case .credential: "credential"
        case .identity: "identity"
        case .exception: "trust exception"
        case .issuedCertificate: "issued certificate"
        case .receivedIdentity: "received identity"
        case .account: "account"
        case .accountCertificate: "certificate of an account"
        case .serverSecret: "secret of a server"
        }
    }
}

import Signet
import SignetCredentials
import SignetCredentialsSQLite
import SignetServer

// The code of the article RegistrationAuthorities.

private actor Fleet {
    func owns(_ user: String, _ subject: String) -> Bool { subject == "CN=device \(user)" }
    func check(_ user: String, _ password: String) -> Bool { false }
    func owner(ofChallenge challenge: SecretBytes) -> String? { nil }
}

private func authority(
    _ authorityIdentity: Identity, _ authorityBundle: CertificateBundle, _ fleet: Fleet, _ database: EncryptedDatabase
) throws -> (SOAPServer.Settings, ClientAdmission, RegistrationAuthority) {
    let issued = SQLiteIssuedCertificates(database)
    var authority = try RegistrationAuthority(authorityIdentity, keepingIn: issued) { request in
        if request.isRenewal { return .issue }
        guard let user = request.user, await fleet.owns(user, request.subject) else {
            return .refuse("This device is not yours.")
        }
        return .issue
    }
    authority.authentication = .basic(realm: "registration") { await fleet.check($0.user, $0.password) }
    authority.statusAddress = try Endpoint("http://ca.example/ca")
    var settings = SOAPServer.Settings()
    settings.registration = authority
    let clients = ClientAdmission.certificateOptional(.anchors(authorityBundle))
    return (settings, clients, authority)
}

private func status(_ authority: inout RegistrationAuthority, _ fleet: Fleet) -> SOAPServer.Settings {
    var plain = SOAPServer.Settings()
    plain.registration = authority
    authority.scep = RegistrationAuthority.SCEP { challenge in await fleet.owner(ofChallenge: challenge) }
    return plain
}

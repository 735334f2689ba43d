import Foundation
import Signet
import SignetTesting
import Testing

@testable import SignetNIOTransport

/// A ticket that an attacker in between relays is not accepted (RFC 5929, RFC 4121 §4.1.1.2).
@Suite(.serialized) struct KerberosBindingTests {
    @Test func ticketsAreBoundToTheCertificate() async throws {
        try await KerberosRealm.run { realm async throws in
            let authority = try CertificateAuthority(commonName: "acceptor")
            try await realm.files.write(try authority.issueServer(dnsNames: ["localhost"]), as: "server")
            try await realm.log(in: "clerk", password: "way in")
            var environment = realm.environment
            environment["KRB5_KTNAME"] = realm.keyTable
            for isBetween in [false, true] {
                let port = try Port.free()
                let command = PeerProcess.Command(
                    program: "/usr/bin/python3",
                    arguments: [
                        PeerFile.url("gssapi_acceptor.py").path, "\(port)", realm.files.path("server.pem"),
                        realm.files.path("server.key"),
                    ] + (isBetween ? ["wrong"] : []), environment: environment, port: port)
                try await PeerProcess.run(command) {
                    var policy = AuthenticationPolicy(credentials: .fixed(.ticket))
                    policy.schemes = [.negotiate]
                    policy.kerberos = Kerberos()
                    let (url, trust) = ("https://localhost:\(port)/", TrustPolicy.anchors(authority.bundle))
                    if isBetween {
                        let error = try await AuthenticatedCalls.error(url, policy, trust: trust)
                        #expect(error?.code == .credentialsRefused, "\(String(describing: error))")
                    } else {
                        let answers = try await AuthenticatedCalls.get(url, policy, trust: trust)
                        #expect(answers.map(\.statuses) == [[401, 200]])
                    }
                }
            }
            try await realm.logOut()
        }
    }
}

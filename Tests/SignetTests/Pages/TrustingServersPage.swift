import Signet

// The code of the article TrustingServers.

private func choose(
    _ service: inout ServiceConfiguration, companyRoots: CertificateBundle, issuingAuthorities: CertificateBundle,
    pin: String, reserve: String
) {
    var policy = TrustPolicy.anchors(companyRoots)  // private authorities: the profile privateAuthority
    policy = TrustPolicy.system  // the operating system's anchors: the profile webPKI
        .addingAnchors(companyRoots)  // … and more; the profile stays
        .addingIntermediates(issuingAuthorities)  // known, not trusted: for servers that send no chain
        .pinned(to: [.publicKey(sha256: pin), .publicKey(sha256: reserve)])
    policy.profile = .privateAuthority  // by choice
    policy.maximumIntermediates = 1  // by choice
    service.trust = policy
}

private func lookUp(_ policy: inout TrustPolicy) {
    policy.revocation = .hard
}

private func report(_ service: inout ServiceConfiguration) {
    service.onExchange = { exchange in
        for mismatch in exchange.report.connection.tls?.pinMismatches ?? [] { print(mismatch) }
    }
}

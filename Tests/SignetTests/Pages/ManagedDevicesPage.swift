import Logging
import Signet
import SignetCredentials

// The code of the article ManagedDevices.

private func files(_ service: inout ServiceConfiguration) -> ManagedIdentity {
    let managed = ManagedIdentity.files(certificates: "/run/agent/tls.crt", privateKey: "/run/agent/tls.key")
    service.identity = managed.source
    return managed
}

#if canImport(ManagedApp)
@available(iOS 18.4, macOS 27.0, visionOS 2.4, *)
private func app(_ service: inout ServiceConfiguration, _ issuers: [EncodedCertificate]) {
    let managed = ManagedIdentity.managedApp("api", issuers: issuers)
    service.identity = managed.source
}
#endif

private func log(_ managed: ManagedIdentity, _ logger: Logger) async {
    for await event in managed.events { logger.notice("\(event)") }
}

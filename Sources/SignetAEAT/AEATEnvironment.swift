public import SignetSOAP
public import SignetTLS

/// The two systems of the Spanish tax agency (AEAT), with the hosts that accept certificates of persons and the hosts
/// that accept seals.
///
/// ```swift
/// let port = try AEATEnvironment.test.port(among: Verifactu.Ports.all, for: identity)
/// var service = try ServiceConfiguration(port)
/// service.identity = .fixed(identity)
/// ```
///
/// The rule comes from the agency's own WSDLs. Their comments say what each port is for: `SistemaFacturacion.wsdl`
/// (VERI*FACTU) and `SuministroFactEmitidas.wsdl` (SII) list for each service “Entorno de PRODUCCION”, “Entorno de
/// PRODUCCION para acceso con certificado de sello”, “Entorno de PRUEBAS” and “Entorno de PRUEBAS para acceso con
/// certificado de sello”, with the same path at four hosts. **Not run against the agency's services.**
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum AEATEnvironment: Sendable, Hashable, CaseIterable {
    /// “Entorno de producción”: what a client sends there has legal effect.
    case production
    /// “Entorno de pruebas”: the test system.
    case test

    /// The host that accepts certificates of this kind.
    public func host(for certificate: AEATCertificate) -> String {
        switch (self, certificate) {
        case (.production, .person): "www1.agenciatributaria.gob.es"
        case (.production, .seal): "www10.agenciatributaria.gob.es"
        case (.test, .person): "prewww1.aeat.es"
        case (.test, .seal): "prewww10.aeat.es"
        }
    }

    /// The port for an identity.
    ///
    /// - Parameters:
    ///   - ports: the ports that generated code lists.
    ///   - identity: the identity that the client will show; its certificate states its kind.
    /// - Throws: ``AEATError`` with `unknownCertificateKind` when the certificate does not state its kind; name the
    ///   kind with ``port(among:certificate:)``. With `noSuchPort` when no port fits, or more than one does.
    public func port(among ports: [ServicePort], for identity: Identity) throws -> ServicePort {
        guard let certificate = AEATCertificate(identity.leaf) else {
            throw AEATError(
                .unknownCertificateKind,
                "The certificate “\(identity.leaf.subject)” does not say whether it is a person's or a seal: call port(among:certificate:) with its kind."
            )
        }
        return try port(among: ports, certificate: certificate)
    }

    /// The port for certificates of a kind.
    ///
    /// - Throws: ``AEATError`` with `noSuchPort` when no port fits, or more than one does.
    public func port(among ports: [ServicePort], certificate: AEATCertificate) throws -> ServicePort {
        let host = host(for: certificate)
        let found = ports.filter { port in
            guard let endpoint = port.address.flatMap({ try? Endpoint($0) }) else { return false }
            return endpoint.origin.scheme == .https && endpoint.origin.host == host
        }
        guard let port = found.first, found.count == 1 else {
            let names = found.map(\.name).joined(separator: ", ")
            throw AEATError(
                .noSuchPort,
                found.isEmpty
                    ? "None of the \(ports.count) ports has an address at \(host): give the configuration the address of the service there."
                    : "Several ports have an address at \(host): \(names). Choose among those of one service.")
        }
        return port
    }
}

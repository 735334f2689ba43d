public import SignetSOAP
public import SignetTLS

/// The two systems of the Spanish tax agency (AEAT), and the hosts at which they take the certificates of persons and of seals.
///
/// ```swift
/// let port = try AEATEnvironment.test.port(among: Verifactu.Ports.all, for: identity)
/// var service = try ServiceConfiguration(port)
/// service.identity = .fixed(identity)
/// ```
///
/// The rule is that of the agency's own WSDLs, whose comments say which port is for what: `SistemaFacturacion.wsdl` (VERI*FACTU) and
/// `SuministroFactEmitidas.wsdl` (SII) list for each service “Entorno de PRODUCCION”, “Entorno de PRODUCCION para acceso con certificado de
/// sello”, “Entorno de PRUEBAS” and “Entorno de PRUEBAS para acceso con certificado de sello”, with the same path at four hosts.
/// **Not run against the agency's services.**
public enum AEATEnvironment: Sendable, Hashable, CaseIterable {
    /// “Entorno de producción”: what is sent there has effect.
    case production
    /// “Entorno de pruebas”.
    case test

    /// The host that takes certificates of a kind.
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
    /// - Parameter ports: those that generated code lists.
    /// - Throws: ``AEATError`` with `unknownCertificateKind` when the certificate does not say what it is: say it with ``port(among:certificate:)``;
    ///   with `noSuchPort` when not just one of the ports is right.
    public func port(among ports: [ServicePort], for identity: Identity) throws -> ServicePort {
        guard let certificate = AEATCertificate(identity.leaf) else {
            throw AEATError(
                .unknownCertificateKind,
                "The certificate “\(identity.leaf.subject)” does not say whether it is a person's or a seal: say which of the two it is."
            )
        }
        return try port(among: ports, certificate: certificate)
    }

    /// The port for certificates of a kind.
    ///
    /// - Throws: ``AEATError`` with `noSuchPort` when not just one of the ports is right.
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
                    ? "None of the \(ports.count) ports has an address at \(host): give the address of the service there to the configuration."
                    : "Several ports have an address at \(host): \(names). Choose among those of one service.")
        }
        return port
    }
}

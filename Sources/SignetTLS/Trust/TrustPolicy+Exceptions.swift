extension TrustPolicy {
    /// Judges what a server presented, and applies the exceptions to it.
    ///
    /// - Parameters:
    ///   - presented: the server's own certificate first; the others in any order.
    ///   - host: the host in the address of the service.
    ///   - port: the port of the service; an exception is for one host and port.
    ///   - now: seconds since 1970 in UTC.
    ///   - exceptions: only those count that are for exactly this certificate, host and port, and these failures.
    public func evaluate(
        _ presented: [EncodedCertificate], host: String, port: Int, at now: Int64, exceptions: [TrustException]
    ) -> TrustVerdict {
        let verdict = verdict(on: presented, host: host, port: port, at: now, exceptions: exceptions)
        guard case .trusted(let path) = verdict else { return verdict }
        return switch confirm(path, presented, nil) {
        case .success(let path): .trusted(path)
        case .failure(let error): .refused(error)
        }
    }

    /// The verdict as far as can be known without looking anything up.
    package func verdict(
        on presented: [EncodedCertificate], host: String, port: Int, at now: Int64, exceptions: [TrustException]
    ) -> TrustVerdict {
        let verdict = path(of: presented, as: .server(ReferenceIdentifier(host: host)), at: now)
        let leaf = presented.first
        let denial = exceptions.first { exception in
            exception.decision == .deny
                && leaf.map { exception.concerns($0, host: host, port: port, at: now) } ?? false
        }
        if let denial { return .denied(denial) }
        switch verdict {
        case .success(let path): return .trusted(path)
        case .failure(let error):
            guard error.canBeOverruled, let leaf else { return .refused(error) }
            let acceptance = exceptions.first {
                $0.accepts(leaf, refusedWith: error, host: host, port: port, at: now)
            }
            guard let acceptance else { return .recoverable(error) }
            return .accepted(CertificationPath(certificates: [leaf]), acceptance, error)
        }
    }
}

#if CommandLine
import Signet

/// Which identity to take out of a file, and the format to write it in.
struct IdentityConversion {
    let content: KeyFile
    /// Certificates that complete the chains.
    let authorities: CertificateBundle
    /// A friendly name, a subject, or a position from 1; nil when the file has only one identity.
    let pick: String?

    /// The identity to write.
    func identity() throws(CommandError) -> Identity {
        let identities: [Identity]
        do { identities = try content.identities(completedBy: authorities) } catch {
            throw CommandError(error.message)
        }
        return try choice(of: identities, "identity", "identities") { [$0.label, $0.leaf.subject] }
    }

    /// The content to write with a key.
    enum Subject {
        case identity(Identity)
        /// A key without a certificate, or a key that the user wants alone.
        case key(KeyFile.Key)
    }

    /// The content to write; determined before the command asks for a new password.
    func subject(for format: IdentityFormat) throws(CommandError) -> Subject {
        if content.certificates.isEmpty, format != .pfx {
            return .key(try choice(of: content.keys, "key", "keys") { [$0.label] })
        }
        let identity = try identity()
        // A key must not be lost without the user's consent: the written file may replace the one that was read.
        let written = content.keys.count { $0.privateKey === identity.privateKey }
        if pick == nil, written < content.keys.count {
            throw CommandError(
                """
                The file holds \(content.keys.count) keys, of which one has a certificate and can be used; the others would \
                be left out. Say that this is meant with --pick 1.
                """)
        }
        guard format == .pkcs8, let key = content.keys.first(where: { $0.privateKey === identity.privateKey }) else {
            return .identity(identity)
        }
        return .key(key)
    }

    /// - Parameters:
    ///   - password: nil writes the key unencrypted; a PFX always needs a password.
    ///   - label: the friendly name in a PFX; nil keeps that of the identity.
    static func bytes(
        of subject: Subject, to format: IdentityFormat, password: String?, label: String?, algorithms: PFXAlgorithms
    ) throws(CommandError) -> [UInt8] {
        do {
            switch subject {
            case .identity(let identity) where format == .pfx:
                return try identity.pkcs12(password: password ?? "", label: label, algorithms: algorithms)
            case .identity(let identity): return try identity.pem(password: password)
            case .key(let key): return try format == .pem ? key.pem(password: password) : key.pkcs8(password: password)
            }
        } catch { throw CommandError(error.message) }
    }

    /// The certificates alone: those of the only identity or the picked one, or else all certificates in the file.
    func certificateBytes(to format: IdentityFormat) throws(CommandError) -> [UInt8] {
        let identities = (try? content.identities(completedBy: authorities)) ?? []
        var certificates = content.certificates.map(\.certificate)
        if format == .der, pick == nil, identities.count == 1 {
            certificates = identities.map(\.leaf)
        } else if format == .der {
            let chosen = try choice(of: content.certificates, "certificate", "certificates") {
                [$0.label, $0.certificate.subject]
            }
            certificates = [chosen.certificate]
        } else if !identities.isEmpty {
            let identity = try choice(of: identities, "identity", "identities") { [$0.label, $0.leaf.subject] }
            certificates = identity.chain + identity.authorities.certificates.filter { !identity.chain.contains($0) }
        }
        guard let first = certificates.first else {
            throw CommandError("The file holds no certificate. Write its key with --to pkcs8.")
        }
        do {
            switch format {
            case .der: return first.der
            case .pkcs7: return try CertificateBundle(certificates).pkcs7()
            case .pem, .pfx, .pkcs8: return CertificateBundle(certificates).pem
            }
        } catch { throw CommandError(error.message) }
    }

    private func choice<Item>(
        of items: [Item], _ one: String, _ many: String, names: (Item) -> [String?]
    ) throws(CommandError) -> Item {
        guard let pick else {
            guard let only = items.first, items.count == 1 else {
                throw CommandError("The file holds \(items.count) \(many)\(list(items, names))")
            }
            return only
        }
        let fitting = items.filter { names($0).contains(pick) }
        if fitting.count == 1, let found = fitting.first { return found }
        if fitting.isEmpty, let place = Int(pick), place >= 1, let found = items.dropFirst(place - 1).first {
            return found
        }
        let problem = fitting.isEmpty ? "no" : "more than one"
        throw CommandError("The file holds \(problem) \(one) “\(pick)”\(list(items, names))")
    }

    private func list<Item>(_ items: [Item], _ names: (Item) -> [String?]) -> String {
        guard !items.isEmpty else { return "." }
        let lines = items.prefix(20).enumerated().map { place, item in
            "  \(place + 1)  \(names(item).compactMap(\.self).joined(separator: "  "))"
        }
        return "; choose with --pick:\n\(lines.joined(separator: "\n"))"
    }
}
#endif

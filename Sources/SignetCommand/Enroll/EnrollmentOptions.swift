#if CommandLine
import ArgumentParser
import Signet
import SignetEnrollment

/// What all commands of `signet enroll` have that request a certificate.
struct EnrollmentOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The subject that is asked for, as in RFC 4514.", valueName: "name"))
    var subject: String

    @Flag(help: "Accept another subject, where the authority chooses it.")
    var anySubject = false

    @Option(
        help: ArgumentHelp("A host that the certificate is to name as well; may be repeated.", valueName: "name"))
    var dns: [String] = []

    @Option(
        help: ArgumentHelp(
            "The kind of key: p256, p384, p521, ed25519 or rsa:BITS; what the authority demands, or what it usually takes, unless given.",
            valueName: "kind"))
    var keyType: KeyTypeOption?

    @Option(help: ArgumentHelp("How long to wait for an authority that decides later.", valueName: "seconds"))
    var patience = 300

    func validate() throws {
        if !(0...86_400).contains(patience) { throw ValidationError("--patience is from 0 to 86400 seconds.") }
        do { _ = try SubjectName(subject) } catch { throw ValidationError("--subject: \(error.message)") }
    }

    /// What these options ask for.
    ///
    /// - Parameter first: what the authority sees before the store has an identity.
    func enrollment(
        with enroller: any Enroller, first: Identity?, into replacement: IdentityReplacement
    ) throws -> Enrollment {
        var enrollment = Enrollment(with: enroller, as: try SubjectName(subject), into: replacement)
        enrollment.firstIdentity = first
        enrollment.acceptsOtherSubject = anySubject
        enrollment.alternativeNames = dns.map { .dns($0) }
        enrollment.purposes = [replacement.requirements.role == .server ? .server : .client]
        enrollment.keyKind = keyType?.kind
        enrollment.patience = .seconds(patience)
        return enrollment
    }
}

/// `--key-type`.
struct KeyTypeOption: ExpressibleByArgument {
    let kind: KeyPair.Kind

    init?(argument: String) {
        switch argument.lowercased() {
        case "p256": kind = .p256
        case "p384": kind = .p384
        case "p521": kind = .p521
        case "ed25519": kind = .ed25519
        case let text:
            guard text.hasPrefix("rsa:"), let bits = Int(text.dropFirst(4)), (2048...4096).contains(bits),
                bits.isMultiple(of: 8)
            else { return nil }
            kind = .rsa(bits: bits)
        }
    }
}
#endif

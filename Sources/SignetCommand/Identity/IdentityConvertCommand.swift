#if CommandLine
import ArgumentParser
import Signet

struct IdentityConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Turn a file of keys and certificates into another form.",
        discussion: """
            Reads what `signet identity show` reads. The forms to write:
              pfx     PKCS#12 with the key, its certificate and the issuers that are there
              pem     the key in PKCS#8, encrypted, then the certificates
              der     the certificate alone
              pkcs8   the key alone, in DER, encrypted
              pkcs7   the certificates alone, in DER

            The algorithms of a PFX, by the program that reads it:
              openssl   AES-256, PBKDF2 and HMAC with SHA-256, also for Java 17
              windows   the same, from Windows 10 1709 on
              apple     the same, from macOS 15 and iOS 18 on
              fips      with PBMAC1 (RFC 9579): OpenSSL 3.4, GnuTLS 3.8.4, NSS 3.103
              legacy    triple DES and SHA-1 for older readers; a weak protection

            The output can be read by you alone, and replaces nothing unless told. Passwords come from files, the environment or \
            the terminal, never from arguments, which others can read. The status is 0 when the file was written, 1 when not, \
            2 for wrong usage.

            Examples:
              signet identity convert device.p12 device.pem --to pem
              signet identity convert old.pfx new.pfx --to pfx \\
                --password-file old.password --new-password-env NEW_PASSWORD
              signet identity convert device.pem device.p12 --to pfx \\
                --name "device 7" --authorities issuers.pem
              signet identity convert device.p12 issuers.p7b --to pkcs7
              signet identity convert all.p12 one.pem --to pem \\
                --pick "device 7" --same-password
            """)

    @Argument(help: "The file to read; - for standard input.", completion: .file())
    var input: String

    @Argument(help: "The file to write.", completion: .file())
    var output: String

    @Option(help: ArgumentHelp("The form to write: pfx, pem, der, pkcs8 or pkcs7.", valueName: "form"))
    var to: IdentityFormat

    @Option(
        help: ArgumentHelp(
            "The program that reads the PFX: openssl, windows, apple, fips or legacy; openssl unless given.",
            valueName: "program"))
    var algorithms: PFXReader?

    @OptionGroup(title: "The file read") var password: FilePasswordOptions

    @Flag(help: "Also read a PKCS#12 file without a MAC, in which changes cannot be detected.")
    var withoutMac = false

    @Option(
        help: ArgumentHelp(
            "Intermediate certificates that complete the chain; a root among them is left out.", valueName: "file"),
        completion: .file())
    var authorities: String?

    @Option(
        help: ArgumentHelp(
            "Which identity, where there are several: its friendly name, its subject, or its place from 1.",
            valueName: "name"))
    var pick: String?

    @OptionGroup(title: "The file written") var newPassword: NewPasswordOptions

    @Option(help: ArgumentHelp("The friendly name in a PFX; the old one unless given.", valueName: "label"))
    var name: String?

    @Flag(help: "Leave the key out: certificates only, which need no password.")
    var noKey = false

    @Flag(help: "Replace the output if it is there.")
    var force = false

    /// Whether the output has a key.
    private var writesKey: Bool { to.holdsKey && !noKey }

    func validate() throws {
        if algorithms != nil || name != nil, to != .pfx {
            throw ValidationError("--algorithms and --name are about a PFX; give --to pfx.")
        }
        if noKey, to == .pfx || to == .pkcs8 {
            throw ValidationError("--no-key: a file without its key is written with --to pem, der or pkcs7.")
        }
        if !writesKey, newPassword.isGiven {
            throw ValidationError("Certificates are not encrypted; leave the new password and --unencrypted out.")
        }
        if to == .pfx, newPassword.unencrypted {
            throw ValidationError("--unencrypted: a PFX always has a password. Use --to pem, or --to pkcs8.")
        }
        if output == "-" { throw ValidationError("The output must be a file.") }
    }

    func run() throws {
        let extra = try authorities.map { try CertificateBundle(file: $0, purpose: "The authority") } ?? .init([])
        let (content, old) = try KeyFile.open(
            input, password: password.source(for: input), integrity: withoutMac ? .optional : .required)
        let conversion = IdentityConversion(content: content, authorities: extra, pick: pick)
        let bytes: [UInt8]
        if writesKey {
            let subject = try conversion.subject(for: to)
            let new = try newPassword.read(for: output, old: old)
            bytes = try IdentityConversion.bytes(
                of: subject, to: to, password: new, label: name, algorithms: (algorithms ?? .openssl).algorithms)
        } else {
            bytes = try conversion.certificateBytes(to: to)
        }
        try KeyOutput.write(bytes, to: output, replaces: force)
    }
}
#endif

#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetSignature

/// `signet sign`: a signature in a document.
struct SignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Sign a document of XML, or one element in it (XML Signature).",
        discussion: """
            The document stays as it is, byte for byte; a Signature is added. It goes into the signed element, or after it with \
            --after. Without --output the signed document is printed. Messages of SOAP are signed by programs (SignetWSSecurity).

            Examples:
              signet sign invoice.xml --identity device.p12 --output signed.xml
              signet sign nfe.xml --identity company.pfx --id NFe352611 --after --form inclusive --sha1 --prefix "" \\
                --password-file company.password --output signed.xml
            """)

    @Argument(help: "The document, in UTF-8; - for standard input.", completion: .file())
    var document: String

    @Option(
        help: ArgumentHelp("The key and certificate that sign: PKCS#12, or PEM with both.", valueName: "file"),
        completion: .file())
    var identity: String

    @OptionGroup var password: FilePasswordOptions

    @Option(
        help: ArgumentHelp(
            "Sign the element with this Id; the root element unless given. Several are signed by one signature.",
            valueName: "id"))
    var id: [String] = []

    @Flag(help: "Put the signature after the signed element.")
    var after = false

    @Option(help: ArgumentHelp("The canonical form: exclusive, inclusive or inclusive11.", valueName: "form"))
    var form = CanonicalFormOption.exclusive

    @Option(
        help: ArgumentHelp(
            "A prefix that the exclusive form declares although only values use it; may be repeated.",
            valueName: "prefix"))
    var inclusivePrefix: [String] = []

    @Option(
        help: ArgumentHelp("The algorithm, such as rsa-sha256; what the key does best unless given.", valueName: "name")
    )
    var algorithm: SigningAlgorithmOption?

    @Flag(help: "Sign with RSA and SHA-1, which no longer protects, for services that demand it.")
    var sha1 = false

    @Option(
        help: ArgumentHelp(
            "What KeyInfo has: certificate, chain, issuerSerial, subjectKeyIdentifier, publicKey or nothing.",
            valueName: "content"))
    var keyInfo = KeyInfoOption.certificate

    @Option(help: ArgumentHelp("The prefix of the signature's elements; \"\" for none.", valueName: "prefix"))
    var prefix = "ds"

    @Option(
        help: ArgumentHelp("The file to write; standard output unless given, and for -.", valueName: "file"),
        completion: .file())
    var output: String?

    @Flag(help: "Replace the output if it is there.")
    var force = false

    func validate() throws {
        if sha1, algorithm != nil { throw ValidationError("Give either --sha1 or --algorithm.") }
        if after, id.isEmpty { throw ValidationError("--after: nothing can stand after the root element; give --id.") }
        if form != .exclusive, !inclusivePrefix.isEmpty {
            throw ValidationError("--inclusive-prefix is about the exclusive form.")
        }
        if force, output == nil || output == "-" { throw ValidationError("--force is about --output.") }
        if document == "-", identity == "-" { throw ValidationError("Only one file can come from standard input.") }
    }

    func run() async throws {
        let bytes = try DocumentFile.read(document)
        let signingIdentity = try Identity(file: identity, password: password.source(for: identity))
        warn(signingIdentity.leaf, bytes)
        var signer = try XMLSigner(signingIdentity)
        if let algorithm { signer.algorithm = XMLSignatureAlgorithm(algorithm.algorithm) }
        if sha1 { signer.algorithm = .insecureRSASHA1 }
        signer.canonicalization = XMLCanonicalization(form.method, inclusiveNamespaces: inclusivePrefix)
        signer.place = after ? .after : .inside
        signer.keyInfo = keyInfo.content
        signer.prefix = prefix
        signer.limits = DocumentFile.limits
        if let digest = signer.algorithm.digest { signer.digest = digest }
        let signed = try await signer.sign(bytes, covering: id.isEmpty ? [.root] : id.map { .element(id: $0) })
        if let output, output != "-" {
            try KeyOutput.write(signed, to: output, replaces: force)
        } else {
            try Output.document(signed)
        }
    }

    /// Says what will make the signature, or others, worthless.
    private func warn(_ certificate: EncodedCertificate, _ document: [UInt8]) {
        let now = Int64(Date().timeIntervalSince1970)
        if let begin = certificate.notBefore, let end = certificate.notAfter, now < begin || now > end {
            print("signet: warning: the certificate of “\(certificate.subject)” is not valid now.", to: &standardError)
        }
        if let index = try? DocumentIndex(of: document, limits: DocumentFile.limits), index.isSigned {
            print(
                "signet: warning: the document is signed already. Signatures that cover the place of the new one are no longer valid.",
                to: &standardError)
        }
    }
}

/// Documents that are signed or verified.
enum DocumentFile {
    private static let maximumBytes = 64 << 20

    static var limits: XMLLimits {
        var limits = XMLLimits()
        limits.documentBytes = 2 * maximumBytes
        return limits
    }

    /// - Parameter path: `-` for standard input.
    static func read(_ path: String) throws(CommandError) -> [UInt8] {
        try BoundedFile.read(
            path, name: path == "-" ? "Standard input" : "The file “\(path)”", maximumBytes: maximumBytes)
    }
}

/// The values of `--form`.
enum CanonicalFormOption: String, CaseIterable, ExpressibleByArgument {
    case exclusive, inclusive, inclusive11

    var method: XMLCanonicalization.Method {
        switch self {
        case .exclusive: .exclusive10
        case .inclusive: .inclusive10
        case .inclusive11: .inclusive11
        }
    }
}

/// The values of `--key-info`.
enum KeyInfoOption: String, CaseIterable, ExpressibleByArgument {
    case certificate, chain, issuerSerial, subjectKeyIdentifier, publicKey, nothing

    var content: XMLSigner.KeyInfo {
        switch self {
        case .certificate: .certificate
        case .chain: .chain
        case .issuerSerial: .issuerSerial
        case .subjectKeyIdentifier: .subjectKeyIdentifier
        case .publicKey: .publicKey
        case .nothing: .nothing
        }
    }
}

/// The values of `--algorithm`.
struct SigningAlgorithmOption: ExpressibleByArgument, CaseIterable {
    let name: String
    let algorithm: SigningAlgorithm

    static let allCases: [SigningAlgorithmOption] =
        SigningAlgorithm.Hash.allCases.flatMap { hash in
            let name = "sha\(hash.byteCount * 8)"
            return [
                SigningAlgorithmOption(name: "rsa-\(name)", algorithm: .rsaPKCS1(hash)),
                SigningAlgorithmOption(name: "rsa-pss-\(name)", algorithm: .rsaPSS(hash)),
                SigningAlgorithmOption(name: "ecdsa-\(name)", algorithm: .ecdsa(hash)),
            ]
        } + [SigningAlgorithmOption(name: "ed25519", algorithm: .ed25519)]

    static var allValueStrings: [String] { allCases.map(\.name) }

    private init(name: String, algorithm: SigningAlgorithm) {
        self.name = name
        self.algorithm = algorithm
    }

    init?(argument: String) {
        guard let known = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = known
    }
}
#endif

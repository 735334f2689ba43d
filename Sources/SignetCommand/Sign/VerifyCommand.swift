#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetSignature
import SignetWSSecurity

/// `signet verify`: what the signatures of a document are worth, and why one is refused.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract:
            "Verify the signatures of a document of XML, or of a signed message, and say what is wrong with them.",
        discussion: """
            All signatures must be valid, of trusted signers, and one must cover the root element; of a message of SOAP, its Body; \
            with --id, that element. Name the signers whom you trust: their authorities with --ca, or their certificates with --signer.

            With --explain the command prints what was digested, by which algorithm, who signed, what is not signed, and for a \
            signature that is not valid, what can be found out about the reason. With the document as it was before it was \
            changed, --original, it shows the first byte that differs. --canonical writes the bytes that were signed into files.

            A program must read only what was signed, as --canonical writes it: comments and white space in tags are never signed.

            The status is 0 when all of this is so, 1 when not or when the document cannot be read, 2 for wrong usage.

            Examples:
              signet verify signed.xml --ca authority.pem
              signet verify answer.xml --signer bank.pem --explain
              signet verify changed.xml --ca authority.pem --explain --original sent.xml --canonical bytes
              signet verify signed.xml --signer bank.pem --json | jq -r '.signatures[].problem'
            """)

    @Argument(help: "The document; - for standard input.", completion: .file())
    var document: String

    @Option(
        help: ArgumentHelp("An authority of trusted signers, in PEM or DER; may be repeated.", valueName: "file"),
        completion: .file())
    var ca: [String] = []

    @Option(
        help: ArgumentHelp("The certificate of a trusted signer, in PEM or DER; may be repeated.", valueName: "file"),
        completion: .file())
    var signer: [String] = []

    @Option(help: ArgumentHelp("The Id of the element that must be signed.", valueName: "id"))
    var id: String?

    @Flag(help: "Also accept SHA-1, which no longer protects.")
    var sha1 = false

    @Flag(help: "Print what was digested and what is not signed, and look for the reason of what is wrong.")
    var explain = false

    @Option(
        help: ArgumentHelp(
            "The document as it was signed, to find what was changed; with --explain.", valueName: "file"),
        completion: .file())
    var original: String?

    @Option(
        help: ArgumentHelp(
            "A new folder for the bytes that were signed: a file for each SignedInfo and each reference.",
            valueName: "folder"), completion: .directory)
    var canonical: String?

    @Flag(help: "Print the report as JSON, with all that --explain prints.")
    var json = false

    func validate() throws {
        if ca.isEmpty, signer.isEmpty {
            throw ValidationError(
                "Give --ca or --signer: who signed must be someone you trust. A signature by itself proves nothing.")
        }
        if !ca.isEmpty, !signer.isEmpty { throw ValidationError("Give either --ca or --signer.") }
        if original != nil, !explain, !json { throw ValidationError("--original is about --explain, or --json.") }
        if document == "-", original == "-" {
            throw ValidationError("Only one file can come from standard input.")
        }
    }

    func run() throws {
        let bytes = try DocumentFile.read(document)
        let tokens = TokensInDocument.certificates(bytes, limits: DocumentFile.limits)
        let examination = try SignatureExamination(
            of: bytes, by: try verifier(), certificates: tokens, at: Int64(Date().timeIntervalSince1970),
            original: try original.map(DocumentFile.read))
        let report = try SignatureReport(examination, file: document, id: id)
        if let canonical { try write(report, into: canonical) }
        if json {
            try Output.report(report)
        } else {
            for line in report.lines(Style(for: STDOUT_FILENO), explains: explain) { print(line) }
        }
        if !report.isAccepted { throw ExitCode(1) }
    }

    private func verifier() throws -> XMLSignatureVerifier {
        var verifier =
            ca.isEmpty
            ? XMLSignatureVerifier(
                signers: try signer.flatMap { try CertificateBundle(file: $0, purpose: "The signer").certificates })
            : XMLSignatureVerifier(trusting: try TrustPolicy(anchors: ca)) { _ in true }
        verifier.acceptsSHA1 = sha1
        verifier.limits = DocumentFile.limits
        return verifier
    }

    private func write(_ report: SignatureReport, into folder: String) throws(CommandError) {
        guard mkdir(folder, 0o777) == 0 else {
            throw CommandError(
                "The folder “\(folder)” cannot be made: \(String(cString: strerror(errno))). Name a new one with --canonical."
            )
        }
        for file in report.files { try KeyOutput.write(file.bytes, to: "\(folder)/\(file.name)", replaces: false) }
    }
}
#endif

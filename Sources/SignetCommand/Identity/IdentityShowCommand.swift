#if CommandLine
import ArgumentParser
import Foundation
import Signet

struct IdentityShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what a file of keys and certificates works for, until when, and what is wrong with it.",
        discussion: """
            Reads PKCS#12 (PFX), PEM, PKCS#7, and a certificate or a key in DER. Each certificate is shown with its issuers \
            below it; ✗ marks what stops it from working, ! what needs attention. No key is ever printed.

            The status is 0 when the file works for what was asked, 1 when something stops it or it cannot be read, 2 for \
            wrong usage. A password is asked for on the terminal unless an option gives it.

            Examples:
              signet identity show device.p12
              signet identity show device.p12 --for client --authorities authority.pem \\
                --password-file device.password
              signet identity show server.pem --for api.example.com --authorities authority.pem
              signet identity show device.p12 --password-env PASSWORD --json \\
                | jq -r '.identities[].path[0].pin'
            """)

    @Argument(help: "The file; - for standard input.", completion: .file())
    var file: String

    @OptionGroup var password: FilePasswordOptions

    @Option(
        help: ArgumentHelp(
            "Certificates that complete the path, and that must vouch for it.", valueName: "file"), completion: .file())
    var authorities: String?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "What it must work as: a client, a server, or the server of this host.",
            valueName: "client|server|host"))
    var purpose: String?

    @Flag(help: "Also read a PKCS#12 file without a MAC, in which changes cannot be detected.")
    var withoutMac = false

    @Flag(help: "Print the report as JSON.")
    var json = false

    func validate() throws {
        if purpose?.isEmpty == true { throw ValidationError("--for is client, server or the name of a host.") }
    }

    func run() throws {
        let bundle = try authorities.map { try CertificateBundle(file: $0, purpose: "The authority") }
        let (content, _) = try KeyFile.open(
            file, password: password.source(for: file), integrity: withoutMac ? .optional : .required)
        let report = IdentityInspector(
            file: file, content: content, authorities: bundle, purpose: purpose.map(IdentityPurpose.init),
            now: Int64(Date().timeIntervalSince1970)
        ).report()
        if json {
            try Output.report(report)
        } else {
            for line in IdentityText(report, style: Style(for: STDOUT_FILENO)).lines { print(line) }
        }
        if !report.works { throw ExitCode(1) }
    }
}
#endif

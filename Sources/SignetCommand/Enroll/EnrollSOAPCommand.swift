#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetDynamic
import SignetEnrollment

struct EnrollSOAPCommand: EnrollingCommand {
    static let configuration = CommandConfiguration(
        commandName: "soap",
        abstract: "Obtain an identity from a service that takes the request in an operation of its own.",
        discussion: """
            Makes a key, and calls an operation of a WSDL with a request for a certificate (PKCS#10) at --request-field. The answer has \
            the certificate at --certificate-field: in PEM, or in base64 (one certificate, or PKCS#7). Both are kept in the store under \
            --label. When the store has an identity with this label, it is renewed: the service sees it. The key never leaves the store.

            With --poll, an answer without a certificate means that the service has not decided: the operation is called again with \
            the same request. Values of --set are in the list of processes: put secrets into --input.

            The status is 0 when the identity was obtained, 1 when not, 2 for wrong usage.

            Examples:
              signet enroll soap Certificates.wsdl Certify --request-field request --certificate-field certificate \\
                --subject "CN=device 7, O=Bank" --label device --key-file store.key --identity distribution.p12 --unproved
              signet enroll soap Certificates.wsdl Certify --request-field order.request --pem --set order.customer=4711 \\
                --certificate-field certificate --poll 60 --subject "CN=device 7" --key-type rsa:2048 --label device \\
                --key-file store.key --user device --password-file password --prove https://api.example/soap
            """)

    @Argument(help: "The WSDL.", completion: .file(extensions: ["wsdl"]))
    var wsdl: String

    @Argument(help: "The operation, by its name in the WSDL.")
    var operation: String

    @Option(help: ArgumentHelp("Where in the input the request is, such as a.b.", valueName: "path"))
    var requestField: String

    @Option(help: ArgumentHelp("Where in the answer the certificate is.", valueName: "path"))
    var certificateField: String

    @Flag(help: "Send the request as PEM, in place of the base64 of its DER.")
    var pem = false

    @Option(
        help: ArgumentHelp(
            "Certificates that lead to the authority, where the answer has only one; may be repeated.",
            valueName: "file"), completion: .file())
    var chain: [String] = []

    @Option(
        help: ArgumentHelp("Call again after so long while the answer has no certificate.", valueName: "seconds"))
    var poll: Int?

    @OptionGroup var enrollment: EnrollmentOptions
    @OptionGroup var replacement: ReplacementOptions
    @OptionGroup(title: "The store") var store: StoreOptions
    @OptionGroup var authority: AuthorityOptions
    @OptionGroup(title: "The call") var call: OperationOptions
    @OptionGroup(title: "The request") var request: RequestOptions
    @OptionGroup(title: "In the message (WS-Security)") var messageUser: MessageUserOptions

    func validate() throws {
        try OperationOptions.check(path: requestField, "--request-field", isInAnswer: false)
        try OperationOptions.check(path: certificateField, "--certificate-field")
        try authority.checkHTTPS(messageUser)
        try messageUser.checkPlaintext()
        try OperationOptions.checkRepeatable(call.input)
        try OperationOptions.checkRepeatable(request.headerBlocks)
        if let poll, !(1...86_400).contains(poll) { throw ValidationError("--poll is from 1 to 86400 seconds.") }
        if let poll, poll >= enrollment.patience {
            throw ValidationError("--poll (\(poll)) must be less than --patience (\(enrollment.patience)).")
        }
    }

    func endpoint() throws -> Endpoint { try CallTarget(wsdl: wsdl, request: request).makeConfiguration().endpoint }

    func enroller(at endpoint: Endpoint) async throws -> any Enroller {
        let call = try call.prepared(wsdl: wsdl, operation, request, messageUser, authority)
        try call.checkInput(has: requestField)
        try call.checkAnswer(has: certificateField)
        return OperationEnroller(
            call: call,
            requestField: requestField, certificateField: certificateField, isPEM: pem,
            chain: try chain.flatMap { try CertificateBundle(file: $0, purpose: "The chain").certificates },
            interval: poll.map { .seconds($0) })
    }
}

/// Requests certificates in an operation that takes PKCS#10.
private struct OperationEnroller: Enroller {
    let call: PreparedCall
    let requestField: String
    let certificateField: String
    let isPEM: Bool
    let chain: [EncodedCertificate]
    /// Nil where the operation answers with the certificate, or not at all.
    let interval: Duration?

    func demands(_ identity: Identity?) async throws -> EnrollmentDemands {
        var demands = EnrollmentDemands()
        demands.intermediates = chain
        return demands
    }

    func enroll(_ request: EnrollmentRequest) async throws -> EnrollmentAnswer {
        let text = isPEM ? String(decoding: request.content.pem, as: UTF8.self) : Text.base64(request.content.der)
        let answer = try await call(
            showing: request.identity, setting: [try InputAssignment(at: requestField, text: text)])
        if let text = try answer.text(at: certificateField), !text.isEmpty { return .issued(try certificates(text)) }
        guard let interval else {
            throw EnrollmentError(
                .malformedAnswer,
                "The answer of \(call.operation) has no certificate at \(certificateField). Its content: \(answer.names). Where that means that the service decides later, give --poll."
            )
        }
        return .pending(after: interval)
    }

    private func certificates(_ text: String) throws -> [EncodedCertificate] {
        let bytes = Array(text.utf8)
        if text.contains("-----BEGIN"), let bundle = try? CertificateBundle(pem: bytes) { return bundle.certificates }
        if let der = Text.bytes(base64: bytes) {
            if let bundle = try? CertificateBundle(pkcs7: der) { return bundle.certificates }
            if let bundle = try? CertificateBundle(der: der) { return bundle.certificates }
            // The base64 of PEM, as some services send.
            if let bundle = try? CertificateBundle(pem: der) { return bundle.certificates }
        }
        throw EnrollmentError(
            .malformedAnswer,
            "The answer of \(call.operation) has no certificate at \(certificateField), but another text of \(bytes.count) bytes."
        )
    }
}
#endif

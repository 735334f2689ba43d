#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetDoctor
import SignetSignature
import SignetWSSecurity

/// The signature and the encryption of messages: `--wss-identity` and those beside it.
struct MessageSignatureOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The key and certificate that sign the message: PKCS#12, or PEM with both. Signs what the WSDL demands, otherwise the Body, the Timestamp and WS-Addressing.",
            valueName: "file"),
        completion: .file())
    var wssIdentity: String?

    @Option(
        help: ArgumentHelp("A file that holds the password of --wss-identity alone.", valueName: "file"),
        completion: .file())
    var wssIdentityPasswordFile: String?

    @Option(
        help: ArgumentHelp("The environment variable that holds the password of --wss-identity.", valueName: "name"))
    var wssIdentityPasswordEnv: String?

    @Option(
        help: ArgumentHelp(
            "The certificate that signs the answers, in PEM or DER; may be repeated. Unless given, answers need no signature; a WSDL can demand one.",
            valueName: "file"),
        completion: .file())
    var wssSigner: [String] = []

    @Option(
        help: ArgumentHelp(
            "The certificate for which the message is encrypted, in PEM or DER; the first one of the file.",
            valueName: "file"),
        completion: .file())
    var wssRecipient: String?

    @Option(
        help: ArgumentHelp(
            "A token that the message carries: a SAML assertion, or a file that signet token wrote. A token that is bound to a key also needs --wss-identity with that key.",
            valueName: "file"),
        completion: .file())
    var wssToken: String?

    @Flag(
        help:
            "Sign with SHA-1, which no longer protects, unless the WSDL demands another algorithm, and accept it in answers."
    )
    var wssSha1 = false

    @Flag(help: "Accept answers that are encrypted with CBC, which does not show changes.")
    var wssCbc = false

    func validate() throws {
        if wssIdentityPasswordFile != nil, wssIdentityPasswordEnv != nil {
            throw ValidationError("Give either --wss-identity-password-file or --wss-identity-password-env.")
        }
        let isAboutIdentity =
            wssIdentityPasswordFile != nil || wssIdentityPasswordEnv != nil || wssRecipient != nil || wssSha1 || wssCbc
        if wssCbc, wssSigner.isEmpty {
            throw ValidationError("--wss-cbc is about answers whose signature is verified; give --wss-signer.")
        }
        if wssIdentity == nil, isAboutIdentity || !wssSigner.isEmpty {
            throw ValidationError(
                "--wss-identity-password-file, --wss-identity-password-env, --wss-signer, --wss-recipient, --wss-sha1 and --wss-cbc are about signed messages; give --wss-identity."
            )
        }
    }

    /// Reads the files; asks for the password when one is needed.
    func load(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> MessageSignature {
        var signature = MessageSignature(allowsSHA1: wssSha1)
        guard let wssIdentity else {
            signature.token = try loadToken(holder: nil)
            return signature
        }
        let password = SecretSource(
            purpose: "the password of \(wssIdentity)",
            options: "--wss-identity-password-file or --wss-identity-password-env", file: wssIdentityPasswordFile,
            environmentVariable: wssIdentityPasswordEnv)
        let identity = try Identity(file: wssIdentity, password: password)
        signature.identity = identity
        signature.token = try loadToken(holder: identity)
        if !wssSigner.isEmpty {
            let signers = try wssSigner.flatMap {
                try CertificateBundle(file: $0, purpose: "The signer").certificates
            }
            var answers = SignaturePolicy(signers: signers)
            answers.acceptsSHA1 = wssSha1
            if wssCbc {
                answers.decryption = DecryptionPolicy([identity])
                answers.decryption?.acceptsCBC = true
                // The WSDL says what is encrypted.
                answers.decryption?.encrypted = []
            }
            signature.answers = answers
        }
        signature.recipient = try wssRecipient.flatMap {
            try CertificateBundle(file: $0, purpose: "The certificate").certificates.first
        }
        return signature
    }

    private func loadToken(holder: Identity?) throws(CommandError) -> IssuedToken? {
        guard let wssToken else { return nil }
        let bytes = try BoundedFile.read(wssToken, name: "The token “\(wssToken)”", maximumBytes: 1 << 20)
        // Bearers' tokens also go into messages that are signed.
        if let token = try? IssuedToken(importing: bytes) { return token }
        do { return try IssuedToken(importing: bytes, holder: holder) } catch {
            throw CommandError("“\(wssToken)”: \(error.message)")
        }
    }
}

/// What the options about signed messages give.
struct MessageSignature {
    var identity: Identity?
    var answers: SignaturePolicy?
    var recipient: EncodedCertificate?
    var token: IssuedToken?
    var allowsSHA1 = false

    /// - Parameter demands: those of the policies of the port and of the operation.
    func header(
        for port: ServicePort, _ demands: [ServiceRequirement], user: String? = nil, password: String? = nil
    ) throws -> SecurityHeader {
        var header = SecurityHeader(
            for: port, user: user, password: password, identity: identity, answers: answers, encryptingFor: recipient)
        header.allowsSHA1 = allowsSHA1
        header.issuedTokens = token.map { IssuedTokens($0) }
        let binding = demands.asymmetricBinding
        if recipient != nil, let binding, binding.request.encrypted.isEmpty {
            throw CommandError(
                "--wss-recipient: the WSDL demands messages that are signed and not encrypted. Leave it out, or add --ignore-policies."
            )
        }
        if let identity, binding == nil {
            header.lifetime = .seconds(300)
            header.signature = try SignatureProfile(identity)
            if allowsSHA1 {
                header.signature?.algorithm = .insecureRSASHA1
                header.signature?.digest = .insecureSHA1
            }
            // Otherwise the message could be moved under another assertion of the same holder.
            if let token, token.holder != nil, token.assertion != nil {
                header.signature?.parts.insert(.signingToken)
            }
            header.encryption = try recipient.map { try EncryptionProfile(for: $0) }
            if header.encryption != nil, header.answers?.decryption == nil {
                header.answers?.decryption = DecryptionPolicy([identity])
                header.answers?.decryption?.encrypted = []
            }
        }
        return header
    }
}
#endif

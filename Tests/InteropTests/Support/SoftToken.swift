import Foundation
import Signet

/// A security module in software, SoftHSM, with a token of its own: keys are made in it, and cannot be taken out.
struct SoftToken: Sendable {
    static let label = "Plant 7"
    static let pin = "246813"
    private static let modules = [
        "/usr/lib/softhsm/libsofthsm2.so", "/usr/lib64/pkcs11/libsofthsm2.so", "/usr/local/lib/softhsm/libsofthsm2.so",
        "/opt/homebrew/lib/softhsm/libsofthsm2.so",
    ]

    let files: IdentityFiles
    let module: String
    private var environment: [String: String] { ["SOFTHSM2_CONF": files.path("softhsm2.conf")] }

    init() async throws {
        guard let module = Self.modules.first(where: FileManager.default.fileExists) else {
            throw PeerProcess.Failure(description: "SoftHSM is not installed. Run scripts/test, which sees to it.")
        }
        self.module = module
        files = try IdentityFiles()
        try FileManager.default.createDirectory(
            at: files.folder.appending(path: "tokens"), withIntermediateDirectories: false)
        try files.write(
            "directories.tokendir = \(files.path("tokens"))\nobjectstore.backend = file\nlog.level = ERROR\n",
            as: "softhsm2.conf")
        try files.write(Self.pin + "\n", as: "pin")
        try await run(
            "softhsm2-util", "--init-token", "--free", "--label", Self.label, "--pin", Self.pin, "--so-pin", "135724")
    }

    /// Runs a program of others that finds this token.
    @discardableResult
    func run(_ program: String, _ arguments: String...) async throws -> String {
        let result = try await PeerProcess.output(
            of: .init(program: program, arguments: arguments, environment: environment))
        guard result.status == 0 else {
            throw PeerProcess.Failure(description: "\(program) \(arguments): \(result.output)\(result.error)")
        }
        return result.output
    }

    /// Makes a key that cannot be taken out.
    ///
    /// - Parameter type: as OpenSC has it, `rsa:2048` or `EC:prime256v1`.
    /// - Returns: its public half, as OpenSC reads it.
    @discardableResult
    func makeKey(_ label: String, type: String, identifier: String) async throws -> PublicHalf {
        try await pkcs11("--keypairgen", "--key-type", type, "--label", label, "--id", identifier, "--usage-sign")
        try await pkcs11("--read-object", "--type", "pubkey", "--id", identifier, "--output-file", files.path(label))
        return PublicHalf(
            publicKeyInfo: Array(try Data(contentsOf: files.folder.appending(path: label))),
            algorithms: type.hasPrefix("rsa") ? [.rsaPSS(.sha256)] : [.ecdsa(.sha256)])
    }

    @discardableResult
    func pkcs11(_ arguments: String...) async throws -> String {
        let result = try await PeerProcess.output(
            of: .init(
                program: "pkcs11-tool",
                arguments: ["--module", module, "--token-label", Self.label, "--login", "--pin", Self.pin] + arguments,
                environment: environment))
        guard result.status == 0 else {
            throw PeerProcess.Failure(description: "pkcs11-tool \(arguments): \(result.output)\(result.error)")
        }
        return result.output
    }

    /// Runs the example `SmartCard`, which signs with a key of this token.
    func call(
        key: String, certificates: String, authority: String, url: String, pin: String = "pin"
    ) async throws -> (status: Int32, output: String, error: String) {
        try await PeerProcess.output(
            of: .init(
                program: try SignetProgram.path(of: "SmartCard"),
                arguments: [
                    module, Self.label, key, files.path(pin), files.path(certificates), files.path(authority), url,
                ],
                environment: environment))
    }

    /// A key of which an authority knows no more.
    struct PublicHalf: SigningKey {
        let name = "a key in a token"
        let publicKeyInfo: [UInt8]
        let algorithms: [SigningAlgorithm]
        func signature(for request: SigningRequest) async throws -> [UInt8] { [] }
    }

    /// The key “01” of a token, which signs as PKCS#1 v1.5 has it, and not with RSA-PSS.
    struct OldKey: SigningKey {
        let token: SoftToken
        let name = "a key in an old token"
        let publicKeyInfo: [UInt8]
        let algorithms: [SigningAlgorithm] = [.rsaPKCS1(.sha256), .rsaPKCS1(.sha384)]

        func signature(for request: SigningRequest) async throws -> [UInt8] {
            let (input, output) = (token.files.path("message"), token.files.path("signature"))
            try Data(request.message).write(to: URL(filePath: input))
            try await token.pkcs11(
                "--sign", "--id", "01", "--mechanism",
                request.algorithm == .rsaPKCS1(.sha256) ? "SHA256-RSA-PKCS" : "SHA384-RSA-PKCS", "--input-file", input,
                "--output-file", output)
            return Array(try Data(contentsOf: URL(filePath: output)))
        }
    }
}

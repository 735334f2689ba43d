#if CommandLine
import ArgumentParser
import Signet

/// The password of a file of keys: from `--password-file`, `--password-env`, or else a question on the terminal.
struct FilePasswordOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file that holds the file's password alone.", valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(help: ArgumentHelp("The environment variable that holds the file's password.", valueName: "name"))
    var passwordEnv: String?

    func validate() throws {
        if passwordFile != nil, passwordEnv != nil {
            throw ValidationError("Give either --password-file or --password-env.")
        }
    }

    func source(for path: String) -> SecretSource {
        SecretSource(
            purpose: "the password of \(path)", options: "--password-file or --password-env", file: passwordFile,
            environmentVariable: passwordEnv)
    }
}

extension KeyFile {
    /// The largest file read, in bytes; more than the reader itself allows.
    static let maximumBytes = 32 << 20

    /// Reads a file of any supported format, and its password when it needs one.
    ///
    /// - Parameter path: `-` for standard input.
    /// - Returns: the content, and the password that opened it; nil when no password was needed or given.
    static func open(
        _ path: String, password: SecretSource, integrity: Integrity = .required
    ) throws -> (content: KeyFile, password: String?) {
        let name = path == "-" ? "Standard input" : "The file “\(path)”"
        let bytes = try BoundedFile.read(path, name: name, maximumBytes: maximumBytes)
        let given = password.isGiven ? try password.read() : nil
        do {
            do { return (try KeyFile(bytes, password: given, integrity: integrity), given) } catch {
                guard given == nil, error.code == .passwordRequired || error.code == .wrongPassword else { throw error }
                let typed = try password.read()
                return (try KeyFile(bytes, password: typed, integrity: integrity), typed)
            }
        } catch let error as IdentityError {
            throw UnusableKeyFile(name: name, cause: error)
        }
    }
}

/// A file of keys and certificates that cannot be used.
struct UnusableKeyFile: Error, CustomStringConvertible {
    let name: String
    let cause: IdentityError

    var description: String { "\(name) cannot be used. \(cause.message)" }
}

extension IdentityError {
    /// What is wrong with a file of keys; nil for an error about something else.
    init?(ofKeyFile error: any Error) {
        switch error {
        case let error as UnusableKeyFile: self = error.cause
        case let error as IdentityError: self = error
        default: return nil
        }
    }
}

extension CertificateBundle {
    /// Reads the certificates of a file in any format that needs no password.
    ///
    /// - Parameter purpose: the file's purpose, as worded in an error: “The authority”.
    init(file path: String, purpose: String) throws {
        let bytes = try BoundedFile.read(path, name: "The file “\(path)”", maximumBytes: 16 << 20)
        guard !bytes.isEmpty else { throw CommandError("\(purpose) in “\(path)” cannot be used: the file is empty.") }
        let certificates: [EncodedCertificate]
        do { certificates = try KeyFile(bytes).certificates.map(\.certificate) } catch {
            throw CommandError("\(purpose) in “\(path)” cannot be used. \(error.message)")
        }
        guard !certificates.isEmpty else {
            throw CommandError("\(purpose) in “\(path)” cannot be used: the file holds no certificate.")
        }
        self.init(certificates)
    }
}
#endif

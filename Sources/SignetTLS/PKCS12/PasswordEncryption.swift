import SwiftASN1

/// Something encrypted under a password, by whichever scheme.
enum PasswordEncryption {
    case pbes1(PBES1)
    case pbes2(PBES2)

    init(_ algorithm: AlgorithmIdentifier) throws {
        if algorithm.algorithm == .PBES2.scheme {
            self = .pbes2(try PBES2(parameters: algorithm.parameters))
        } else {
            self = .pbes1(try PBES1(algorithm))
        }
    }

    var description: String {
        switch self {
        case .pbes1(let scheme): scheme.description
        case .pbes2(let scheme): scheme.description
        }
    }

    /// The ASN.1 value that was encrypted.
    ///
    /// - Parameter what: what is encrypted, for the error.
    /// - Throws: ``IdentityError`` with `wrongPassword`, `passwordRequired` or `tooLarge`.
    func open(_ bytes: ArraySlice<UInt8>, _ what: String, password: inout FilePassword) throws -> ASN1Node {
        for (number, form) in forms(password).enumerated() {
            let plain: [UInt8]?
            do { plain = try decrypted(bytes, form, &password) } catch {
                // The right form must be paid; a guess at another is made only when it can be.
                if number == 0 { throw error }
                break
            }
            // The padding alone lets through one wrong password in 256, and RC4 has none.
            if let plain, let node = try? BoundedBER.parse(plain[...]), node.identifier == .sequence { return node }
        }
        throw password.refused(what)
    }

    private func forms(_ password: FilePassword) -> [[UInt8]] {
        switch self {
        case .pbes1: password.wideForms
        case .pbes2: password.narrowForms
        }
    }

    private func decrypted(
        _ bytes: ArraySlice<UInt8>, _ form: [UInt8], _ password: inout FilePassword
    ) throws -> [UInt8]? {
        switch self {
        case .pbes1(let scheme): try scheme.decrypted(bytes, form: form, spending: &password)
        case .pbes2(let scheme): try scheme.decrypted(bytes, form: form, spending: &password)
        }
    }
}

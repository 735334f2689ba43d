import SwiftASN1

/// A scheme that encrypts a value with a password.
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

    /// Decrypts an ASN.1 value.
    ///
    /// - Parameter what: the name of the value, for the error.
    /// - Throws: ``IdentityError`` with `wrongPassword`, `passwordRequired` or `tooLarge`.
    func open(_ bytes: ArraySlice<UInt8>, _ what: String, password: inout FilePassword) throws -> ASN1Node {
        for (number, form) in forms(password).enumerated() {
            let plain: [UInt8]?
            do { plain = try decrypted(bytes, form, &password) } catch {
                // The work of the standard form must fit the limit. Another form is tried only when its work fits too.
                if number == 0 { throw error }
                break
            }
            // The padding alone accepts one wrong password in 256, and RC4 has no padding.
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

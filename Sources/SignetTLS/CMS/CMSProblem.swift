/// Why a message of CMS (RFC 5652) cannot be used.
package enum CMSProblem: Error, Sendable, CustomStringConvertible {
    case malformed(String)
    /// An algorithm that no longer protects.
    case weak(String)
    /// An algorithm or a form that Signet does not read.
    case unsupported(String)
    /// The key is not that of the recipient, or the content was changed. The cause is not told, since an attacker could
    /// learn the content from it (RFC 3218 §2).
    case notDecrypted

    package var description: String {
        switch self {
        case .malformed(let what): "it is malformed: \(what)"
        case .weak(let what): "it has \(what), which is too weak"
        case .unsupported(let what): "it has \(what), which is not supported"
        case .notDecrypted: "it was not encrypted for this key, or it was damaged on its way"
        }
    }

    /// Runs a reader; the decoder's own errors name lines of its source, which do not help a user.
    static func reading<Value>(_ body: () throws -> Value) throws(CMSProblem) -> Value {
        do { return try body() } catch let problem as CMSProblem { throw problem } catch let error as EncodingError {
            throw .malformed(error.description)
        } catch let error as IdentityError {
            throw .malformed(error.message)
        } catch let error as UnsupportedAlgorithm {
            throw .unsupported("the algorithm \(error.identifier)")
        } catch let problem as AlgorithmProblem {
            switch problem {
            case .weak(let what): throw .weak(what)
            case .unsupported(let what): throw .unsupported(what)
            case .malformed(let what): throw .malformed(what)
            }
        } catch { throw .malformed("it is cut off or has other content") }
    }
}

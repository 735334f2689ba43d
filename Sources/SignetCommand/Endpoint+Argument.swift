#if CommandLine
import ArgumentParser
import Signet

extension Endpoint {
    /// An address among the arguments.
    ///
    /// - Parameter name: what the message calls it.
    /// - Throws: `ValidationError`, since an address that cannot be used is wrong usage.
    init(argument address: String, _ name: String = "The address") throws(ValidationError) {
        do { try self.init(address) } catch { throw ValidationError("\(name) cannot be used: \(error.message).") }
    }
}
#endif

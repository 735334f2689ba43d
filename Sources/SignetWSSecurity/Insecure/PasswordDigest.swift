import Crypto

/// SHA-1 of nonce, time and password (UsernameToken Profile 1.1 §3.1). The library uses SHA-1 for nothing else in
/// WS-Security.
///
/// The digest covers neither the boundaries between the three parts nor the user name.
enum PasswordDigest {
    static func bytes(nonce: [UInt8], created: String, password: String) -> [UInt8] {
        var hash = Insecure.SHA1()
        hash.update(data: nonce)
        hash.update(data: Array(created.utf8))
        hash.update(data: Array(password.utf8))
        return Array(hash.finalize())
    }
}

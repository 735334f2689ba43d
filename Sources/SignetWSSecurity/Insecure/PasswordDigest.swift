import Crypto

/// SHA-1 of nonce, time and password (UsernameToken Profile 1.1 §3.1). Nothing else uses SHA-1 here.
///
/// Where one ends and the next begins is not digested, and neither is the user.
enum PasswordDigest {
    static func bytes(nonce: [UInt8], created: String, password: String) -> [UInt8] {
        var hash = Insecure.SHA1()
        hash.update(data: nonce)
        hash.update(data: Array(created.utf8))
        hash.update(data: Array(password.utf8))
        return Array(hash.finalize())
    }
}

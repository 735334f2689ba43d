#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The trust anchors of the operating system, where the distributions document them.
///
/// `SSL_CERT_FILE` and `SSL_CERT_DIR` take the place of all of it, as OpenSSL has them; other than there, one of them alone
/// leaves nothing of the system's, since whoever sets it wants to say whom to believe.
enum SystemAnchors {
    /// Read at the first use; Swift initialises a static value once, whatever the number of threads.
    static let shared = load { name in unsafe variable(name).map { unsafe String(cString: $0) } }

    /// A program that has more rights than its caller must not let him choose whom it believes.
    private static func variable(_ name: String) -> UnsafeMutablePointer<CChar>? {
        unsafe getuid() == geteuid() && getgid() == getegid() ? getenv(name) : nil
    }

    /// All authorities for TLS in one file; the first file that gives any is used. The newest of Fedora and its relatives
    /// have only the second, which was there before too.
    static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Alpine, Arch
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL, Amazon Linux
        "/etc/pki/tls/certs/ca-bundle.crt",  // the same in earlier years
        "/etc/ssl/ca-bundle.pem",  // openSUSE
        "/etc/ssl/cert.pem",  // Alpine without its package ca-certificates
    ]

    /// One file an authority; asked when there is no bundle.
    static let folders = [
        "/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted/pem/directory-hash",
    ]

    /// - Parameters:
    ///   - root: stands before the paths of the system, not before those in the environment.
    ///   - environment: looks a variable up. An empty one counts as absent.
    static func load(root: String = "", environment: (String) -> String?) -> AnchorSet {
        var reader = AnchorReader()
        let file = environment("SSL_CERT_FILE") ?? ""
        let list = environment("SSL_CERT_DIR") ?? ""
        if !file.isEmpty || !list.isEmpty {
            // Who names one file means what is in it, also a server's self-signed certificate that is no authority.
            var found = reader.certificates(inFile: file)
            for folder in list.split(separator: ":") { found += reader.authorities(inFolder: String(folder)) }
            return AnchorSet(found)
        }
        for path in bundles {
            let found = reader.authorities(inFile: root + path)
            if !found.isEmpty { return AnchorSet(found) }
        }
        return AnchorSet(folders.flatMap { reader.authorities(inFolder: root + $0) })
    }
}

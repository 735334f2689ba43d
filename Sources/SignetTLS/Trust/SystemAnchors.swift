#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The trust anchors of the operating system, where the distributions document them.
///
/// `SSL_CERT_FILE` and `SSL_CERT_DIR` replace them, as in OpenSSL. Unlike in OpenSSL, one variable alone replaces all
/// of the system's trust anchors, since a user who sets it wants to choose which authorities are trusted.
enum SystemAnchors {
    /// Loaded at the first use. Swift initialises a static value once, whatever the number of threads.
    static let shared = load { name in unsafe variable(name).map { unsafe String(cString: $0) } }

    /// A program with more rights than its caller must not let the caller choose its trust anchors.
    private static func variable(_ name: String) -> UnsafeMutablePointer<CChar>? {
        unsafe getuid() == geteuid() && getgid() == getegid() ? getenv(name) : nil
    }

    /// Files that hold all authorities for TLS. The first file that contains any is used. The newest versions of Fedora
    /// and its relatives have only the second, which older versions have too.
    static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Alpine, Arch
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL, Amazon Linux
        "/etc/pki/tls/certs/ca-bundle.crt",  // the same in earlier years
        "/etc/ssl/ca-bundle.pem",  // openSUSE
        "/etc/ssl/cert.pem",  // Alpine without its package ca-certificates
    ]

    /// Folders with one file for each authority, read when there is no bundle.
    static let folders = [
        "/etc/ssl/certs", "/etc/pki/tls/certs", "/etc/pki/ca-trust/extracted/pem/directory-hash",
    ]

    /// - Parameters:
    ///   - root: a prefix for the paths of the system. It does not apply to paths from the environment.
    ///   - environment: looks up a variable. An empty one counts as absent.
    static func load(root: String = "", environment: (String) -> String?) -> AnchorSet {
        var reader = AnchorReader()
        let file = environment("SSL_CERT_FILE") ?? ""
        let list = environment("SSL_CERT_DIR") ?? ""
        if !file.isEmpty || !list.isEmpty {
            // A user who names one file wants all of its certificates trusted, also a server's self-signed certificate
            // that is not an authority's.
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

import Foundation
import SignetTesting
import TestSupport
import Testing

@testable import SignetTLS

/// The trees of the distributions, laid out in a folder, and what the environment says instead.
@Suite struct SystemAnchorTests {
    /// A root folder that ends with the test.
    final class Tree {
        let root = FileManager.default.temporaryDirectory.appending(path: "signet-anchors-\(UUID().uuidString)")
        var path: String { root.path(percentEncoded: false) }

        deinit { try? FileManager.default.removeItem(at: root) }

        @discardableResult func write(_ text: String, _ name: String) throws -> String {
            try write(Data(text.utf8), name)
        }

        @discardableResult func write(_ data: Data, _ name: String) throws -> String {
            let file = try place(name)
            try data.write(to: file)
            return file.path(percentEncoded: false)
        }

        /// - Parameter target: absolute within the tree, or relative.
        func link(_ name: String, to target: String) throws {
            try FileManager.default.createSymbolicLink(
                atPath: try place(name).path(percentEncoded: false),
                withDestinationPath: target.hasPrefix("/") ? path + target : target)
        }

        private func place(_ name: String) throws -> URL {
            let file = root.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            return file
        }

        func anchors(_ environment: [String: String] = [:]) -> Set<EncodedCertificate> {
            Set(SystemAnchors.load(root: path) { environment[$0] }.bySubject.values.flatMap { $0 })
        }
    }

    let tree = Tree()
    let one: EncodedCertificate
    let two: EncodedCertificate
    let device: EncodedCertificate

    init() throws {
        one = try CertificateAuthority(commonName: "One").certificate
        two = try CertificateAuthority(commonName: "Two").certificate
        device = try CertificateAuthority(commonName: "Three").issueServer(dnsNames: ["localhost"]).leaf
    }

    private func pem(_ certificates: EncodedCertificate..., label: String = "CERTIFICATE") -> String {
        certificates.map {
            "# \($0.subject)\n-----BEGIN \(label)-----\n\(Data($0.der).base64EncodedString(options: .lineLength64Characters))\n-----END \(label)-----\n"
        }.joined()
    }

    @Test(arguments: [
        "Debian and Ubuntu", "Alpine", "Alpine, bundle only", "Fedora 44", "Fedora 40", "Amazon Linux 2023", "openSUSE",
    ])
    func distributions(name: String) throws {
        let both = pem(one, two)
        switch name {
        case "Debian and Ubuntu":
            try tree.write(both, "etc/ssl/certs/ca-certificates.crt")
            try tree.write(pem(one), "usr/share/ca-certificates/mozilla/One.crt")
            try tree.link("etc/ssl/certs/One.pem", to: "/usr/share/ca-certificates/mozilla/One.crt")
            try tree.link("etc/ssl/certs/5443e9e3.0", to: "One.pem")
        case "Alpine":
            try tree.write(both, "etc/ssl/certs/ca-certificates.crt")
            try tree.link("etc/ssl/cert.pem", to: "certs/ca-certificates.crt")
            try tree.link("etc/ssl1.1/cert.pem", to: "/etc/ssl/cert.pem")
        case "Alpine, bundle only":
            try tree.write(both, "etc/ssl/cert.pem")
        case "Fedora 44":
            try tree.write(both, "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem")
            try tree.write(pem(one), "etc/pki/ca-trust/extracted/pem/directory-hash/One.pem")
            try tree.link("etc/ssl/certs", to: "/etc/pki/ca-trust/extracted/pem/directory-hash")
        case "Fedora 40":
            try tree.write(both, "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem")
            try tree.link("etc/pki/tls/certs/ca-bundle.crt", to: "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem")
            try tree.link("etc/pki/tls/cert.pem", to: "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem")
            try tree.link("etc/ssl/certs", to: "../pki/tls/certs")
        case "Amazon Linux 2023":
            try tree.write(both, "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem")
            try tree.write(pem(device), "etc/pki/ca-trust/extracted/pem/email-ca-bundle.pem")
            try tree.link("etc/pki/tls/certs/ca-bundle.crt", to: "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem")
        default:
            try tree.write(both, "var/lib/ca-certificates/ca-bundle.pem")
            try tree.link("etc/ssl/ca-bundle.pem", to: "/var/lib/ca-certificates/ca-bundle.pem")
        }
        #expect(tree.anchors() == [one, two])
    }

    @Test(arguments: SystemAnchors.folders) func aFolderIsReadWhenThereIsNoBundle(folder: String) throws {
        let folder = String(folder.dropFirst())
        try tree.write(pem(one), "\(folder)/One.pem")
        try tree.link("\(folder)/0a0a0a0a.0", to: "One.pem")
        try tree.write(pem(two), "\(folder)/two.crt")
        try tree.write("-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n", "\(folder)/0a0a0a0a.r0")
        try tree.write("no certificate", "\(folder)/README")
        // As Debian's ssl-cert makes it; it must not become an authority.
        try tree.write(pem(device), "\(folder)/ssl-cert-snakeoil.pem")
        try tree.link("\(folder)/dangling.pem", to: "nowhere")
        #expect(tree.anchors() == [one, two])
    }

    @Test func aBundleWithoutAuthoritiesIsPassedOver() throws {
        try tree.write("", "etc/ssl/certs/ca-certificates.crt")
        try tree.write(pem(device), "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem")
        try tree.write(pem(one), "etc/ssl/cert.pem")
        #expect(tree.anchors() == [one])
        #expect(Tree().anchors().isEmpty)
    }

    @Test func theEnvironmentTakesThePlaceOfAll() throws {
        try tree.write(pem(one, two), "etc/ssl/certs/ca-certificates.crt")
        let file = try tree.write(pem(one, device), "mine.pem")
        // The user chose the file, so all its certificates count, including a server's own.
        #expect(tree.anchors(["SSL_CERT_FILE": file]) == [one, device])
        try tree.write(pem(two, device), "a/two.pem")
        try tree.write(pem(two), "b/0a0a0a0a.0")
        try tree.write(pem(one), "b/one")
        let (a, b) = ("\(tree.path)/a", "\(tree.path)/b")
        #expect(tree.anchors(["SSL_CERT_DIR": a]) == [two])
        #expect(tree.anchors(["SSL_CERT_DIR": "\(a):/nowhere::\(b)"]) == [one, two])
        #expect(tree.anchors(["SSL_CERT_DIR": a, "SSL_CERT_FILE": file]) == [one, two, device])
        // A variable that names no file does not fall back to the anchors of the system.
        #expect(tree.anchors(["SSL_CERT_FILE": "/nowhere"]).isEmpty)
        #expect(tree.anchors(["SSL_CERT_DIR": "/nowhere"]).isEmpty)
        #expect(tree.anchors(["SSL_CERT_DIR": "", "SSL_CERT_FILE": ""]) == [one, two])
    }

    @Test func damageCostsOnlyItsOwnBlock() throws {
        let cut = "-----BEGIN CERTIFICATE-----\nMIIB\n"
        let garbage = "-----BEGIN CERTIFICATE-----\n***\n-----END CERTIFICATE-----\n"
        let other = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n"
        let text = "text\n" + garbage + pem(one) + other + cut + pem(two, one) + cut
        let file = try tree.write(text, "mixed.pem")
        #expect(tree.anchors(["SSL_CERT_FILE": file]) == [one, two])
        let windows = try tree.write(pem(one, two).replacing("\n", with: "\r\n"), "windows.pem")
        #expect(tree.anchors(["SSL_CERT_FILE": windows]) == [one, two])
        let old = try tree.write(pem(one, label: "X509 CERTIFICATE"), "old.pem")
        #expect(tree.anchors(["SSL_CERT_FILE": old]) == [one])
    }

    @Test func unreadableFilesAreSkipped() throws {
        try tree.write(pem(one), "mixed/one.pem")
        #expect(mkfifo("\(tree.path)/mixed/pipe.pem", 0o600) == 0)
        try tree.write(pem(two), "mixed/folder.pem/two.pem")
        let secret = try tree.write(pem(two), "mixed/secret.pem")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: secret)
        let folder = ["SSL_CERT_DIR": "\(tree.path)/mixed"]
        // Nothing is secret from root.
        #expect(tree.anchors(folder) == (getuid() == 0 ? [one, two] : [one]))
        #expect(tree.anchors(["SSL_CERT_FILE": "\(tree.path)/mixed/pipe.pem"]).isEmpty)
        #expect(tree.anchors(["SSL_CERT_FILE": "\(tree.path)/mixed"]).isEmpty)
        #expect(tree.anchors(["SSL_CERT_FILE": "/dev/zero"]).isEmpty)
    }

    @Test func largeFilesAreNotRead() throws {
        let large = try tree.write(
            Data(pem(one).utf8) + Data(repeating: 0x0A, count: PEMFile.maximumBytes), "large.pem")
        #expect(tree.anchors(["SSL_CERT_FILE": large]).isEmpty)
    }

    @Test func trustedCertificatesMustBeTrustedForServers() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.write(pem(one), "one.pem")
        func anchors(_ settings: String) throws -> Set<EncodedCertificate> {
            try openssl("x509 -in one.pem -trustout -out trusted.pem \(settings)")
            #expect(
                String(decoding: try openssl.bytes("trusted.pem"), as: UTF8.self).contains("BEGIN TRUSTED CERTIFICATE"))
            let path = openssl.folder.appending(path: "trusted.pem").path(percentEncoded: false)
            return tree.anchors(["SSL_CERT_FILE": path])
        }
        #expect(try anchors("-addtrust serverAuth -setalias One") == [one])
        #expect(try anchors("-addtrust anyExtendedKeyUsage") == [one])
        #expect(try anchors("-setalias One") == [one])
        #expect(try anchors("-addtrust emailProtection") == [])
        #expect(try anchors("-addreject serverAuth") == [])
        #expect(try anchors("-addtrust serverAuth -addreject anyExtendedKeyUsage") == [])
        #expect(try anchors("-addreject emailProtection") == [one])
        // Wherever the file is cut off, no anchor is taken from it, and reading does not fail.
        try openssl("x509 -in one.pem -trustout -out trusted.pem -addreject serverAuth")
        let whole = try #require(try PEMBlock.all(in: openssl.bytes("trusted.pem")).first).der
        for count in 0..<whole.count where count != one.der.count {
            let anchor = TrustedCertificate.anchor(Array(whole.prefix(count)))
            #expect(anchor?.content == nil)
        }
        // Settings that are absent altogether exclude nothing.
        #expect(TrustedCertificate.anchor(one.der) == one)
    }

    /// Where Debian and Ubuntu keep the authorities; other systems keep them elsewhere.
    private static let bundle = "/etc/ssl/certs/ca-certificates.crt"

    /// In CI the bundle must be there.
    private static var isBundleExpected: Bool {
        FileManager.default.fileExists(atPath: bundle) || ProcessInfo.processInfo.environment["CI"] == "true"
    }

    @Test(.enabled(if: isBundleExpected, "/etc/ssl/certs/ca-certificates.crt is not there"))
    func theBundleOfThisMachineIsReadWhole() throws {
        let bytes = try #require(FileManager.default.contents(atPath: Self.bundle))
        let expected = Set(try PEMBlock.all(in: Array(bytes)).map { EncodedCertificate(der: $0.der) })
        let loaded = SystemAnchors.load { _ in nil }
        #expect(Set(loaded.bySubject.values.flatMap { $0 }) == expected)
        #expect(expected.count > 50)
        // The same authorities one by one, under the names that c_rehash gives them, and the bundle as one more file.
        let folder = SystemAnchors.load { $0 == "SSL_CERT_DIR" ? "/etc/ssl/certs" : nil }
        #expect(Set(folder.bySubject.values.flatMap { $0 }).isSuperset(of: expected))
    }
}

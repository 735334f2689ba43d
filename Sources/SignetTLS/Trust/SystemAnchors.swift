#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The trust anchors of the operating system, read as OpenSSL does it and without Foundation.
enum SystemAnchors {
    /// Read at the first use; Swift initialises a static value once, whatever the number of threads.
    static let shared = load { name in getenv(name).map { String(cString: $0) } }

    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ]
    private static let maximumFiles = 4_096

    /// - Parameter environment: looks a variable up.
    static func load(environment: (String) -> String?) -> AnchorSet {
        let file = environment("SSL_CERT_FILE")
        let directories = environment("SSL_CERT_DIR")?.split(separator: ":").map(String.init)
        if file != nil || directories != nil {
            return AnchorSet((file.map(certificatesOfFile) ?? []) + (directories ?? []).flatMap(certificatesOfFolder))
        }
        for path in bundles {
            let found = certificatesOfFile(path)
            if !found.isEmpty { return AnchorSet(found) }
        }
        return AnchorSet(certificatesOfFolder("/etc/ssl/certs"))
    }

    /// Every readable certificate of a PEM file. One damaged block must not take all others away, but a file without
    /// any gives none.
    private static func certificatesOfFile(_ path: String) -> [EncodedCertificate] {
        guard let bytes = contents(of: path), let blocks = try? PEMBlock.all(in: bytes) else { return [] }
        return blocks.filter { $0.label == "CERTIFICATE" }.map { EncodedCertificate(der: $0.der) }
            .filter { $0.content != nil }
    }

    private static func certificatesOfFolder(_ path: String) -> [EncodedCertificate] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var result: [EncodedCertificate] = []
        var count = 0
        while let entry = readdir(directory), count < maximumFiles {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
                    String(cString: $0)
                }
            }
            if name.hasPrefix(".") { continue }
            count += 1
            result += certificatesOfFile("\(path)/\(name)")
        }
        return result
    }

    private static func contents(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return ferror(file) == 0 ? result : nil }
            result += buffer.prefix(count)
            if result.count > PEMFile.maximumBytes { return nil }
        }
    }
}

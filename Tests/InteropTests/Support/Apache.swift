import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Apache with one of the configurations in `Peers`.
enum Apache {
    /// With `server.pem`, `server.key` and `clients.pem` of a folder.
    ///
    /// - Parameters:
    ///   - version: of TLS, the only one.
    ///   - always: whether a client certificate is demanded everywhere; otherwise late, for `/late` only.
    ///   - keeps: how many bytes of a request are kept while the certificate is asked for late; Apache's own limit
    ///     unless given.
    static func command(
        _ files: IdentityFiles, port: Int, version: String, always: Bool, keeps: Int = 131_072
    ) throws -> PeerProcess.Command {
        try writePages(in: files)
        return try command(
            "apache.conf",
            [
                "VERSION": "-all +TLSv\(version)", "ALWAYS": always ? "SSLVerifyClient require" : "",
                "KEPT": "\(keeps)",
            ], files, port: port)
    }

    /// Writes the pages that the configurations name.
    static func writePages(in files: IdentityFiles) throws {
        let pages = files.folder.appending(path: "pages")
        for folder in [pages, pages.appending(path: "late")] {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("<html>a page</html>".utf8).write(to: folder.appending(path: "index.html"))
        }
    }

    static func command(
        _ configuration: String, _ values: [String: String] = [:], _ files: IdentityFiles, port: Int,
        environment: [String: String] = [:]
    ) throws -> PeerProcess.Command {
        // As root, Apache's workers change to a user of their own, who has to get into the folder.
        var user = ""
        if geteuid() == 0 {
            user = "User www-data\nGroup www-data"
            try FileManager.default.setAttributes(
                [.ownerAccountName: "www-data"], ofItemAtPath: files.folder.path(percentEncoded: false))
        }
        try files.fill(
            configuration, values.merging(["PORT": "\(port)", "USER": user]) { $1 }, as: "apache.conf")
        return PeerProcess.Command(
            program: "apache2", arguments: ["-X", "-f", files.path("apache.conf")], environment: environment,
            folder: files.folder, port: port)
    }
}

import Foundation

/// A program in Java whose sources are in `Peers`, compiled against libraries that Debian has packaged.
struct JavaProgram: Sendable {
    private let main: String
    private let folder: URL
    private let libraries: [String]

    /// Compiles the program into a folder of its own.
    ///
    /// - Parameters:
    ///   - sources: files in `Peers`; the first one's class is the one that is run.
    ///   - libraries: names of archives in `/usr/share/java`.
    init(_ sources: [String], libraries: [String]) async throws {
        let files = sources.map { PeerFile.url($0) }
        main = files.first?.deletingPathExtension().lastPathComponent ?? ""
        folder = FileManager.default.temporaryDirectory.appending(path: "signet-java-\(UUID().uuidString)")
        self.libraries = libraries.map { "/usr/share/java/\($0).jar" }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let result = try await PeerProcess.output(
            of: .init(
                program: "ecj",
                arguments: [
                    "-8", "-encoding", "UTF-8", "-proc:none", "-nowarn", "-cp",
                    self.libraries.joined(separator: ":"), "-d", folder.path(percentEncoded: false),
                ] + files.map { $0.path(percentEncoded: false) }))
        guard result.status == 0 else {
            remove()
            throw PeerProcess.Failure(description: "\(main) cannot be compiled: \(result.output)\(result.error)")
        }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Makes a PKCS#12 file of trusted certificates, as Java writes them, beside `name.p12` of an identity.
    ///
    /// - Returns: the properties with which Java shows the identity and trusts the authority.
    static func tls(_ files: IdentityFiles, as name: String, authority: String) async throws -> [String: String] {
        let store = files.path("\(name)-trust.p12")
        let result = try await PeerProcess.output(
            of: .init(
                program: "keytool",
                arguments: [
                    "-importcert", "-noprompt", "-alias", "authority", "-file", files.path(authority), "-keystore",
                    store,
                    "-storetype", "PKCS12", "-storepass", "interop",
                ]))
        guard result.status == 0 else {
            throw PeerProcess.Failure(description: "keytool: \(result.output)\(result.error)")
        }
        return [
            "javax.net.ssl.keyStore": files.path("\(name).p12"), "javax.net.ssl.keyStorePassword": "interop",
            "javax.net.ssl.keyStoreType": "PKCS12", "javax.net.ssl.trustStore": store,
            "javax.net.ssl.trustStorePassword": "interop", "javax.net.ssl.trustStoreType": "PKCS12",
        ]
    }

    /// - Parameter properties: of the Java machine.
    func command(
        _ arguments: [String], properties: [String: String] = [:], port: Int? = nil
    ) -> PeerProcess.Command {
        let classPath = (libraries + [folder.path(percentEncoded: false)]).joined(separator: ":")
        return .init(
            program: "java",
            arguments: ["-Dfile.encoding=UTF-8"] + properties.map { "-D\($0.key)=\($0.value)" }
                + ["-cp", classPath, main] + arguments, folder: folder, port: port)
    }
}

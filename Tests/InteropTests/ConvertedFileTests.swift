import Foundation
import SignetTLS
import SignetTesting
import Testing

/// Files that `signet identity convert` wrote, read by Java.
@Suite struct ConvertedFileTests {
    @Test(arguments: ["openssl", "legacy"]) func keytoolReadsConvertedFiles(algorithms: String) async throws {
        let files = try IdentityFiles()
        let middle = try CertificateAuthority(commonName: "root").issueIntermediate(commonName: "middle")
        let identity = try middle.issueClient(commonName: "device")
        try Data(try identity.pem(password: nil)).write(to: files.folder.appending(path: "device.pem"))
        try files.write("secret", as: "password")
        let converted = try await PeerProcess.output(
            of: .init(
                program: try SignetProgram.path(),
                arguments: [
                    "identity", "convert", files.path("device.pem"), files.path("device.p12"), "--to", "pfx", "--name",
                    "Gerät 7", "--algorithms", algorithms, "--new-password-file", files.path("password"),
                ]))
        #expect(converted.status == 0, "\(converted)")
        let listed = try await PeerProcess.output(
            of: .init(
                program: "keytool",
                arguments: [
                    "-list", "-v", "-storetype", "PKCS12", "-keystore", files.path("device.p12"), "-storepass:file",
                    files.path("password"),
                ], environment: ["LC_ALL": "C.UTF-8"]))
        #expect(listed.status == 0, "\(listed)")
        #expect(listed.output.contains("Alias name: gerät 7"), "\(listed)")
        #expect(listed.output.contains("Entry type: PrivateKeyEntry"))
        #expect(listed.output.contains("Certificate chain length: 3"), "\(listed)")
    }
}

import Foundation
import Signet
import SignetSignature

/// `sign DOCUMENT COUNT KEY CERTIFICATE` and `verify DOCUMENT COUNT CERTIFICATE`: reads the file and signs or verifies its Body so
/// often. Prints nothing; `Benchmarks/signature` measures the process.
@main struct SignatureBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 5, let count = Int(arguments[3]) else { throw Usage() }
        let body = XMLName("http://schemas.xmlsoap.org/soap/envelope/", "Body")
        switch arguments[1] {
        case "sign":
            var signer = try XMLSigner(
                try Identity(pem: read(arguments[5]), privateKey: read(arguments[4])))
            signer.place = .after
            signer.algorithm = .rsaPKCS1(.sha256)
            for _ in 0..<count {
                let signed = try await signer.sign(read(arguments[2]), covering: .element(id: "body"))
                guard signed.count > 1_000 else { throw Usage() }
            }
        default:
            let certificates = try CertificateBundle(pem: read(arguments[4])).certificates
            let verifier = XMLSignatureVerifier(signers: certificates)
            let now = Int64(Date().timeIntervalSince1970)
            for _ in 0..<count { _ = try verifier.verify(read(arguments[2]), covering: .element(body), at: now) }
        }
    }

    private static func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    struct Usage: Error {}
}

import Foundation
import Signet

/// A program on a server that reaches other hosts only through a proxy with NTLM. It presents to the service a
/// certificate that another program renews while this one runs.
@main enum BehindProxy {
    static let usage = """
        Set SERVICE (https://…), PROXY (http://host:port), PROXY_USER (DOMAIN\\user), PROXY_PASSWORD and IDENTITY, a \
        folder with tls.crt and tls.key that are renewed there, as cert-manager and certbot leave them.
        """

    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let address = environment["SERVICE"], let proxy = environment["PROXY"],
            let user = environment["PROXY_USER"], let password = environment["PROXY_PASSWORD"],
            let folder = environment["IDENTITY"]
        else {
            FileHandle.standardError.write(Data((usage + "\n").utf8))
            exit(2)
        }
        var service = try ServiceConfiguration(address)
        service.identity = renewed(in: URL(filePath: folder))
        service.proxy.rules = ProxyRules(try Proxy(proxy))
        service.proxy.authentication.credentials = .fixed(.account(user: user, password: password))
        service.proxy.authentication.ntlmHosts = [try Proxy(proxy).origin.host]
        service.proxy.authentication.allowsPlaintext = proxy.hasPrefix("http:")
        service.deadlines.total = .seconds(30)
        service.middlewares.append(try RetryMiddleware())
        service.onExchange = { print($0) }

        let webEase = WebEase.Client(service)
        print(try await webEase.logEntryQuery(.init(patientId: "4711")))
        try await webEase.caller.transport.shutdown()
    }

    /// The client asks for the identity before each call: the call after a renewal opens a connection with the new one.
    static func renewed(in folder: URL) -> IdentitySource {
        IdentitySource(description: "the files in \(folder.path)") {
            let certificates = try Data(contentsOf: folder.appending(path: "tls.crt"))
            let key = try Data(contentsOf: folder.appending(path: "tls.key"))
            return try Identity(pem: [UInt8](certificates), privateKey: [UInt8](key))
        }
    }
}

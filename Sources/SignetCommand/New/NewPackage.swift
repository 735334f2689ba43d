#if CommandLine
import ArgumentParser
import Foundation
import SignetGeneratorCore
import SignetHTTP

/// A package that hosts a service.
struct NewPackage {
    /// The name of the program and of the package: lower-case letters, digits and hyphens.
    let name: String
    /// The module of the server.
    let module: String
    let skeleton: Generator.Skeleton
    /// The path at which the service is hosted.
    let path: String
    private let wsdl: URL
    /// Files beside the WSDL or below.
    private let imported: [String]
    private let service: String?
    private let port: String?
    private let signet: SignetPlace

    init(
        _ skeleton: Generator.Skeleton, name: String?, wsdl: URL, imported: [String], service: String?, port: String?,
        signet: SignetPlace
    ) throws {
        self.name = name ?? Self.name(of: skeleton.namespace)
        try Self.checkName(self.name)
        // Signet has modules such as SignetServer itself.
        module = skeleton.namespace + (skeleton.namespace.hasPrefix("Signet") ? "ServiceServer" : "Server")
        for document in [wsdl.lastPathComponent] + imported where document.contains(where: { "\"\\\n".contains($0) }) {
            throw CommandError(
                "The file “\(document)” cannot be copied; give it a name without quotes and backslashes.")
        }
        guard wsdl.pathExtension.lowercased() == "wsdl" else {
            throw CommandError(
                "The name of “\(wsdl.lastPathComponent)” must end in .wsdl, by which the plugin finds it; rename it.")
        }
        self.skeleton = skeleton
        path = Self.path(of: skeleton.address) ?? "/\(self.name)"
        (self.wsdl, self.imported, self.service, self.port, self.signet) = (wsdl, imported, service, port, signet)
    }

    static func checkName(_ name: String) throws(ValidationError) {
        let isName =
            (1...30).contains(name.utf8.count) && name.first?.isLowercase == true
            && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
        guard isName else {
            throw ValidationError(
                "“\(name)” cannot be the name of a program: take 1 to 30 lower-case letters, digits and hyphens, a letter first. Name it with --name."
            )
        }
    }

    /// `WebEase` becomes `web-ease-server`: programs and users of the system have names such as `mail`. Empty where letters would be lost.
    private static func name(of namespace: String) -> String {
        guard namespace.allSatisfy({ $0.isASCII }) else { return "" }
        var result = ""
        var previous: Character = "-"
        for character in namespace where character.isASCII && (character.isLetter || character.isNumber) {
            if character.isUppercase, previous.isLowercase { result += "-" }
            result += character.lowercased()
            previous = character
        }
        return "\(result)-server"
    }

    /// The path of an address; nil where it has none that a server can have.
    private static func path(of address: String?) -> String? {
        guard let address, let endpoint = try? Endpoint(address) else { return nil }
        let path = String(endpoint.path.prefix { $0 != "?" })
        let isPlain = path.utf8.allSatisfy { $0 < 0x7F && $0 > 0x20 && $0 != 0x22 && $0 != 0x5C }
        return path.hasPrefix("/") && path.count > 1 && isPlain ? path : nil
    }

    /// The content of all files by their paths.
    func files() throws -> [String: [UInt8]] {
        let sources = "Sources/\(module)"
        var files: [String: [UInt8]] = [:]
        let folder = wsdl.deletingLastPathComponent()
        for document in [wsdl.lastPathComponent] + imported {
            let bytes = try Data(contentsOf: folder.appending(path: document, directoryHint: .notDirectory))
            files["\(sources)/\(document)"] = [UInt8](bytes)
        }
        let texts = [
            ".gitignore": ".build/\n*.pem\n*.p12\n*.key\n",
            ".dockerignore": ".build\n.git\n**/*.pem\n**/*.p12\n**/*.key\n",
            "Package.swift": packageManifest, "README.md": readme,
            "\(sources)/Program.swift": program, "\(sources)/Handlers.swift": handlers,
            "Tests/\(module)Tests/HandlersTests.swift": tests, "Containerfile": containerfile,
            "deploy/\(name).service": unit, "deploy/behind-proxy.conf": dropIn, "deploy/server.yaml": configuration,
            "deploy/nginx.conf": nginx,
            "deploy/haproxy.cfg": haproxy,
        ]
        for (name, text) in texts {
            guard files.updateValue(Array(text.utf8), forKey: name) == nil else {
                throw CommandError("The file “\(name)” of the WSDL has a name that the package needs; rename it.")
            }
        }
        if let generator { files["\(sources)/signet-generator-config.yaml"] = Array(generator.utf8) }
        return files
    }

    // MARK: The package

    private var packageManifest: String {
        let dependency =
            switch signet {
            case .path(let path): ".package(name: \"signet\", path: \"\(path)\", traits: [\"Server\"])"
            case .url(let url): ".package(url: \"\(url)\", branch: \"main\", traits: [\"Server\"])"
            }
        return """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "\(name)",
                platforms: [.macOS(.v15)],
                products: [.executable(name: "\(name)", targets: ["\(module)"])],
                dependencies: [
                    \(dependency)
                ],
                targets: [
                    .executableTarget(
                        name: "\(module)",
                        dependencies: [
                            .product(name: "Signet", package: "\(signet.name)"),
                            .product(name: "SignetServer", package: "\(signet.name)"),
                            .product(name: "SignetServerConfiguration", package: "\(signet.name)"),
                        ],
                        plugins: [.plugin(name: "SignetBuildTool", package: "\(signet.name)")]),
                    .testTarget(
                        name: "\(module)Tests",
                        dependencies: ["\(module)", .product(name: "SignetDynamic", package: "\(signet.name)")]),
                ])

            """
    }

    /// The configuration of the generator where the WSDL alone does not say what to generate.
    private var generator: String? {
        let lines = [("service", service), ("port", port)].compactMap { key, value in
            value.map { "\(key): \"\($0)\"\n" }
        }
        return lines.isEmpty ? nil : lines.joined()
    }

    private var program: String {
        """
        import Signet
        import SignetServer
        import SignetServerConfiguration

        @main struct \(module)Program {
            static func main() async {
                await ServerProgram(name: "\(name)") { configuration in
                    let service = HostedService(
                        \(skeleton.namespace).dispatcher(\(skeleton.namespace).\(skeleton.handlersType)()), path: "\(path)", wsdl: configuration.wsdl)
                    return [service]
                }.main()
            }
        }

        """
    }

    private var handlers: String { "import Signet\n\n\(skeleton.handlers)" }

    private var tests: String {
        let names = skeleton.operations.map { "\"\($0)\"" }.joined(separator: ", ")
        var chosen = ""
        if let service { chosen += ", service: \"\(service)\"" }
        if let port { chosen += ", port: \"\(port)\"" }
        return """
            import Foundation
            import Signet
            import SignetDynamic
            import Testing

            @testable import \(module)

            /// Calls the handlers without a network, with an example that is made from the schema.
            @Suite struct HandlersTests {
                private static let wsdl = URL(filePath: #filePath)
                    .appending(path: "../../../Sources/\(module)/\(wsdl.lastPathComponent)").standardized.path

                @Test(arguments: [\(names)])
                func eachOperationIsAnswered(operation: String) async throws {
                    let service = try DynamicService(contentsOfFile: Self.wsdl\(chosen))
                    let dispatcher = \(skeleton.namespace).dispatcher(\(skeleton.namespace).\(skeleton.handlersType)())
                    let client = DynamicClient(
                        service,
                        ServiceCaller(
                            endpoint: try Endpoint("http://\(name).test"), transport: InProcessTransport(dispatcher)))
                    do {
                        _ = try await client.call(operation, service.sample(of: operation))
                    } catch let fault as SOAPFault {
                        // Expect an answer instead, as soon as the handler gives one.
                        #expect(fault.reason == "The operation \\(operation) is not built yet.")
                    }
                }
            }

            """
    }

    private var readme: String {
        """
        # \(name)

        A server of the SOAP service \(skeleton.service), made by `signet new`.

        | file | what it is |
        |---|---|
        | `Sources/\(module)/Handlers.swift` | what the server does for each operation: **begin here** |
        | `Sources/\(module)/Program.swift` | the program: the service, its path, and what it demands of its clients |
        | `Sources/\(module)/\(wsdl.lastPathComponent)` | the WSDL, from which each build generates Swift |
        | `Tests/\(module)Tests` | a test that calls each operation without a network |
        | `deploy/server.yaml` | the configuration; `\(name) --list-keys` prints all keys |
        | `deploy/\(name).service` | a systemd unit |
        | `deploy/behind-proxy.conf` | a change of that unit, for a proxy on the same machine that ends TLS |
        | `deploy/nginx.conf`, `deploy/haproxy.cfg` | a proxy before several of these servers |
        | `Containerfile` | an image |

        ```sh
        swift test
        SIGNET_SERVER_PLAINTEXT=true swift run \(name)      # http://127.0.0.1:8443\(path), without TLS and without proof
        ```

        The configuration in `deploy` names files of a certificate and of authorities. With those of your own, here throw-away ones,
        `--check-config` says whether all is well:

        ```sh
        openssl req -x509 -newkey rsa:2048 -nodes -days 7 -subj /CN=localhost -addext subjectAltName=DNS:localhost \\
            -keyout key.pem -out certificate.pem
        cat certificate.pem key.pem > identity.pem && chmod 600 identity.pem
        SIGNET_TLS_IDENTITY=identity.pem SIGNET_CLIENTS_AUTHORITIES=certificate.pem \\
            swift run \(name) --config deploy/server.yaml --check-config
        ```

        Every version of SOAP is served at the one path. Signet's article “Putting a service into operation” says how to go on.

        """
    }
}
#endif

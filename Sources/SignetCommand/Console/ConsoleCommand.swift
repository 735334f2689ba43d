#if CommandLine
import ArgumentParser
import Foundation
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle
import Signet
import SignetDynamic
import SignetNIOTLS
import SignetWSDL
import Synchronization
import UnixSignals

/// A request to the console, with the port that it came to.
private struct ConsoleContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let port: Int

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        port = source.channel.localAddress?.port ?? 0
    }
}

struct ConsoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Serve a page on this machine to explore a service and to call it.",
        discussion: """
            Prints the address of the page, which only this machine can open; the token in it keeps out other users and other \
            pages. The page shows the operations and types of the WSDL, makes a form for each request, sends it with the \
            identity and the credentials that the options below give or that you add there, and shows what happened on the \
            wire. Nothing is loaded from elsewhere, and nothing is kept when the program ends.

            Passwords come from files, the environment, the terminal or the page, never from arguments.

            Examples:
              signet console WebEase.wsdl
              signet console WebEase.wsdl --ca authority.pem --identity device.p12 \\
                --identity-password-file device.password --user app --password-file app.password
              signet console WebEase.wsdl --import WebEase-soapui-project.xml --listen 127.0.0.1:8600
            """)

    @Argument(help: "The WSDL.", completion: .file(extensions: ["wsdl"]))
    var wsdl: String

    @Option(
        help: ArgumentHelp(
            "The address on loopback; the port is free unless given.", valueName: "address:port"))
    var listen: ListeningAddress?

    @Option(
        name: .customLong("import"),
        help: ArgumentHelp(
            "Requests of SoapUI, Postman or Bruno; may be repeated.", valueName: "file"), completion: .file())
    var collections: [String] = []

    @OptionGroup var secrets: SecretNameOptions
    @OptionGroup var access: AccessOptions

    /// Those of a browser are a few.
    private static let maximumConnections = 200

    func validate() throws {
        for (given, sources, option) in [
            (
                access.messageUser.wssUser, [access.messageUser.wssPasswordFile, access.messageUser.wssPasswordEnv],
                "--wss-user"
            ),
            (access.proxy.proxyUser, [access.proxy.proxyPasswordFile, access.proxy.proxyPasswordEnv], "--proxy-user"),
        ] where given != nil && sources.allSatisfy({ $0 == nil }) {
            throw ValidationError(
                "\(option): each call needs its password. Give it with \(option.replacing("user", with: "password-file")) or \(option.replacing("user", with: "password-env"))."
            )
        }
        if let listen, !["127.0.0.1", "localhost", "::1"].contains(listen.host) {
            throw ValidationError("--listen: the console serves this machine only: 127.0.0.1, localhost or ::1.")
        }
        if access.request.headerBlocks != nil {
            throw ValidationError("--header-blocks: the page has a form for header blocks.")
        }
        if access.request.soap != nil {
            throw ValidationError("--soap: choose the port of that version on the page, or with --port-name.")
        }
    }

    func run() async throws {
        secrets.add()
        let definitions = try WSDLLoader.load(file: wsdl, root: access.request.root)
        let service = try ConsoleService(
            definitions, file: wsdl, service: access.request.service, port: access.request.portName)
        let address =
            access.request.endpoint
            ?? service.ports.lazy.filter { $0.dynamic != nil }.compactMap(\.port.address).first
        // An address that cannot be used is changed on the page.
        let endpoint = address.flatMap { try? Endpoint($0) }
        if let endpoint { try access.trust.check(for: endpoint) }
        try await access.credentials.withStore(access.store) { store in
            let api = ConsoleAPI(
                service, try ConsoleAccess(access, endpoint: endpoint, store: store), access,
                arguments: Array(CommandLine.arguments.dropFirst(2)))
            for file in collections {
                let bytes = try BoundedFile.read(file, name: "The collection “\(file)”", maximumBytes: 32 << 20)
                let url = URL(filePath: file)
                _ = try await api.collections.add(
                    bytes, name: url.lastPathComponent, folder: url.deletingLastPathComponent())
            }
            // From now on a person watches the page, and not the terminal.
            PasswordPrompt.isAllowed.withLock { $0 = false }
            try await serve(api)
        }
    }

    private func serve(_ api: ConsoleAPI) async throws {
        let host = listen?.host ?? "127.0.0.1"
        let token = ConsoleGuard.newToken()
        let application = Application(
            responder: CallbackResponder { (request: Request, context: ConsoleContext) in
                await ConsoleServer(api: api, guardian: ConsoleGuard(port: context.port, token: token))
                    .respond(to: request)
            },
            // A connection on which nothing happens does not keep others out.
            server: .http1(configuration: .init(idleTimeout: .seconds(60))),
            configuration: .init(
                address: .hostname(host, port: listen?.port ?? 0),
                availableConnectionsDelegate: MaximumAvailableConnections(Self.maximumConnections)),
            onServerRunning: { channel in
                let port = channel.localAddress?.port ?? 0
                let shown = host.contains(":") ? "[\(host)]" : host
                Output.line(
                    "Open http://\(shown):\(port)/\(token)/ in a browser of this machine. Ctrl-C ends the console.")
            },
            logger: Logger(label: "signet.console") { _ in SwiftLogNoOpLogHandler() })
        var group = ServiceGroupConfiguration(
            services: [application], gracefulShutdownSignals: [.sigint, .sigterm],
            logger: Logger(label: "signet.console") { _ in SwiftLogNoOpLogHandler() })
        // A call that still runs is cancelled.
        group.maximumGracefulShutdownDuration = .milliseconds(500)
        do { try await ServiceGroup(configuration: group).run() } catch is CancellationError {} catch let error
            as IOError
            where error.errnoCode == EADDRINUSE
        {
            throw CommandError(
                "Another program listens at port \(listen?.port ?? 0). Leave out --listen for a free port, or name another."
            )
        } catch {
            throw CommandError(
                "The console cannot listen at \(host), port \(listen?.port ?? 0): \(error.socketReason).")
        }
    }
}
#endif

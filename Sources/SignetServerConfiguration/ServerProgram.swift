#if Server
public import Foundation
import Logging
import ServiceLifecycle
public import SignetServer
import SignetTLS
import UnixSignals

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A program that hosts services: it reads its configuration, serves until a signal ends it, and reads its certificate again.
///
/// ```swift
/// @main struct Program {
///     static func main() async {
///         await ServerProgram(name: "diary") { configuration in
///             [HostedService(Diary.dispatcher(Handlers()), path: "/soap")]
///         }.main()
///     }
/// }
/// ```
///
/// | option | what the program does |
/// |---|---|
/// | `--config FILE` | reads this file, besides the environment |
/// | `--check-config` | checks the configuration and the certificate, and ends |
/// | `--list-keys` | prints all keys with their meaning, and ends |
/// | `--help` | prints its options, and ends |
///
/// SIGTERM and SIGINT end the server when requests in progress have ended; SIGHUP lets it read the sections `tls` and `clients` again, with
/// the files that they name. To a service manager that sets `NOTIFY_SOCKET` (systemd's `Type=notify`) the program says when it listens and when it ends. The exit status is 0 for fine, 1
/// for a configuration or a server that failed, and 2 for wrong usage.
public struct ServerProgram: Sendable {
    /// Makes the services.
    public typealias Services = @Sendable (ServerConfiguration) async throws -> [HostedService]

    private let name: String
    private let services: Services

    /// - Parameters:
    ///   - name: names the program in its log and in its help.
    ///   - services: makes the services, each at a path of its own. An error that it throws ends the program.
    public init(name: String, services: @escaping Services) {
        self.name = name
        self.services = services
    }

    /// Does what the arguments say, and ends the process with the exit status.
    public func main() async -> Never {
        exit(await run(Array(CommandLine.arguments.dropFirst())))
    }

    /// What the arguments ask for.
    private enum Request {
        case serve(file: String?)
        case check(file: String?)
        case keys
        case help
        case wrong(String)

        init(_ arguments: [String]) {
            var (file, isCheck): (String?, Bool) = (nil, false)
            var rest = arguments[...]
            while let argument = rest.popFirst() {
                switch argument {
                case "--check-config": isCheck = true
                case "--list-keys":
                    self = .keys
                    return
                case "--help", "-h":
                    self = .help
                    return
                case _ where argument == "--config" || argument.hasPrefix("--config="):
                    let value = argument == "--config" ? rest.popFirst() : String(argument.dropFirst(9))
                    guard let value, !value.isEmpty, file == nil else {
                        self = .wrong("--config needs one file.")
                        return
                    }
                    file = value
                default:
                    self = .wrong("There is no option “\(argument.prefix(100))”.")
                    return
                }
            }
            self = isCheck ? .check(file: file) : .serve(file: file)
        }
    }

    /// Does what the arguments say.
    ///
    /// - Parameters:
    ///   - arguments: without the name of the program.
    ///   - environment: the environment variables.
    /// - Returns: the exit status.
    public func run(
        _ arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment
    ) async -> Int32 {
        do {
            switch Request(arguments) {
            case .help: say(help, to: STDOUT_FILENO)
            case .keys: say(Self.listing, to: STDOUT_FILENO)
            case .wrong(let problem):
                say("\(name): \(problem)\n\n\(help)", to: STDERR_FILENO)
                return 2
            case .check(let file):
                let configuration = try await ServerConfiguration.read(file: file, environment: environment)
                let services = try await services(configuration)
                for problem in try await configuration.check(services) {
                    say("\(name): our certificate: \(problem)\n", to: STDERR_FILENO)
                }
                say("The configuration is good: \(summary(configuration, services))\n", to: STDOUT_FILENO)
            case .serve(let file): try await serve(file, environment)
            }
            return 0
        } catch {
            say("\(name): \(error)\n", to: STDERR_FILENO)
            return 1
        }
    }

    private func prepare(
        _ file: String?, _ environment: [String: String]
    ) async throws -> (ServerConfiguration, [HostedService], Logger) {
        var configuration = try await ServerConfiguration.read(file: file, environment: environment)
        var logger = Logger(label: name) { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = configuration.logLevel
        configuration.settings.logger = logger
        return (configuration, try await services(configuration), logger)
    }

    // MARK: Serving

    private func serve(_ file: String?, _ environment: [String: String]) async throws {
        // Before anything else: without it the signal would end the program.
        let signals = await UnixSignalsSequence(trapping: .sighup)
        let (configuration, services, logger) = try await prepare(file, environment)
        let server = try configuration.server(services)
        @Sendable func tell(_ state: String) {
            guard environment["NOTIFY_SOCKET"] != nil, !ServiceManager.tell(state, environment: environment) else {
                return
            }
            logger.error("the service manager cannot be told", metadata: ["state": "\(state)"])
        }
        let listening = Listening(server: server) { [summary] port in
            tell("READY=1")
            var shown = configuration
            if shown.settings.unixSocketPath == nil { shown.settings.port = port }
            logger.info("listening", metadata: ["services": "\(summary(shown, services))"])
        } whenEnding: {
            logger.info("ending, as soon as requests in progress have ended")
            tell("STOPPING=1")
        }
        let reloading = Reloading(
            server: server, signals: signals, hasTLS: configuration.tls != nil,
            hasProxy: configuration.settings.tlsProxy != nil, logger: logger
        ) {
            try await ServerConfiguration.read(file: file, environment: environment).tls
        }
        let all: [any Service] = [reloading, listening]
        let group = ServiceGroup(
            configuration: .init(
                services: all.map { .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup) },
                gracefulShutdownSignals: [.sigterm, .sigint], logger: logger))
        try await group.run()
        logger.info("ended")
    }

    private struct Listening: Service {
        let server: SOAPServer
        let whenListening: @Sendable (Int) -> Void
        let whenEnding: @Sendable () -> Void

        func run() async throws {
            try await withGracefulShutdownHandler {
                try await server.run(whenListening: whenListening)
            } onGracefulShutdown: {
                whenEnding()
            }
        }
    }

    /// Lets the server read its certificate, and which clients it trusts, again when a signal asks for it.
    private struct Reloading: Service {
        let server: SOAPServer
        let signals: UnixSignalsSequence
        let hasTLS: Bool
        /// Whether a proxy hands on the certificates of clients.
        let hasProxy: Bool
        let logger: Logger
        let read: @Sendable () async throws -> ServerTLSConfiguration?

        func run() async throws {
            for await _ in signals.cancelOnGracefulShutdown() {
                do {
                    guard hasTLS else {
                        logger.notice("nothing was read again: the server has no TLS of its own")
                        continue
                    }
                    guard let tls = try await read() else {
                        logger.error("nothing was read again: the configuration has no tls.identity any more")
                        continue
                    }
                    try await server.replaceTLS(with: tls)
                    if hasProxy {
                        logger.warning(
                            "the section tls was read again, and not the section clients: those of a proxy need a restart"
                        )
                    } else {
                        logger.info("the sections tls and clients were read again")
                    }
                } catch { logger.error("certificates stay as they were", metadata: ["reason": "\(error)"]) }
            }
        }
    }

    // MARK: Texts

    /// Where the services are, for people.
    @Sendable private func summary(_ configuration: ServerConfiguration, _ services: [HostedService]) -> String {
        let settings = configuration.settings
        let scheme = configuration.tls == nil ? "http" : "https"
        let host = settings.host.contains(":") ? "[\(settings.host)]" : settings.host
        let base = settings.unixSocketPath.map { "\(scheme) at \($0), " } ?? "\(scheme)://\(host):\(settings.port)"
        return services.map { base + $0.path }.joined(separator: ", ")
    }

    private var help: String {
        """
        Usage: \(name) [--config FILE] [--check-config]

        Hosts the service until SIGTERM or SIGINT. SIGHUP lets it read its certificate and the authorities of clients again (the
        sections tls and clients, which concern the server's own TLS); other changes need a restart.

          --config FILE    a configuration in YAML; environment variables take precedence over it
          --check-config   check the configuration and the certificate, and end; not whether the port is free
          --list-keys      print all keys of the configuration, and end
          --help           print this, and end

        Examples:
          \(name) --config /etc/\(name)/server.yaml --check-config
          SIGNET_SERVER_PORT=9443 \(name) --config /etc/\(name)/server.yaml

        Exit status: 0 fine, 1 the configuration or the server failed, 2 wrong usage.

        """
    }

    /// All keys, as a file of a configuration in which each is a comment.
    static var listing: String {
        var lines: [String] = []
        var section: Substring = ""
        for key in ServerConfiguration.keys {
            let parts = key.name.split(separator: ".", maxSplits: 1)
            if let first = parts.first, first != section {
                if !section.isEmpty { lines.append("") }
                lines.append("\(first):")
                section = first
            }
            lines.append("  # \(key.meaning) (\(key.kind.rawValue); \(key.variable))")
            lines.append("  # \(parts.last ?? ""):  # without it: \(key.usual)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func say(_ text: String, to descriptor: Int32) {
        // A reader that has gone does not matter.
        try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: false).write(contentsOf: Data(text.utf8))
    }
}
#endif

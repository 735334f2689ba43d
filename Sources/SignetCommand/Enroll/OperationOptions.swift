#if CommandLine
import ArgumentParser
import Signet
import SignetDynamic
import SignetEnrollment
import SignetWSDL

/// The call of an operation by which `signet enroll` obtains an identity, without generated code.
struct OperationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A value of the input, as for signet call; may be repeated.", valueName: "path=value"))
    var set: [String] = []

    @Option(help: ArgumentHelp("The input as JSON.", valueName: "file"), completion: .file())
    var input: String?

    func validate() throws {
        do { _ = try assignments() } catch { throw ValidationError("--set: \(error)") }
    }

    static func checkRepeatable(_ file: String?) throws {
        if file == "-" {
            throw ValidationError("Standard input cannot be read again when the identity is renewed; name a file.")
        }
    }

    /// An option about the call that was given; nil for no option.
    func given(_ request: RequestOptions, _ messageUser: MessageUserOptions) -> String? {
        let options = [
            (!set.isEmpty, "--set"), (input != nil, "--input"), (messageUser.wssUser != nil, "--wss-user"),
            (request.endpoint != nil, "--endpoint"), (request.service != nil, "--service"),
            (request.portName != nil, "--port-name"), (request.soap != nil, "--soap"),
            (request.addressing != nil, "--addressing"), (request.headerBlocks != nil, "--header-blocks"),
            (!request.fields.header.isEmpty, "--header"), (!request.fields.fieldFiles.isEmpty, "--header-file"),
            (request.time.timeout != nil, "--timeout"), (request.root != nil, "--root"),
            (request.anyMediaType, "--any-media-type"),
        ]
        return options.first(where: \.0)?.1
    }

    private func assignments() throws(CommandError) -> [InputAssignment] {
        try set.map { (argument) throws(CommandError) in try InputAssignment(argument) }
    }

    static func check(path: String?, _ option: String, isInAnswer: Bool = true) throws {
        guard let path else { return }
        let steps: [InputAssignment.Step]
        do { steps = try InputAssignment.steps(of: path) } catch { throw ValidationError("\(option): \(error)") }
        if isInAnswer, steps.contains(.append) {
            throw ValidationError("\(option): write a number between the brackets, counted from 0.")
        }
    }

    /// Reads files and passwords, and asks for those that are not given.
    func prepared(
        wsdl: String, _ operation: String, _ request: RequestOptions, _ messageUser: MessageUserOptions,
        _ authority: AuthorityOptions
    ) throws -> PreparedCall {
        let target = try CallTarget(wsdl: wsdl, request: request)
        let described = try target.service.operation(operation)
        var configuration = try target.makeConfiguration()
        configuration.fields = try request.fields.load()
        guard configuration.endpoint.origin.scheme == .https else {
            throw CommandError(
                "\(configuration.endpoint) is plain HTTP, where others can read or replace the identity. Give an address with https:// (--endpoint)."
            )
        }
        try authority.trust.check(for: configuration.endpoint)
        try authority.trust.apply(to: &configuration.connection)
        configuration.deadlines = request.time.deadlines
        configuration.readsMislabelledAnswers = request.anyMediaType
        configuration.proxy = try authority.proxy.load()
        configuration.authentication = try authority.credentials.load(for: configuration.endpoint, nil)
        if let header = try messageUser.load(for: target.service.servicePort, described.requirements) {
            configuration.headerProviders.append(header)
        }
        return PreparedCall(
            service: target.service, operation: operation,
            input: try DynamicValue.assembled(assignments(), over: try input.map(InputFile.value) ?? .object([])),
            headers: try request.headerBlocks.map(InputFile.value) ?? .object([]), configuration: configuration)
    }
}

/// A call with all that it needs but the identity.
struct PreparedCall: Sendable {
    let service: DynamicService
    let operation: String
    let input: DynamicValue
    let headers: DynamicValue
    let configuration: ServiceConfiguration

    /// Refuses a place that no answer can have, before the call: the service may give the identity only once.
    func checkAnswer(has path: String?) throws {
        guard let path else { return }
        let names = try InputAssignment.steps(of: path).compactMap { step -> String? in
            if case .name(let name) = step { name } else { nil }
        }
        guard let (name, known) = try service.undeclared(names, inAnswerOf: operation) else { return }
        let others = known.isEmpty ? "nothing" : known.joined(separator: ", ")
        throw CommandError(
            "The answer of \(operation) has no “\(name)” (\(path)): by the WSDL it has \(others) there. The service was not called."
        )
    }

    /// Refuses a place that the input cannot have, before a key is made.
    func checkInput(has path: String) throws {
        let input = try DynamicValue.assembled([InputAssignment(at: path, text: "AA==")], over: input)
        _ = try DynamicClient(service, configuration.caller(over: NoTransport())).envelope(
            of: operation, input, headers: headers)
    }

    /// Makes the call over a connection of its own.
    ///
    /// - Parameters:
    ///   - identity: what the client shows; nil for nothing.
    ///   - more: values that are set in the input.
    func callAsFunction(
        showing identity: Identity?, setting more: [InputAssignment] = []
    ) async throws -> DynamicValue {
        var configuration = configuration
        configuration.identity = identity.map { .fixed($0) }
        let input = try DynamicValue.assembled(more, over: input)
        return try await withConnections(
            to: configuration.endpoint.origin, showing: identity, trusting: configuration.trust,
            over: configuration.connections
        ) { [configuration] transport in
            let client = DynamicClient(service, configuration.caller(over: transport))
            return try await client.answer(to: operation, input, headers: headers).output
        }
    }
}

extension DynamicValue {
    /// The text at a path, also of an element with attributes; nil where nothing has text there.
    func text(at path: String) throws(CommandError) -> String? {
        var value: DynamicValue? = self
        for step in try InputAssignment.steps(of: path) {
            switch step {
            case .name(let name): value = value?[name]
            case .index(let index): value = value?[index]
            case .append: throw CommandError("“\(path)” is a place in an answer: write a number between the brackets.")
            }
        }
        if case .number(let digits) = value ?? .null { return digits }
        return value?.text ?? value?["#text"]?.text
    }

    /// The names of the parts, for an error; values may be secret.
    var names: String {
        guard case .object(let members) = self, !members.isEmpty else { return description }
        return members.map(\.name).joined(separator: ", ")
    }
}
#endif

#if CommandLine
import Foundation
import Signet
import SignetDynamic
import Synchronization

/// A server of the Model Context Protocol over standard input and output: a message of JSON-RPC 2.0 in a line.
final class MCPServer: Sendable {
    /// The revisions that it speaks, the newest first.
    static let revisions = ["2025-11-25", "2025-06-18", "2024-11-05"]
    /// The longest message that is read, in bytes.
    static let longestMessage = 1 << 20
    /// How many calls run at a time.
    private static let maximumCalls = 8

    /// Errors of JSON-RPC 2.0 §5.1.
    private enum Code: Int {
        case parseError = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParameters = -32602
    }

    private struct Failure: Error {
        var code: Code
        var message: String
    }

    private struct State {
        var isInitialized = false
        var running: [DynamicValue: Task<Void, Never>] = [:]
        /// When calls began, the oldest first.
        var begins: [ContinuousClock.Instant] = []
    }

    private let tools: [MCPTool]
    private let instructions: String
    private let callsPerMinute: Int
    private let call: @Sendable (MCPTool, DynamicValue) async -> MCPResult
    private let refuse: @Sendable (_ tool: String, _ reason: String) -> Void
    private let write: @Sendable (String) -> Void
    /// Lines are written one after the other: a line may be longer than what a pipe takes at once.
    private let output = Mutex(())
    private let state = Mutex(State())

    /// - Parameters:
    ///   - call: calls a tool's operation with an input.
    ///   - refuse: gets calls that are refused without it.
    ///   - write: writes a line of the protocol.
    init(
        _ tools: [MCPTool], instructions: String, callsPerMinute: Int,
        call: @escaping @Sendable (MCPTool, DynamicValue) async -> MCPResult,
        refuse: @escaping @Sendable (_ tool: String, _ reason: String) -> Void = { _, _ in },
        write: @escaping @Sendable (String) -> Void
    ) {
        (self.tools, self.instructions, self.callsPerMinute) = (tools, instructions, callsPerMinute)
        (self.call, self.refuse, self.write) = (call, refuse, write)
    }

    /// Takes a message. Calls go on in the background.
    func receive(_ line: [UInt8]) {
        guard line.count <= Self.longestMessage else {
            return send(error: Failure(code: .invalidRequest, message: "A message has more than 1 MB."), to: .null)
        }
        let message: DynamicValue
        do { message = try DynamicValue(json: line) } catch {
            return send(error: Failure(code: .parseError, message: error.message), to: .null)
        }
        let id = message["id"]
        let isUsable = if case .string? = id { true } else if case .number? = id { true } else { false }
        guard message["jsonrpc"]?.text == "2.0", let method = message["method"]?.text else {
            // An answer to a question that was not asked.
            if message["method"] == nil, message["result"] ?? message["error"] != nil { return }
            let failure = Failure(code: .invalidRequest, message: "A message of JSON-RPC 2.0 is expected.")
            return send(error: failure, to: isUsable ? id ?? .null : .null)
        }
        guard let id else { return notice(method, message["params"]) }
        guard isUsable else {
            return send(error: Failure(code: .invalidRequest, message: "The id is a text or a number."), to: .null)
        }
        do throws(Failure) {
            switch method {
            case "initialize": send(initialize(message["params"]), to: id)
            case "ping": send(.object([]), to: id)
            case "tools/list":
                try requireInitialized()
                send(.object([.init("tools", .array(tools.map(\.listing)))]), to: id)
            case "tools/call":
                try requireInitialized()
                try begin(id, message["params"])
            default: throw Failure(code: .methodNotFound, message: "There is no method “\(method)”.")
            }
        } catch { send(error: error, to: id) }
    }

    /// Waits for the calls that are running, or ends them.
    func finish(cancelling: Bool) async {
        while let task = state.withLock({ $0.running.values.first }) {
            if cancelling { task.cancel() }
            await task.value
        }
    }

    // MARK: Methods

    private func initialize(_ parameters: DynamicValue?) -> DynamicValue {
        state.withLock { $0.isInitialized = true }
        let wanted = parameters?["protocolVersion"]?.text
        let revision = Self.revisions.first { $0 == wanted } ?? Self.revisions[0]
        return [
            "protocolVersion": .string(revision), "capabilities": ["tools": ["listChanged": false]],
            "serverInfo": ["name": "signet", "version": .string(SignetCommand.version)],
            "instructions": .string(instructions),
        ]
    }

    private func requireInitialized() throws(Failure) {
        guard state.withLock({ $0.isInitialized }) else {
            throw Failure(code: .invalidRequest, message: "“initialize” comes first.")
        }
    }

    private func notice(_ method: String, _ parameters: DynamicValue?) {
        guard method == "notifications/cancelled", let id = parameters?["requestId"] else { return }
        state.withLock { $0.running[id] }?.cancel()
    }

    private func begin(_ id: DynamicValue, _ parameters: DynamicValue?) throws(Failure) {
        guard let name = parameters?["name"]?.text, let tool = tools.first(where: { $0.name == name }) else {
            refuse(parameters?["name"]?.text ?? "", "no such tool")
            throw Failure(
                code: .invalidParameters,
                message: "There is no tool of that name. Those that the operator allows: "
                    + "\(tools.map(\.name).joined(separator: ", ")).")
        }
        let input: DynamicValue
        do throws(CommandError) { input = try tool.input(parameters?["arguments"] ?? .object([])) } catch {
            refuse(name, "\(error)")
            return send(MCPResult.failure("\(error)").value, to: id)
        }
        let refusal = state.withLock { state -> String? in
            let now = ContinuousClock.now
            state.begins.removeAll { now - $0 > .seconds(60) }
            if state.begins.count >= callsPerMinute {
                return "The operator allows no more than \(callsPerMinute) calls in a minute. Wait, and try again."
            }
            if state.running.count >= Self.maximumCalls {
                return "\(Self.maximumCalls) calls are running. Wait for one of them."
            }
            guard state.running[id] == nil else { return "A request with this id is running." }
            state.begins.append(now)
            state.running[id] = Task {
                let result = await self.call(tool, input)
                // A cancelled request gets no answer.
                if !Task.isCancelled { self.send(result.value, to: id) }
                // This waits for the lock, under which the task is registered.
                self.state.withLock { _ = $0.running.removeValue(forKey: id) }
            }
            return nil
        }
        guard let refusal else { return }
        refuse(name, refusal)
        send(MCPResult.failure(refusal).value, to: id)
    }

    // MARK: Answers

    private func send(_ result: DynamicValue, to id: DynamicValue) {
        send([.init("jsonrpc", "2.0"), .init("id", id), .init("result", result)])
    }

    private func send(error: Failure, to id: DynamicValue) {
        let body: DynamicValue = ["code": .number(String(error.code.rawValue)), "message": .string(error.message)]
        send([.init("jsonrpc", "2.0"), .init("id", id), .init("error", body)])
    }

    private func send(_ members: [DynamicValue.Member]) {
        let line = DynamicValue.object(members).json()
        output.withLock { _ in write(line) }
    }
}

/// What a call of a tool has brought.
struct MCPResult: Sendable {
    /// For the agent to read.
    var text: String
    /// The same for programs; nil when there is nothing but text.
    var structured: DynamicValue?
    var isError = false

    static func failure(_ text: String) -> Self { .init(text: text, structured: nil, isError: true) }

    var value: DynamicValue {
        var members: [DynamicValue.Member] = [
            .init("content", [["type": "text", "text": .string(text)]]), .init("isError", .bool(isError)),
        ]
        if let structured { members.append(.init("structuredContent", structured)) }
        return .object(members)
    }
}

extension MCPTool {
    /// The tool in a list.
    var listing: DynamicValue {
        ["name": .string(name), "description": .string(description), "inputSchema": schema]
    }
}
#endif

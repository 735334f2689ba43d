#if CommandLine
import Foundation
import HTTPTypes
import Signet
import SignetDiagnosis
import SignetDynamic
import SignetTLS
import Synchronization

/// One call of an operation for the console, and everything that is known of it afterwards.
struct ConsoleCall {
    private static let redacted: DynamicValue = "[redacted]"
    /// Longer messages are shown in part.
    private static let shownBytes = 4 << 20

    let number: Int
    let port: String
    let service: DynamicService
    let operation: DynamicOperation
    let input: DynamicValue
    let headers: DynamicValue
    let chosen: ConsoleAccess.Chosen

    /// Makes the call. An error becomes a part of the entry.
    ///
    /// - Returns: the entry for the history, and the same without secrets.
    func entry() async -> (entry: DynamicValue, exported: DynamicValue) {
        let time = Date.now.ISO8601Format()
        let wire = Mutex<[ExchangeOutcome]>([])
        let messages = RecordedMessages()
        let result = await answer(messages, wire)
        let outcomes = wire.withLock { $0 }
        return (
            json(time, result, messages.last, outcomes, isExported: false),
            json(time, result, messages.last, outcomes, isExported: true)
        )
    }

    private func answer(
        _ messages: RecordedMessages, _ wire: borrowing Mutex<[ExchangeOutcome]>
    ) async -> Result<DynamicAnswer, any Error> {
        if let first = chosen.missing.first { return .failure(CommandError("Nothing was sent. \(first)")) }
        var configuration = chosen.configuration
        let (outcomes, continuation) = AsyncStream<ExchangeOutcome>.makeStream()
        configuration.onExchange = { continuation.yield($0) }
        let result: Result<DynamicAnswer, any Error>
        do {
            let transport = RecordingMessages(transport: try configuration.makeTransport(), messages: messages)
            let client = DynamicClient(service, configuration.caller(over: transport))
            do {
                result = .success(try await client.answer(to: operation.name, input, headers: headers))
            } catch { result = .failure(error) }
            try? await transport.shutdown()
        } catch { result = .failure(error) }
        continuation.finish()
        for await outcome in outcomes { wire.withLock { $0.append(outcome) } }
        return result
    }

    // MARK: The entry

    private func json(
        _ time: String, _ result: Result<DynamicAnswer, any Error>, _ messages: RecordedMessages.Pair,
        _ outcomes: [ExchangeOutcome], isExported: Bool
    ) -> DynamicValue {
        func shown(_ value: DynamicValue, _ element: String?) -> DynamicValue {
            isExported ? value.replacingSecrets(ofElement: element, by: Self.redacted) : value
        }
        func text(_ bytes: [UInt8]) -> DynamicValue {
            guard bytes.count <= Self.shownBytes else {
                return .string("(not shown: \(bytes.count) bytes)")
            }
            return .string(isExported ? MessageRedaction.redacted(bytes) : String(decoding: bytes, as: UTF8.self))
        }
        var answer = DynamicValue.null
        var fault = DynamicValue.null
        var failure = DynamicValue.null
        let (outcome, summary): (String, String)
        switch result {
        case .success(let received):
            (outcome, summary) =
                operation.output == nil
                ? ("taken", "The service has taken the message.")
                : ("answered", Self.summary(received))
            answer = [
                "value": shown(received.output, operation.output), "headers": shown(received.headers, nil),
                "xml": text(messages.answer),
                "attachments": .array(
                    received.attachments.map {
                        [
                            "id": .string($0.contentID), "type": .string($0.contentType),
                            "bytes": .number(String($0.count ?? 0)),
                        ]
                    }),
                "deviations": .array(received.deviations.map(Self.json)),
            ]
        case .failure(let error):
            if let declared = error as? DynamicFault {
                (outcome, summary) = ("fault", "\(declared.fault.code): \(declared.fault.reason)")
                fault = Self.json(declared.fault, text(messages.answer))
                    .adding("element", .string(declared.element))
                    .adding("detail", shown(declared.detail, declared.element))
            } else if let undeclared = error as? SOAPFault {
                (outcome, summary) = ("fault", "\(undeclared.code): \(undeclared.reason)")
                fault = Self.json(undeclared, text(messages.answer))
            } else {
                let lines = FailureLines.lines(error, isVerbose: false)
                (outcome, summary) = ("failed", lines.first ?? "")
                failure = [
                    "lines": .strings(lines + Self.diagnosis(of: error, besides: lines)),
                    "code": .optional(FailureLines.code(of: error)),
                    "causes": .strings(FailureLines.causes(of: error).map { "\($0)" }),
                    "xml": messages.answer.isEmpty ? .null : text(messages.answer),
                ]
            }
        }
        return [
            "id": .number(String(number)), "time": .string(time), "port": .string(port),
            "operation": .string(operation.name), "endpoint": .string("\(chosen.configuration.endpoint)"),
            "identity": .optional(chosen.identity), "credentials": .optional(chosen.credentials),
            "value": shown(input, operation.input), "headers": shown(headers, nil), "outcome": .string(outcome),
            "summary": .string(summary),
            "request": .string(messages.request.isEmpty ? "" : MessageRedaction.redacted(messages.request)),
            "answer": answer, "fault": fault, "failure": failure, "wire": .array(outcomes.map(Self.json)),
        ]
    }

    private static func summary(_ answer: DynamicAnswer) -> String {
        switch answer.deviations.count {
        case 0: "The service has answered."
        case 1: "The service has answered, and departs from the schema in one place."
        case let count: "The service has answered, and departs from the schema in \(count) places."
        }
    }

    private static func json(_ deviation: XMLDeviation) -> DynamicValue {
        [
            "message": .string(deviation.message), "path": .string(deviation.path),
            "line": .number(String(deviation.line)), "column": .number(String(deviation.column)),
        ]
    }

    private static func json(_ fault: SOAPFault, _ xml: DynamicValue) -> DynamicValue {
        [
            "code": .string("\(fault.code)"), "reason": .string(fault.reason), "role": .optional(fault.role),
            "element": .null, "detail": .null, "xml": xml, "explanation": .strings(explanation(of: fault)),
        ]
    }

    /// What a code means (SOAP 1.1 §4.4.1, SOAP 1.2 Part 1 §5.4.6), for a user who may never have seen one.
    private static func explanation(of fault: SOAPFault) -> [String] {
        var lines: [String] = []
        switch fault.code {
        case .client, .sender:
            lines.append(
                "The service says that the request is wrong: sending the same again will bring the same fault. Change the request as far as the reason says how."
            )
        case .server, .receiver:
            lines.append(
                "The service says that the request may be right, and that it failed itself. The same request may succeed later; the operator of the service has the cause in a log."
            )
        case .mustUnderstand:
            lines.append("The service does not know a header block that it must understand.")
            lines += fault.notUnderstood.map { "It names \($0)." }
        case .versionMismatch:
            lines.append("The service speaks another version of SOAP than this port. Choose a port of that version.")
        default: lines.append("The code is the service's own: its documentation says what it means.")
        }
        if !fault.subcodes.isEmpty {
            lines.append("More exactly: \(fault.subcodes.map { "\($0)" }.joined(separator: ", ")).")
        }
        return lines
    }

    /// What led to a failure of the connection, and what to do next.
    private static func diagnosis(of error: any Error, besides known: [String]) -> [String] {
        guard let finding = error.diagnosis?.mostLikely else { return [] }
        let evidence = finding.evidence.filter { !known.contains($0) }
        return [
            "Why: \(finding.cause)", "Next: \(finding.nextStep)", "Who has to act: \(finding.party.text).",
        ] + evidence.map { "Seen: \($0)" } + finding.alternatives.map { "Or it is something else: \($0.difference)" }
    }

    // MARK: The wire

    private static func json(_ outcome: ExchangeOutcome) -> DynamicValue {
        let report = outcome.report
        let connection = report.connection
        let isKnown = connection.number != 0
        var timing: DynamicValue = ["total": .milliseconds(report.duration)]
        let isNew = isKnown && !connection.reused
        timing =
            timing
            .adding("name", .milliseconds(isNew ? connection.nameResolution : nil))
            .adding(
                "connect",
                .milliseconds(
                    isNew ? connection.establishment - connection.nameResolution - connection.handshake : nil)
            )
            .adding("handshake", .milliseconds(isNew && connection.tls != nil ? connection.handshake : nil))
            .adding("waiting", .milliseconds(report.legs.isEmpty ? nil : report.wait))
            .adding("content", .milliseconds(report.legs.isEmpty ? nil : report.reception))
        return [
            "connection": isKnown
                ? [
                    "number": .number(String(connection.number)), "address": .string(connection.remoteAddress),
                    "http": .optional(connection.httpVersion), "reused": .bool(connection.reused),
                    "proxy": .optional(connection.proxy),
                ] : .null,
            "tls": connection.tls.map(json) ?? outcome.error.flatMap(handshake) ?? .null,
            "legs": .array(
                report.legs.map { leg in
                    [
                        "status": .number(String(leg.status)), "sent": .optional(leg.authorization),
                        "asked": .strings(leg.challenges),
                    ]
                }),
            "timing": timing, "error": .optional(outcome.error.map { "\($0)" }),
            "lines": .strings(isKnown ? report.lines : []),
        ]
    }

    /// What is known of a handshake that failed.
    private static func handshake(of error: any Error) -> DynamicValue? {
        let failures = ([error] + FailureLines.causes(of: error)).lazy.compactMap { $0 as? HandshakeFailure }
        guard let failure = failures.first else { return nil }
        var tls = ExchangeReport.TLS()
        tls.version = failure.hello?.versionName ?? ""
        tls.cipherSuite = failure.hello?.cipherSuiteName ?? ""
        tls.certificationPath = failure.serverPath.map(\.subject)
        tls.clientCertificateRequested = failure.isCertificateRequested
        if failure.isIdentityShown { tls.clientCertificate = failure.identity?.chain.first?.subject }
        return json(tls)
    }

    private static func json(_ tls: ExchangeReport.TLS) -> DynamicValue {
        [
            "version": .string(tls.version), "cipher": .string(tls.cipherSuite),
            "path": .strings(tls.certificationPath),
            "expires": .optional(
                tls.notAfter.map { Date(timeIntervalSince1970: TimeInterval($0)).ISO8601Format() }),
            "exception": .optional(tls.exception), "pins": .strings(tls.pinMismatches),
            "revocation": .strings(tls.revocation), "asked": .bool(tls.clientCertificateRequested),
            "proved": .optional(tls.clientCertificate), "late": .optional(tls.lateClientCertificate),
        ]
    }
}

extension DynamicValue {
    /// An object with one more member, or another value of one.
    func adding(_ name: String, _ value: DynamicValue) -> DynamicValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != name } + [Member(name, value)])
    }
}

/// The messages of a call as they were sent and received.
private final class RecordedMessages: Sendable {
    struct Pair: Sendable {
        var request: [UInt8] = []
        var answer: [UInt8] = []
    }

    private let state = Mutex(Pair())

    var last: Pair { state.withLock { $0 } }

    func sent(_ bytes: [UInt8]) { state.withLock { $0 = Pair(request: bytes) } }
    func received(_ bytes: [UInt8]) { state.withLock { $0.answer = bytes } }
}

/// Passes messages on and keeps the last ones.
private struct RecordingMessages: ClientTransport {
    let transport: any ClientTransport
    let messages: RecordedMessages

    func send(_ request: ClientRequest) async throws -> ClientResponse {
        var request = request
        // The whole answer is shown.
        request.contentReceiver = nil
        messages.sent(Self.root(request.body.bytes ?? [], request.fields))
        let response = try await transport.send(request)
        messages.received(Self.root(response.body, response.fields))
        return response
    }

    /// A message without its attachments.
    private static func root(_ bytes: [UInt8], _ fields: HTTPFields) -> [UInt8] {
        (try? ReceivedMessage(bytes, contentType: fields[.contentType] ?? ""))?.root ?? bytes
    }

    func shutdown() async throws { try await transport.shutdown() }

    func isLocal(_ origin: Origin) -> Bool { transport.isLocal(origin) }

    func proofs(at origin: Origin) -> ClientProofs? { transport.proofs(at: origin) }
}
#endif

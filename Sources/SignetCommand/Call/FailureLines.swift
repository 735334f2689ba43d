#if CommandLine
import Signet
import SignetDynamic
import SignetWSDL
import SignetWSSecurity

/// The lines about a failed call.
enum FailureLines {
    /// The maximum number of causes followed; no chain is that long.
    private static let maximumDepth = 16

    /// Each entry begins at the margin; its further lines are indented.
    ///
    /// - Parameter isVerbose: whether to add the error's name and its causes.
    static func lines(_ error: any Error, isVerbose: Bool) -> [String] {
        var lines = [error is SOAPFault || error is DynamicFault ? "\(error)" : advice("\(error)")]
        switch error {
        case let fault as DynamicFault:
            lines.append("detail: \(fault.detail.json(pretty: true))")
            // The detail may hold more than the WSDL declares.
            if fault.fault.detail.count > 1 || fault.fault.detailText != nil || !fault.fault.detailAttributes.isEmpty {
                lines += detail(of: fault.fault)
            }
        case let fault as SOAPFault: lines += detail(of: fault)
        default: break
        }
        if isVerbose {
            if let code = code(of: error) { lines.append("code: \(code)") }
            lines += causes(of: error).map { "caused by: \($0)" }
        }
        return lines.map { TerminalText.indented($0) }
    }

    /// Prints why a command failed to standard error.
    static func print(_ error: any Error, isVerbose: Bool) {
        for (number, line) in lines(error, isVerbose: isVerbose).enumerated() {
            Swift.print(number == 0 ? "signet: \(line)" : line, to: &standardError)
        }
    }

    /// What led to an error, the nearest first.
    static func causes(of error: any Error) -> [any Error] {
        var causes: [any Error] = []
        var next = cause(of: error)
        while let cause = next, causes.count < maximumDepth {
            causes.append(cause)
            next = self.cause(of: cause)
        }
        return causes
    }

    /// The received detail as XML, with values replaced whose names look secret. It includes text and attributes, which
    /// may say as much as the elements.
    private static func detail(of fault: SOAPFault) -> [String] {
        let isEmpty = fault.detail.isEmpty && fault.detailText == nil && fault.detailAttributes.isEmpty
        guard !isEmpty, let detail = fault.detailElement else { return [] }
        return ["detail: \(MessageRedaction.redacted(detail.bytes))"]
    }

    /// The message of an error with the options of the command alone: the library also says what a program does in
    /// place of an option, as in “(TrustPolicy.anchors; signet: --ca)”.
    static func advice(_ message: String) -> String {
        message.replacing(/\bset [\w.]+(?: of the \w+)? \(signet(?: \w+)?: (--[^()]+)\)/) { "give \($0.1)" }
            .replacing(/\((?:[^();]+; )?signet(?: \w+)?: (--[^()]+)\)/) { "(\($0.1))" }
    }

    /// The name of an error for programs; nil when it has none.
    static func code(of error: any Error) -> String? {
        (error as? any CodedError).map { "\(type(of: error)).\($0.code)" }
    }

    private static func cause(of error: any Error) -> (any Error)? { (error as? any CausedError)?.cause }
}

/// An error with a code for programs, which `--verbose` prints.
private protocol CodedError {
    associatedtype Code
    var code: Code { get }
}

/// An error that may have been caused by another one.
private protocol CausedError { var cause: (any Error)? { get } }

extension AddressingError: CodedError, CausedError {}
extension AttachmentError: CodedError {}
extension AuthenticationError: CodedError, CausedError {}
extension CredentialStoreError: CodedError, CausedError {}
extension DynamicError: CodedError, CausedError {}
extension HandshakeFailure: CausedError {}
extension IdentityError: CodedError, CausedError {}
extension IdentityProblem: CodedError {}
extension IdentityStoreError: CodedError, CausedError {}
extension PollingError: CodedError, CausedError {}
extension ServiceError: CodedError, CausedError {}
extension SigningKeyError: CodedError, CausedError {}
extension TransportError: CodedError, CausedError {}
extension TrustError: CodedError {}
extension WSDLError: CodedError, CausedError {}
extension WSSecurityError: CodedError, CausedError {}
extension XMLError: CodedError {}
#endif

import SignetAuthentication
import SignetSOAP
import SignetWSSecurity

/// Asks a device for its time when the device has refused a call. If its clock has moved since the token was made, it
/// sends the call once more.
struct ONVIFClockRepair: CallMiddleware {
    /// The device answers in whole seconds, and its answer takes a while to arrive; devices allow more difference than
    /// this.
    static let smallestMove = Duration.seconds(5)

    /// The device service, called without a token.
    let device: ServiceCaller
    let clock: ServerClock

    func intercept<Input: XMLStructure, Output: Sendable>(
        _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
    ) async throws -> ServiceAnswer<Output> {
        let offset = clock.offset
        do { return try await next(call) } catch let error where ONVIFRefusal.isOne(error) {
            // The caller gets the refusal of the call: it says more than an error from asking for the time.
            try? await clock.learn(from: device)
            try Task.checkCancellation()
            // Another call may have learned the offset in the meantime.
            let move = clock.offset - offset
            guard move > Self.smallestMove || move < .zero - Self.smallestMove else { throw error }
            return try await next(call)
        }
    }
}

/// The faults with which devices refuse a call for its credentials.
enum ONVIFRefusal {
    /// `ter:NotAuthorized` is the specification's (§5.8.2.2); the others are those of SOAP Message Security 1.1 §12.
    /// Devices disagree about the namespaces, so only local names are compared.
    private static let codes: Set<String> = [
        "NotAuthorized", "FailedAuthentication", "InvalidSecurity", "InvalidSecurityToken", "MessageExpired",
    ]

    /// Whether the device refused the call for its token, or for the lack of a token.
    static func isOne(_ error: any Error) -> Bool {
        if let refusal = error as? AuthenticationError {
            // HTTP 401, with which devices also refuse what is in the message, where the client has nothing for HTTP.
            return [.credentialsRequired, .malformedChallenge].contains(refusal.code)
                || refusal.cause.map(isOne) == true
        }
        if let fault = error as? SOAPFault {
            return ([fault.code] + fault.subcodes).contains { codes.contains($0.localName) }
        }
        return (error as? ServiceError)?.answer?.status == 401
    }

    /// Whether the device may have refused the call because it does not know the operation.
    static func isUnknownOperation(_ error: any Error) -> Bool {
        if isOne(error) { return false }
        return error is SOAPFault || (error as? ServiceError)?.code == .refused
    }
}

extension ServerClock {
    /// Asks a device for its time. Devices before ONVIF 2.0 may report none; the clock then stays as it is.
    func learn(from device: ServiceCaller) async throws {
        let answer = try await device.call(ONVIFOperation.getSystemDateAndTime, ONVIFTimeQuery())
        guard let time = answer.clock.utc else { return }
        guard let value = time.value, learn(value) else {
            throw ONVIFError(
                .unusableTime, "The device at \(device.endpoint) says that its time is \(time): set its clock.")
        }
    }
}

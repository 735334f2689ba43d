import SignetSOAP
import SignetWSSecurity

/// Asks a device for its time when it has refused a call, and sends the call once more if its clock has moved since the token was made.
struct ONVIFClockRepair: CallMiddleware {
    /// Answers are in whole seconds and take a while; devices allow more than this.
    static let smallestMove = Duration.seconds(5)

    /// The device service, called without a token.
    let device: ServiceCaller
    let clock: ServerClock

    func intercept<Input: XMLStructure, Output: Sendable>(
        _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
    ) async throws -> ServiceAnswer<Output> {
        let offset = clock.offset
        do { return try await next(call) } catch let error where ONVIFRefusal.isOne(error) {
            // The refusal says more than that the time could not be had.
            try? await clock.learn(from: device)
            try Task.checkCancellation()
            // Another call may have learned it meanwhile.
            let move = clock.offset - offset
            guard move > Self.smallestMove || move < .zero - Self.smallestMove else { throw error }
            return try await next(call)
        }
    }
}

/// What devices answer to a call that they do not want to be from us.
enum ONVIFRefusal {
    /// `ter:NotAuthorized` is the specification's (§5.8.2.2); the others are those of SOAP Message Security 1.1 §12. Devices do not agree on the
    /// namespaces.
    private static let codes: Set<String> = [
        "NotAuthorized", "FailedAuthentication", "InvalidSecurity", "InvalidSecurityToken", "MessageExpired",
    ]

    /// Whether the call was refused for its token, or the lack of one.
    static func isOne(_ error: any Error) -> Bool {
        if let fault = error as? SOAPFault {
            return ([fault.code] + fault.subcodes).contains { codes.contains($0.localName) }
        }
        return (error as? ServiceError)?.answer?.status == 401
    }

    /// Whether the call may have been refused because the device does not know the operation.
    static func isUnknownOperation(_ error: any Error) -> Bool {
        if isOne(error) { return false }
        return error is SOAPFault || (error as? ServiceError)?.code == .refused
    }
}

extension ServerClock {
    /// Asks a device what time it has. Where it says none, as devices before ONVIF 2.0 may, nothing is learned.
    func learn(from device: ServiceCaller) async throws {
        let answer = try await device.call(ONVIFOperation.getSystemDateAndTime, ONVIFTimeQuery())
        guard let time = answer.clock.utc else { return }
        guard let value = time.value, learn(value) else {
            throw ONVIFError(
                .unusableTime, "The device at \(device.endpoint) says that its time is \(time): set its clock.")
        }
    }
}

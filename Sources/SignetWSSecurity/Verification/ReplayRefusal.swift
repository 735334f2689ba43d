import SignetCredentials
import SignetSOAP

extension ReplayCache {
    /// Remembers a message, and refuses one that is remembered.
    ///
    /// - Parameters:
    ///   - last: until when the message is fresh.
    ///   - defect: what is wrong with a message that was sent before.
    func refuse(_ key: [UInt8], freshUntil last: Duration, now: Duration, _ defect: SecurityDefect) async throws {
        // Kept a minute longer: the time was read before the message was checked, which may take a while.
        let finding: ReplayFinding
        do { finding = try await remember(key, until: last.wholeSeconds + 60, now: now.wholeSeconds) } catch let error
            as CredentialStoreError where error.code == .busy
        { throw RequestRefusal.busy(error.message) }
        switch finding {
        case .new: return
        case .replayed: throw defect
        case .full: throw RequestRefusal.busy("the replay cache is full: give it more capacity")
        }
    }
}

extension RequestRefusal {
    /// - Parameter reason: for the log.
    static func busy(_ reason: String) -> RequestRefusal {
        RequestRefusal(.server("The service is busy. Try again later."), reason: reason)
    }
}

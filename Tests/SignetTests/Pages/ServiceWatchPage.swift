import Signet
import SignetObservability

// The code of Observability.md about events. It is compiled, and DocumentationTests compares it with the page.

private func watchEvents(of service: inout ServiceConfiguration, logger: Logger) async {
    let watch = ServiceWatch()
    service.calls.report(to: watch, trust: service.trust)  // before the client is made
    let events = watch.events()  // from now on

    for await event in events {  // in a task of its own
        let metadata: Logger.Metadata = ["event": "\(event.name)", "server": "\(event.server)"]
        switch event {
        case .refused, .notTrusted, .identityUnusable: logger.error("\(event)", metadata: metadata)
        default: logger.warning("\(event)", metadata: metadata)
        }
    }
}

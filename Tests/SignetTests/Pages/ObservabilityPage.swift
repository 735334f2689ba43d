import ReferenceServices
import Signet
import SignetObservability
import SignetServer

// The code of Observability.md. It is compiled, and DocumentationTests compares it with the page.

private func observe(logger: Logger) throws -> (ServiceConfiguration, ServiceDispatcher) {
    var service = try ServiceConfiguration(WebEase.Ports.webEasePort)
    service.calls.observe(logging: LoggingMiddleware(logger))  // a client: all three, outside of other middlewares

    var dispatcher = WebEase.dispatcher(Diary())
    dispatcher.observe(logging: LoggingMiddleware(logger))  // a service: the same
    return (service, dispatcher)
}

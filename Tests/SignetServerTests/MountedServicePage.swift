import GreetingService
import Hummingbird
import Logging
import SignetSOAP
import SignetServer

// Code of HostingServices.md. It is compiled, and DocumentationTests compares it with the page.

private enum WebEase {
    static func dispatcher(_ service: Diary) -> ServiceDispatcher { Greeting.dispatcher() }
}

private struct Diary {}

private func mount(logger: Logger) async throws {
    let soap = try MountedService(HostedService(WebEase.dispatcher(Diary())), logger: logger)
    let router = Router()
    router.get("/status") { _, _ in "fine" }
    router.post("/soap") { request, _ in try await soap.respond(to: request) }
    let application = Application(
        router: router, server: .http1(configuration: .init(idleTimeout: .seconds(60))),
        configuration: .init(address: .hostname("127.0.0.1", port: 8080)))
    try await application.runService()
    await soap.waitForHandlers()
}

import ReferenceServices
import Signet
import SignetServer
import SignetServerConfiguration

// The code of DeployingServices.md that is not in Tests/NewPackage. It is compiled, and DocumentationTests compares it with the page.

private protocol Maintenance: Sendable { var isUnderWay: Bool { get } }

private func serve(_ maintenance: any Maintenance) async throws {
    var configuration = try await ServerConfiguration.read(file: "/etc/diary/server.yaml")
    configuration.settings.httpMiddlewares.append(Pause { maintenance.isUnderWay })
    let server = try configuration.server([HostedService(WebEase.dispatcher(Diary()), path: "/soap")])
    try await server.run()
}

#if CommandLine
import Foundation
import SignetCollections
import SignetDynamic
import SignetSOAP
import SignetXML
import Synchronization

/// Requests of other tools, for operations of the service.
final class ConsoleCollections: Sendable {
    private static let maximumCollections = 50
    /// Those of one collection.
    private static let maximumCredentials = 20

    private let service: ConsoleService
    private let access: ConsoleAccess
    private let list = Mutex<[DynamicValue]>([])

    init(_ service: ConsoleService, _ access: ConsoleAccess) { (self.service, self.access) = (service, access) }

    var all: DynamicValue { .array(list.withLock { $0 }) }

    /// Reads a collection.
    ///
    /// - Parameter folder: where files lie that the collection names by relative paths; nil when that is not known.
    func add(_ content: [UInt8], name: String, folder: URL?) async throws -> DynamicValue {
        let collection = try RequestCollection(content, name: name)
        guard list.withLock({ $0.count }) < Self.maximumCollections else {
            throw CommandError(
                "The console keeps \(Self.maximumCollections) collections. Start it again with those that you need.")
        }
        var warnings = collection.warnings
        var identities: [DynamicValue] = []
        for store in collection.keyStores where store.type != "TRUSTSTORE" {
            let path = Self.path(store.path, in: folder)
            guard path.hasPrefix("/") else {
                warnings.append(
                    "The key store “\(store.path)” has no whole path. Add it as an identity, or start the console with --import."
                )
                continue
            }
            do {
                identities.append(
                    try access.addIdentity(
                        later: path, password: store.password,
                        label: "\(URL(filePath: path).lastPathComponent) of \(collection.name)"))
            } catch { warnings.append("The key store “\(store.path)” is left out: \(error)") }
        }
        var credentials: [DynamicValue] = []
        var known: Set<[String]> = []
        for case (let user?, let password) in collection.requests.map({ ($0.user, $0.password) })
        where known.count < Self.maximumCredentials && known.insert([user, password ?? ""]).inserted {
            do {
                credentials.append(
                    try access.addCredentials(
                        ["user": .string(user), "password": .string(password ?? "")], of: collection.name))
            } catch { warnings.append("The credentials of a request cannot be used: \(error)") }
        }
        var requests: [DynamicValue] = []
        for request in collection.requests { requests.append(await json(request, number: requests.count)) }
        let json: DynamicValue = [
            "name": .string(collection.name), "kind": .string(collection.kind.rawValue),
            "warnings": .strings(warnings), "requests": .array(requests), "identities": .array(identities),
            "credentials": .array(credentials),
        ]
        list.withLock { $0.append(json) }
        return json
    }

    private static func path(_ path: String, in folder: URL?) -> String {
        guard let folder, !path.hasPrefix("/") else { return path }
        return folder.appending(path: path).standardizedFileURL.path(percentEncoded: false)
    }

    private func json(_ request: RequestCollection.Request, number: Int) async -> DynamicValue {
        var json: DynamicValue = [
            "id": .string("r\(number)"), "name": .string(request.name),
            "folder": .string(request.folder.joined(separator: " / ")), "endpoint": .optional(request.endpoint),
            "port": .null, "operation": .optional(request.operation), "value": .null, "headers": .object([]),
            "problem": .optional(request.problem),
        ]
        guard let content = request.content else { return json }
        var problem = "No operation of the service takes it."
        for port in candidates(for: request) {
            guard let dynamic = port.dynamic else { continue }
            do throws(DynamicError) {
                let read = try await dynamic.request(in: Array(content.utf8), action: request.action)
                for (name, value) in [
                    ("port", .string(port.id)), ("operation", .string(read.operation)), ("value", read.input),
                    ("headers", read.headers),
                ] as [(String, DynamicValue)] { json = json.adding(name, value) }
                // What the tool says itself, such as an unknown variable, explains more.
                guard request.problem == nil, let first = read.deviations.first else { return json }
                return json.adding("problem", .string("It departs from the schema: \(first.withoutOffset)"))
            } catch { problem = error.message }
        }
        return json.adding("problem", .string(request.problem ?? problem))
    }

    /// The ports to which a request may belong, the likeliest first.
    private func candidates(for request: RequestCollection.Request) -> [ConsoleService.Port] {
        let binding = request.interface?.split(separator: "}").last.map(String.init)
        let usable = service.ports.filter { $0.dynamic?.version != nil }
        let named = usable.filter { binding == nil || $0.bindingName == binding }
        let wanted = request.isSOAP12.map { $0 ? SOAPVersion.soap12 : .soap11 }
        func fits(_ port: ConsoleService.Port) -> Bool { wanted == nil || port.dynamic?.version == wanted }
        let list = named.isEmpty ? usable : named
        return list.filter(fits) + list.filter { !fits($0) }
    }
}
#endif

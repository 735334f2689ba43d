#if Server
package import SignetDynamic
import SignetSOAP
package import SignetWSDL

/// A port of a WSDL that a mock answers for, and its path.
package struct MockedService: Sendable {
    package let service: DynamicService
    /// That of the port's address in the WSDL, where no other service has it.
    package let path: String
    /// Those of the other ports with the same operations.
    package let otherPaths: [String]
    /// The path of each port with these operations, by the name of the port.
    package let ports: [String: String]

    /// The services of a WSDL, one for each service and port type that is bound to SOAP.
    ///
    /// - Parameters:
    ///   - path: the WSDL file.
    ///   - root: the topmost folder from which files may be imported; nil for the folder of the WSDL.
    ///   - service: the name of the only service to answer for; nil for all.
    ///   - port: the name of the only port to answer for; nil for all.
    /// - Throws: ``MockError`` when there is no such service.
    package static func all(
        inFile path: String, root: String? = nil, service: String? = nil, port: String? = nil
    ) throws -> [MockedService] {
        let definitions: WSDLDefinitions
        do { definitions = try WSDLLoader.load(file: path, root: root) } catch { throw MockError("\(error)") }
        return try all(definitions, service: service, port: port)
    }

    package static func all(
        _ definitions: WSDLDefinitions, service wanted: String? = nil, port wantedPort: String? = nil
    ) throws(MockError) -> [MockedService] {
        if let wantedPort {
            let service: DynamicService
            do throws(DynamicError) {
                service = try DynamicService(definitions, service: wanted, port: wantedPort)
            } catch {
                throw MockError(error.description)
            }
            guard service.version != nil else {
                throw MockError(
                    "The port ‘\(wantedPort)’ is bound to HTTP without SOAP; a mock serves ports with SOAP.")
            }
            return place([(service, [(service.port.name, service.port.address)])])
        }
        var found: [Found] = []
        var refusals: [String] = []
        for service in definitions.servicesOrBindings where wanted == nil || service.name.localName == wanted {
            var portTypes: Set<QName> = []
            let usable = definitions.usablePorts(of: service)
            // As for generated code, a port of SOAP 1.1 stands for those of the same port type.
            let ports = usable.filter { definitions.bindings[$0.binding]?.format == .soap11 } + usable
            for port in ports {
                guard let binding = definitions.bindings[port.binding], portTypes.insert(binding.portType).inserted
                else {
                    continue
                }
                do {
                    let made = try DynamicService(definitions, service: service.name.localName, port: port.name)
                    guard made.version != nil else {
                        refusals.append("\(service.name.localName)/\(port.name) is bound to HTTP without SOAP")
                        continue
                    }
                    let twins = usable.filter {
                        let other = definitions.bindings[$0.binding]
                        return other?.portType == binding.portType
                            && (other?.format == .soap11 || other?.format == .soap12)
                    }
                    found.append((made, ([port] + twins).map { ($0.name, $0.address) }))
                } catch { refusals.append("\(service.name.localName)/\(port.name): \(error.message)") }
            }
            for port in service.ports {
                guard let reason = definitions.reasonNotUsable(port) else { continue }
                refusals.append("\(service.name.localName)/\(port.name): \(reason)")
            }
        }
        guard !found.isEmpty else {
            if let wanted, refusals.isEmpty { throw MockError(definitions.reasonForNoService(wanted)) }
            throw MockError(
                "The WSDL has no port with SOAP to answer for\(refusals.isEmpty ? "." : ": \(refusals.joined(separator: "; ")).")"
            )
        }
        return place(found)
    }

    /// A service with the ports that have its operations, the one that it is made of first.
    private typealias Found = (service: DynamicService, ports: [(name: String, address: String?)])

    /// Gives each service a path of its own, and the paths of its other ports that no service has.
    private static func place(_ services: [Found]) -> [MockedService] {
        var taken: Set<String> = []
        let paths = services.map { service, ports in
            let candidates =
                [path(of: ports.first?.address), "/\(service.name)", "/\(service.name)/\(service.port.name)"]
                .compactMap { $0 } + (1...services.count).map { "/service\($0)" }
            // There are as many numbered paths as services.
            let path = candidates.first { isPlain($0) && !taken.contains($0) } ?? "/"
            taken.insert(path)
            return path
        }
        return zip(services, paths).map { service, path in
            let others = service.ports.compactMap { Self.path(of: $0.address) }
                .filter { isPlain($0) && taken.insert($0).inserted }
            var ports: [String: String] = [:]
            for port in service.ports {
                let own = Self.path(of: port.address).flatMap { others.contains($0) ? $0 : nil }
                ports[port.name] = own ?? path
            }
            return MockedService(service: service.service, path: path, otherPaths: others, ports: ports)
        }
    }

    /// The path of an address, without its query; nil for what is no address of HTTP.
    private static func path(of address: String?) -> String? {
        guard let address, let endpoint = try? Endpoint(address) else { return nil }
        let path = endpoint.path.prefix { $0 != "?" }
        return path.isEmpty ? "/" : String(path)
    }

    private static func isPlain(_ path: String) -> Bool {
        path.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    }
}
#endif

#if CommandLine
import Signet
import SignetDynamic
import SignetWSDL

/// The service to call and the way to reach it, from the WSDL and the options.
struct CallTarget {
    let service: DynamicService
    private let endpoint: String?
    private let version: SOAPVersion?
    private let addressing: AddressingVersion?

    init(wsdl: String, request: RequestOptions) throws {
        let definitions = try WSDLLoader.load(file: wsdl, root: request.root)
        var service = try DynamicService(definitions, service: request.service, port: request.portName)
        var version: SOAPVersion?
        if let wanted = request.soap?.version, wanted != service.version {
            let match = service.ports.first {
                $0.service == service.name && $0.binding == wanted.description && $0.reasonNotUsable == nil
            }
            if let match, request.portName == nil {
                service = try DynamicService(definitions, service: service.name, port: match.name)
            } else if service.version == nil {
                throw CommandError(
                    "The port “\(service.port.name)” is bound to HTTP without SOAP. Leave out --soap, or name another port."
                )
            } else {
                // A user who names the port, or has no other port, wants HTTP without SOAP.
                version = wanted
            }
        }
        self.service = service
        self.version = version
        endpoint = request.endpoint
        // HTTP without SOAP has no header blocks.
        addressing = request.addressing.map(\.version) ?? (service.version == nil ? nil : service.addressing)
    }

    /// A port that is chosen already.
    init(_ service: DynamicService, endpoint: String?, request: RequestOptions) {
        (self.service, self.endpoint, version) = (service, endpoint, nil)
        addressing = request.addressing.map(\.version) ?? (service.version == nil ? nil : service.addressing)
    }

    /// The configuration with address and version; everything else keeps the library's defaults.
    func makeConfiguration() throws -> ServiceConfiguration {
        guard let address = endpoint ?? service.port.address else {
            throw CommandError("The port “\(service.port.name)” has no address in the WSDL. Give one with --endpoint.")
        }
        if endpoint == nil {
            do { _ = try Endpoint(address) } catch {
                throw CommandError(
                    "The address “\(address)” of the port “\(service.port.name)” in the WSDL cannot be used: \(error.message). "
                        + "Give one with --endpoint.")
            }
        }
        var configuration = try ServiceConfiguration(address)
        configuration.version = version
        configuration.headerProviders = addressing.map { [AddressingHeader($0)] } ?? []
        configuration.requirements = service.servicePort.requirements
        return configuration
    }
}
#endif

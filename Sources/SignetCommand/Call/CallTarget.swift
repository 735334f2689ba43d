#if CommandLine
import Signet
import SignetDynamic
import SignetWSDL

/// The service to call and how it is reached, from the WSDL and the options.
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
                // Whoever names the port, or has no other, wants it spoken to like that.
                version = wanted
            }
        }
        self.service = service
        self.version = version
        endpoint = request.endpoint
        // Without SOAP there is no place for it.
        addressing = request.addressing.map(\.version) ?? (service.version == nil ? nil : service.addressing)
    }

    /// Address and version; the rest is as the library has it.
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

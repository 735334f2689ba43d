#if CommandLine
import ArgumentParser
import Signet

/// The options for a call beside its input: service, address, version, header blocks and deadlines.
struct RequestOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Call this address instead of the port's.", valueName: "url"))
    var endpoint: String?

    @Option(help: ArgumentHelp("The service, where the WSDL has several.", valueName: "name"))
    var service: String?

    @Option(help: ArgumentHelp("The port, where the service has several.", valueName: "name"))
    var portName: String?

    @Option(
        help: ArgumentHelp(
            "The version of SOAP. A port of that version is taken where there is one.", valueName: "version"))
    var soap: SOAPVersionOption?

    @Option(
        help: ArgumentHelp(
            "Send header blocks of this version of WS-Addressing. What the WSDL asks for unless given.",
            valueName: "version"))
    var addressing: AddressingOption?

    @OptionGroup var fields: FieldOptions

    @Option(
        help: ArgumentHelp("Header blocks as JSON, an object by the names of their elements.", valueName: "file|-"),
        completion: .file())
    var headerBlocks: String?

    @OptionGroup var time: TimeoutOptions

    @Option(
        help: ArgumentHelp(
            "The highest folder that imports may lead to; the WSDL's own unless given.", valueName: "folder"),
        completion: .directory)
    var root: String?

    @Flag(help: "Read a message also where the service labels it as something else than XML, such as text/html.")
    var anyMediaType = false

    func validate() throws {
        if let endpoint {
            do { _ = try Endpoint(endpoint) } catch {
                throw ValidationError("--endpoint: the address cannot be used: \(error.message).")
            }
        }
    }
}

/// `--addressing`.
enum AddressingOption: String, ExpressibleByArgument, CaseIterable {
    case version10 = "1.0"
    case submission = "2004/08"
    case none

    var version: AddressingVersion? {
        switch self {
        case .version10: .v10
        case .submission: .submission
        case .none: nil
        }
    }
}

/// `--soap`.
enum SOAPVersionOption: String, ExpressibleByArgument, CaseIterable {
    case version11 = "1.1"
    case version12 = "1.2"

    var version: SOAPVersion { self == .version11 ? .soap11 : .soap12 }
}
#endif

import SignetDynamic
import SignetHTTP
import SignetMock
import SignetSOAP
import SignetWSDL
import SignetXML

/// The requests with which forms begin: those of the examples that `signet console` and `signet call --sample` show.
enum FirstRequests {
    /// Requests that a judge refuses, rightly or not, by the name of the WSDL's folder, with the beginning of what it says.
    private static let exceptions = [
        // The type is there, but this judge does not find it.
        "ihe-pixv3-iti45": ["XMLSchemaKeyError: \"global component '{urn:hl7-org:v3}AD' not found"],
        // A reference names a global element, which has a namespace whatever the form of local ones; the other judge agrees.
        "w3c-databinding-all": ["/n1:echoElementReferenceUnqualified/n1:elementReferenceUnqualified: Unexpected child"],
    ]

    /// WSDLs that were written to be difficult, and of which no example becomes a message, with what is said of it.
    private static let difficult = [
        // No text is found between two times of which one is excluded.
        "facets/facets.wsdl": "a value greater than 23:59:59.998Z is expected",
        // In JSON, names that differ only in their normal form are one name.
        "nfc-attrs/nfc-attrs.wsdl": "there is no ‘@é’", "nfc-elements/nfc-elements.wsdl": "‘Å’ is missing",
        "nfc-globals/nfc-globals.wsdl": "‘é’ is missing", "nfc-ns/nfc-ns.wsdl": "‘x’ is missing",
        // A choice that must occur twice is filled by one branch that may occur twice itself.
        "r-choice-rep/r-choice-rep.wsdl": "one of ‘p’ and ‘q’ is required",
        "subst-in-choice/subst-in-choice.wsdl": "one of ‘h’",
    ]

    /// Reasons that concern each WSDL: patterns for which no text was found, references that lead nowhere, and keys that occur twice,
    /// since an example has one value for each type.
    private static let refusals = ["pattern", "IDREF", "keyref", "key-sequence", "XsdKey"]

    /// Whether a judge's reason to refuse the request is known.
    static func isKnown(_ reason: String, of wsdl: String) -> Bool {
        refusals.contains(where: reason.contains) || exceptions[wsdl]?.contains(where: reason.hasPrefix) == true
    }

    /// - Parameter samples: with 0 only a part of the operations is looked at.
    static func all(
        _ definitions: WSDLDefinitions, samples: Int, _ report: inout CorpusReport
    ) -> [MockCheck.Answer] {
        guard let services = try? MockedService.all(definitions) else { return [] }
        var requests: [MockCheck.Answer] = []
        for service in services.map(\.service) {
            let transport = InProcessTransport(ServiceDispatcher(name: "", versions: [.soap11], routes: []))
            let origin = Origin(scheme: .https, host: "localhost", port: 443)
            let client = DynamicClient(
                service, ServiceCaller(endpoint: Endpoint(origin: origin, path: "/"), transport: transport))
            let operations = service.operations.filter { $0.reasonNotCallable == nil }
            for operation in operations.prefix(samples == 0 ? 20 : .max) {
                let what = "the first request of \(service.name)/\(service.port.name), \(operation.name)"
                do {
                    _ = try service.formSchemas(of: operation.name)
                    let envelope = try client.envelope(
                        of: operation.name, try service.sample(of: operation.name))
                    let body = try XMLFragment(parsing: envelope).children.first(named: "Body")
                    if let element = body?.children.first {
                        requests.append(.init(what: what, element: element, isRequest: true))
                    }
                } catch let error as DynamicError where [.brokenSchema, .limitExceeded].contains(error.code) {
                    report.note("\(what): \(error)")
                } catch  where difficult[report.name].map("\(error)".contains) == true {
                    report.note("\(what): \(error)")
                } catch { report.fail("\(what): \(error)") }
            }
        }
        return requests
    }
}

package import SignetSOAP

/// A service written by hand as the generator would write it.
package enum Greeting {
    package struct Greet: XMLStructure {
        package var name: String
        package var password: String?
        package init(name: String, password: String? = nil) {
            self.name = name
            self.password = password
        }
        package init(_decoding: Void) { self.init(name: ._placeholder) }
        package static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:greeting"], elements: "name password?")
            fields.field(&x.name)
            fields.field(&x.password)
        }
    }

    package struct Greeted: XMLStructure {
        package var text: String
        package init(text: String) { self.text = text }
        package init(_decoding: Void) { self.init(text: ._placeholder) }
        package static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:greeting"], elements: "text")
            fields.field(&x.text)
        }
    }

    package struct NobodyThere: XMLStructure {
        package var looked: Int32
        package init(looked: Int32) { self.looked = looked }
        package init(_decoding: Void) { self.init(looked: ._placeholder) }
        package static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:greeting"], elements: "looked")
            fields.field(&x.looked)
        }
    }

    package static let greet = ServiceOperation<Greet, Greeted>(
        name: "Greet", soapAction: "", version: .soap11, input: XMLName("urn:greeting", "Greet"),
        output: XMLName("urn:greeting", "Greeted"),
        faults: [.declared(XMLName("urn:greeting", "NobodyThere"), NobodyThere.self)], namespaces: ["urn:greeting"])

    package struct Client: ServiceClient {
        package let caller: ServiceCaller
        package init(_ caller: ServiceCaller) { self.caller = caller }
        package func greet(_ input: Greet) async throws -> Greeted { try await caller.call(Greeting.greet, input) }
    }

    package static let wave = OneWayOperation<Greet>(
        name: "Wave", soapAction: "urn:wave", version: .soap11, input: XMLName("urn:greeting", "Wave"),
        namespaces: ["urn:greeting"])

    package static let mood = HeaderElement<Greeted>(XMLName("urn:mood", "Mood"))

    package static func dispatcher(
        versions: [SOAPVersion] = [.soap11, .soap12],
        _ handler: @escaping @Sendable (Greet, OperationContext) async throws -> Greeted = { input, _ in
            .init(text: input.name)
        }
    ) -> ServiceDispatcher {
        ServiceDispatcher(name: "Greeting", versions: versions, routes: [greet.route(handler)])
    }
}

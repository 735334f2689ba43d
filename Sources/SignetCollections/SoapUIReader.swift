import SignetXML

/// Reads a project of SoapUI that is in one file, by the names of its schema (`http://eviware.com/soapui/config`).
struct SoapUIReader {
    private var builder = CollectionBuilder(.dollar)
    private var interfaces: [String: Interface] = [:]
    private var variables = Variables()
    /// The paths of key stores, by themselves and by their last parts.
    private var keyStores: [String: String] = [:]

    /// A binding of a WSDL, with what its requests need of it.
    private struct Interface {
        var binding: String?
        var isSOAP12: Bool?
        var endpoint: String?
        var operations: [String: Operation] = [:]
    }

    private struct Operation {
        var name: String?
        var action: String?
    }

    static func read(_ content: [UInt8], name: String) throws(CollectionError) -> RequestCollection {
        let project: XMLFragment
        do throws(XMLError) { project = try XMLFragment(parsing: content) } catch { throw CollectionError(error) }
        try check(project)
        var reader = SoapUIReader()
        try reader.read(project)
        return reader.builder.collection(.soapUI, name: project.filled("name") ?? name)
    }

    private static func check(_ project: XMLFragment) throws(CollectionError) {
        guard project.isElement(.soapUI("soapui-project")) else {
            let hint =
                project.isElement(.soapUI("soapui-workspace"))
                ? "a workspace only lists projects; choose the file of a project"
                : "choose a file that SoapUI has saved as a project"
            throw CollectionError(
                .unknownFormat,
                "this is no project of SoapUI, because its outermost element is ‘\(project.localName.shown)’; \(hint).")
        }
        if try project.text("encryptedContent") != nil {
            throw CollectionError(
                .encrypted,
                "the project is encrypted. Open it in SoapUI, remove the password of the project, and save it again.")
        }
    }

    private mutating func read(_ project: XMLFragment) throws(CollectionError) {
        variables.add(try Self.properties(of: project, "#project#"))
        for container in try project.parts("wssContainer") {
            for crypto in try container.parts("crypto") { try addKeyStore(crypto) }
        }
        for element in try project.parts("interface") { try read(interface: element) }
        for suite in try project.parts("testSuite") {
            var inner = variables
            inner.add(try Self.properties(of: suite, "#testsuite#"))
            for testCase in try suite.parts("testCase") {
                try read(testCase, in: suite.filled("name") ?? "Test suite", inner)
            }
        }
    }

    /// The names with the prefix by which texts refer to them, in lower case.
    private static func properties(
        of element: XMLFragment, _ prefix: String
    ) throws(CollectionError) -> [String: String] {
        var values: [String: String] = [:]
        for list in try element.parts("properties") {
            for property in try list.parts("property") {
                guard let name = try property.text("name") else { continue }
                values[(prefix + name).lowercased()] = try property.parts("value").first?.text ?? ""
            }
        }
        return values
    }

    private mutating func addKeyStore(_ crypto: XMLFragment) throws(CollectionError) {
        var defects: [String] = []
        guard let path = try builder.expand(try crypto.text("source"), variables, &defects) else { return }
        guard builder.keyStores.count < RequestCollection.maximumKeyStores else {
            return builder.warn(
                "Of the key stores, only the first \(RequestCollection.maximumKeyStores) are taken over.")
        }
        var store = RequestCollection.KeyStore(path: path)
        store.password = try builder.expand(try crypto.text("password"), variables, &defects)
        store.alias = try builder.expand(try crypto.text("defaultAlias"), variables, &defects)
        store.aliasPassword = try builder.expand(try crypto.text("aliasPassword"), variables, &defects)
        store.type = try crypto.text("type")
        builder.keyStores.append(store)
        for name in [path, Self.lastPart(of: path)] where keyStores[name] == nil { keyStores[name] = path }
        if !defects.isEmpty {
            builder.warn("The path or a password of the key store “\(path.shown)” has variables without a value.")
        }
    }

    private mutating func read(interface element: XMLFragment) throws(CollectionError) {
        let name = element.filled("name") ?? "Interface"
        guard element.attribute("type") != "rest",
            element.attribute("type", namespace: .schemaInstance)?.qualifiedNameParts.localName != "RestService"
        else { return builder.warn("The REST service “\(name.shown)” is left out: only SOAP is supported here.") }
        var interface = Interface(binding: element.filled("bindingName"))
        interface.isSOAP12 = element.filled("soapVersion").map { $0 == "1_2" }
        interface.endpoint = try element.parts("endpoints").first?.text("endpoint")
        let operations = try element.parts("operation")
        for operation in operations {
            interface.operations[operation.filled("name") ?? ""] = Operation(
                name: operation.filled("bindingOperationName") ?? operation.filled("name"),
                action: operation.attribute("action"))
        }
        interfaces[name] = interface
        for operation in operations {
            let operationName = operation.filled("name") ?? ""
            for call in try operation.parts("call") {
                let draft = RequestCollection.Request(
                    name: call.filled("name") ?? "Request", folder: [name, operationName])
                try add(draft, call, of: interface, operationName, variables)
            }
        }
    }

    private mutating func read(
        _ testCase: XMLFragment, in suite: String, _ surroundings: Variables
    ) throws(CollectionError) {
        let steps = try testCase.parts("testStep")
        var variables = surroundings
        variables.add(try Self.properties(of: testCase, "#testcase#"))
        var data: [String: String] = [:]
        for step in steps where step.attribute("type") == "properties" {
            guard let config = try step.parts("config").first else { continue }
            data.merge(try Self.properties(of: config, "\(step.filled("name") ?? "")#")) { $1 }
        }
        variables.add(data)
        for step in steps {
            switch step.attribute("type") {
            case "request":
                let folder = [suite, testCase.filled("name") ?? "Test case"]
                try add(step, folder: folder, variables)
            case "httprequest", "restrequest": builder.leaveOut()
            default: continue
            }
        }
    }

    private mutating func add(
        _ step: XMLFragment, folder: [String], _ variables: Variables
    ) throws(CollectionError) {
        guard let config = try step.parts("config").first, let request = try config.parts("request").first else {
            return
        }
        var draft = RequestCollection.Request(name: step.filled("name") ?? "Request", folder: folder)
        let name = try config.text("interface") ?? ""
        let interface = interfaces[name]
        if interface == nil { draft.problem = "the project has no interface ‘\(name.shown)’" }
        try add(draft, request, of: interface ?? Interface(), try config.text("operation") ?? "", variables)
    }

    private mutating func add(
        _ draft: RequestCollection.Request, _ element: XMLFragment, of interface: Interface, _ operationName: String,
        _ variables: Variables
    ) throws(CollectionError) {
        var draft = draft
        let operation = interface.operations[operationName]
        draft.interface = interface.binding
        draft.operation = operation?.name ?? operationName
        draft.action = operation?.action
        draft.isSOAP12 = interface.isSOAP12
        draft.endpoint = try element.text("endpoint") ?? interface.endpoint
        if operation == nil, draft.problem == nil {
            draft.problem = "the interface has no operation ‘\(operationName.shown)’"
        }
        if let message = try element.parts("request").first {
            if message.filled("compression") == nil {
                draft.content = Self.withoutEscapes(message.text)
            } else {
                draft.problem = "its message is compressed; switch that off in SoapUI, and save the project again"
            }
        }
        if let credentials = try element.parts("credentials").first { try take(credentials, &draft) }
        draft.keyStore = try keyStore(of: element, variables)
        try warn(of: element)
        try builder.add(draft, variables, isDeclared: true)
    }

    /// SoapUI writes a carriage return as two characters, and these two characters as three.
    private static func withoutEscapes(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        return text.replacing("\\r\n", with: "\n").replacing("\\_r", with: "\\r")
    }

    private func take(_ credentials: XMLFragment, _ draft: inout RequestCollection.Request) throws(CollectionError) {
        guard try credentials.text("authType") != "No Authorization", let user = try credentials.text("username") else {
            return
        }
        let domain = try credentials.text("domain")
        draft.user = domain.map { "\($0)\\\(user)" } ?? user
        draft.password = try credentials.text("password")
    }

    /// A request names the file of its key store, or only the last part of its path.
    private mutating func keyStore(
        of request: XMLFragment, _ variables: Variables
    ) throws(CollectionError) -> String? {
        var defects: [String] = []
        guard let name = try builder.expand(request.filled("sslKeystore"), variables, &defects) else { return nil }
        if let path = keyStores[name] ?? keyStores[Self.lastPart(of: name)] { return path }
        builder.warn("The key store “\(name.shown)” of a request is not among those of the project.")
        return nil
    }

    private static func lastPart(of path: String) -> String {
        String(path.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? path.unicodeScalars[...])
    }

    private mutating func warn(of request: XMLFragment) throws(CollectionError) {
        if let security = request.filled("outgoingWss") {
            builder.warn("Requests use WS-Security (“\(security.shown)”), which is not taken over.")
        }
        if try !request.parts("attachment").isEmpty { builder.warn("The attachments of requests are not taken over.") }
    }
}

extension CollectionError {
    fileprivate init(_ error: XMLError) {
        self.init(
            error.code.isLimit ? .limitExceeded : .malformed, "this XML cannot be read, \(error)", cause: error)
    }
}

extension XMLName {
    private static let soapUINamespace = XMLNamespace("http://eviware.com/soapui/config")

    fileprivate static func soapUI(_ name: String) -> XMLName { XMLName(soapUINamespace, name) }
}

extension XMLFragment {
    /// The elements of SoapUI with this name that are directly inside; others are skipped, and nothing of them is kept.
    fileprivate func parts(_ name: String) throws(CollectionError) -> [XMLFragment] {
        let limit = 50_000
        let name = XMLName.soapUI(name)
        let parts: [XMLFragment]?
        do throws(XMLError) {
            parts = try read { (reader) throws(XMLError) in
                var parts: [XMLFragment] = []
                while true {
                    switch try reader.next() {
                    case .startElement:
                        if reader.isElement(name) {
                            guard parts.count < limit else { return nil }
                            parts.append(try reader.fragment())
                        } else {
                            try reader.skipElement()
                        }
                    case .text: continue
                    case .endElement, .endOfDocument: return parts
                    }
                }
            }
        } catch { throw CollectionError(error) }
        guard let parts else {
            throw CollectionError(
                .limitExceeded, "the project has more than \(limit) elements ‘\(name.localName)’ in one place.")
        }
        return parts
    }

    /// The text of a part, without white space at either end; nil when there is none.
    fileprivate func text(_ name: String) throws(CollectionError) -> String? {
        guard let text = try parts(name).first?.text.trimmedXMLSpace, !text.isEmpty else { return nil }
        return text
    }

    /// The value of an attribute; nil when it is absent or empty.
    fileprivate func filled(_ name: String) -> String? {
        guard let value = attribute(name), !value.isEmpty else { return nil }
        return value
    }
}

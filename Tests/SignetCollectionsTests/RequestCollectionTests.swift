import Foundation
import Testing

@testable import SignetCollections

/// Files and texts that the tests read.
enum Samples {
    static func file(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        return [UInt8](try Data(contentsOf: folder.appending(path: "Files/\(name)")))
    }

    static let files = ["WebEase-soapui-project.xml", "WebEase.postman_collection.json", "LogEntryQuery.bru"]

    static func envelope(_ content: String = "<q/>") -> String {
        "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>\(content)</s:Body></s:Envelope>"
    }

    static func read(_ text: String) throws(CollectionError) -> RequestCollection {
        try RequestCollection(Array(text.utf8), name: "file")
    }

    static func error(_ text: String) -> CollectionError? { error(Array(text.utf8)) }

    static func error(_ content: [UInt8]) -> CollectionError? {
        do throws(CollectionError) {
            _ = try RequestCollection(content, name: "file")
            return nil
        } catch { return error }
    }

    /// Characters that a string in JSON cannot have are escaped.
    static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n"))\""
    }

    /// A project of SoapUI with one request.
    static func project(
        call: String = "<con:request>\(escaped(envelope()))</con:request>", attributes: String = "", more: String = "",
        interface: String = "soapVersion='1_1'"
    ) -> String {
        """
        <con:soapui-project name='P' xmlns:con='http://eviware.com/soapui/config'>
        <con:interface name='I' bindingName='{urn:x}B' type='wsdl' \(interface)>
        <con:endpoints><con:endpoint>http://first/</con:endpoint><con:endpoint>http://second/</con:endpoint></con:endpoints>
        <con:operation name='Op' bindingOperationName='Operation' action='urn:op'>
        <con:call name='R' \(attributes)>\(call)</con:call></con:operation></con:interface>\(more)</con:soapui-project>
        """
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }

    /// A collection of Postman with one request, which has more members.
    static func postman(_ body: String = envelope(), _ request: String = "", variables: String = "[]") -> String {
        """
        {"info": {"name": "C"}, "variable": \(variables), "item": [{"name": "R", "request":
        {"method": "POST", "url": "http://x/", "body": {"mode": "raw", "raw": \(quoted(body))}\(request)}}]}
        """
    }
}

@Suite struct SoapUITests {
    @Test func aProjectIsRead() throws {
        let collection = try RequestCollection(try Samples.file("WebEase-soapui-project.xml"), name: "file")
        #expect(collection.name == "WebEase diary" && collection.kind == .soapUI && collection.warnings.isEmpty)
        #expect(collection.requests.map(\.name) == ["Entries of March", "Archive a year"])
        let query = try #require(collection.requests.first)
        #expect(query.folder == ["WebEaseBinding", "LogEntryQuery"])
        #expect(query.interface == "{urn:signet:example:webease}WebEaseBinding")
        #expect(query.operation == "LogEntryQuery" && query.action == "" && query.isSOAP12 == false)
        #expect(query.endpoint == "https://localhost:8443/soap" && query.problem == nil)
        let content = try #require(query.content)
        #expect(content.contains("<types:patientId>P-100</types:patientId>\n") && !content.contains("\\r"))
        #expect(query.user == nil && query.password == nil && query.keyStore == "device.p12")
        #expect(collection.requests.last?.operation == "LogEntryArchive")
        #expect(collection.requests.last?.endpoint == "https://localhost:8443/soap")
        let store = try #require(collection.keyStores.first)
        #expect(store.path == "device.p12" && store.password == "open-diary" && store.type == "KEYSTORE")
    }

    @Test func namesOfOperationInterfaceAndFirstEndpointAreUsed() throws {
        let request = try #require(try Samples.read(Samples.project()).requests.first)
        #expect(request.operation == "Operation" && request.action == "urn:op" && request.interface == "{urn:x}B")
        #expect(request.endpoint == "http://first/" && request.folder == ["I", "Op"])
    }

    @Test func theEnvelopeDecidesAboutTheVersion() throws {
        let message = Samples.envelope().replacing(
            "http://schemas.xmlsoap.org/soap/envelope/", with: "http://www.w3.org/2003/05/soap-envelope")
        let project = Samples.project(call: "<con:request><![CDATA[\(message)]]></con:request>")
        #expect(try Samples.read(project).requests.first?.isSOAP12 == true)
        let broken = Samples.project(call: "<con:request>x</con:request>", interface: "soapVersion='1_2'")
        #expect(try Samples.read(broken).requests.first?.isSOAP12 == true)
    }

    @Test func testStepsAreRead() throws {
        let message = Samples.envelope("${#TestCase#a}${#testsuite#B}${Data#c}${#Project#d}")
        let call = "<con:request>\(Samples.escaped(message))</con:request>"
        func property(_ name: String, _ value: String) -> String {
            "<con:properties><con:property><con:name>\(name)</con:name><con:value>\(value)</con:value></con:property></con:properties>"
        }
        func step(_ interface: String, _ operation: String) -> String {
            """
            <con:testStep type='request' name='S'><con:config><con:interface>\(interface)</con:interface>
            <con:operation>\(operation)</con:operation><con:request name='T'><con:endpoint>http://step/</con:endpoint>
            \(call)</con:request></con:config></con:testStep>
            """
        }
        let suite = """
            <con:testSuite name='Suite'><con:testCase name='Case'>
            <con:testStep type='properties' name='Data'><con:config>\(property("c", "3"))</con:config></con:testStep>
            \(step("I", "Op"))\(step("None", "Op"))\(step("I", "None"))
            <con:testStep type='restrequest' name='Rest'/><con:testStep type='groovy' name='G'/>
            <con:testStep type='request' name='Empty'/>\(property("A", "1"))</con:testCase>\(property("b", "2"))</con:testSuite>
            \(property("d", "4"))
            """
        let collection = try Samples.read(Samples.project(more: suite))
        #expect(collection.warnings == ["1 request is left out: only SOAP is supported here."])
        let requests = collection.requests.dropFirst()
        #expect(requests.map(\.folder) == Array(repeating: ["Suite", "Case"], count: 3))
        #expect(requests.allSatisfy { $0.content == Samples.envelope("1234") && $0.endpoint == "http://step/" })
        #expect(requests.map(\.operation) == ["Operation", "Op", "None"])
        #expect(
            requests.map(\.problem) == [
                nil, "It cannot be sent as it is: the project has no interface ‘None’.",
                "It cannot be sent as it is: the interface has no operation ‘None’.",
            ])
    }

    @Test(arguments: [
        ("${=now()}", "‘${=now()}’ is a script, and scripts are not run"),
        ("${#Project#gone}", "‘${#Project#gone}’ has no value in this file"),
        ("${Step#Response#//a[\n<b/>]}", "‘${Step#Response#//a[…}’ has no value in this file"),
        ("${#Project#${#Project#a}}", "‘${#Project#a}’ stands inside another variable"),
        ("${#Project#loop}", "‘${#Project#loop}’ refers to itself, or to variables nested deeper than 8"),
    ]) func variablesWithoutValueAreProblems(text: String, problem: String) throws {
        let properties = """
            <con:properties><con:property><con:name>a</con:name><con:value>1</con:value></con:property>
            <con:property><con:name>loop</con:name><con:value>${#Project#loop}</con:value></con:property></con:properties>
            """
        let call = "<con:request>\(Samples.escaped(Samples.envelope(text)))</con:request>"
        let request = try Samples.read(Samples.project(call: call, more: properties)).requests.first
        #expect(request?.problem == "It cannot be sent as it is: \(problem).")
        #expect(request?.content == Samples.envelope(text))
    }

    @Test func twoDollarSignsAreOne() throws {
        let call = "<con:request>\(Samples.escaped(Samples.envelope("$${a} $$ ${} $5 {b} ${")))</con:request>"
        let request = try #require(try Samples.read(Samples.project(call: call)).requests.first)
        #expect(request.problem == nil && request.content == Samples.envelope("${a} $$ ${} $5 {b} ${"))
    }

    @Test func escapesOfCarriageReturnsAreUndone() throws {
        let call = "<con:request>\(Samples.escaped(Samples.envelope("a\\r\nC:\\reports \\_r")))</con:request>"
        #expect(
            try Samples.read(Samples.project(call: call)).requests.first?.content
                == Samples.envelope("a\nC:\\reports \\r"))
    }

    @Test func accountsAreRead() throws {
        func request(_ credentials: String) throws -> RequestCollection.Request? {
            let call = "<con:request>\(Samples.escaped(Samples.envelope()))</con:request>"
            return try Samples.read(Samples.project(call: call + "<con:credentials>\(credentials)</con:credentials>"))
                .requests.first
        }
        let name = "<con:username>u</con:username><con:password>p</con:password>"
        let plain = try request(name)
        #expect(plain?.user == "u" && plain?.password == "p")
        #expect(try request(name + "<con:domain>D</con:domain>")?.user == "D\\u")
        #expect(try request(name + "<con:authType>No Authorization</con:authType>")?.user == nil)
        let unknown = try request("<con:username>u</con:username><con:password>a${hidden}</con:password>")
        #expect(
            unknown?.problem == "It cannot be sent as it is: a variable in the password has no value in this file.")
    }

    @Test func whatIsNotTakenOverIsSaid() throws {
        let more = """
            <con:interface name='Rest' type='rest'/><con:interface name='R2' i:type='con:RestService'
            xmlns:i='http://www.w3.org/2001/XMLSchema-instance'/>
            """
        let collection = try Samples.read(
            Samples.project(
                call: "<con:request>\(Samples.escaped(Samples.envelope()))</con:request><con:attachment/>",
                attributes: "sslKeystore='gone.jks' outgoingWss='Sign'", more: more))
        #expect(
            collection.warnings == [
                "The key store “gone.jks” of a request is not among those of the project.",
                "Requests use WS-Security (“Sign”), which is not taken over.",
                "The attachments of requests are not taken over.",
                "The REST service “Rest” is left out: only SOAP is supported here.",
                "The REST service “R2” is left out: only SOAP is supported here.",
            ])
    }

    @Test(arguments: [
        ("", "it has no message"), ("<con:request> </con:request>", "it has no message"),
        ("<con:request>&lt;a/></con:request>", "its message is not a SOAP envelope"),
        (
            "<con:request compression='gzip'>H4sI</con:request>",
            "its message is compressed; switch that off in SoapUI, and save the project again; it has no message"
        ),
    ]) func messagesThatCannotBeUsedAreProblems(call: String, problem: String) throws {
        let request = try Samples.read(Samples.project(call: call)).requests.first
        #expect(request?.problem == "It cannot be sent as it is: \(problem).")
    }

    @Test func keyStoresAreFoundByTheLastPartOfTheirPath() throws {
        let stores = """
            <con:wssContainer><con:crypto><con:source>C:\\keys\\a.p12</con:source><con:password>${#Project#pw}</con:password>
            <con:defaultAlias>me</con:defaultAlias><con:aliasPassword>k</con:aliasPassword></con:crypto>
            <con:crypto><con:source>/keys/${gone}.jks</con:source><con:type>TRUSTSTORE</con:type></con:crypto><con:crypto/>
            </con:wssContainer><con:properties><con:property><con:name>PW</con:name><con:value>s</con:value></con:property></con:properties>
            """
        let collection = try Samples.read(Samples.project(attributes: "sslKeystore='a.p12'", more: stores))
        #expect(collection.requests.first?.keyStore == "C:\\keys\\a.p12")
        let store = try #require(collection.keyStores.first)
        #expect(store.password == "s" && store.alias == "me" && store.aliasPassword == "k" && store.type == nil)
        #expect(collection.keyStores.map(\.path) == ["C:\\keys\\a.p12", "/keys/${gone}.jks"])
        #expect(
            collection.warnings == [
                "The path or a password of the key store “/keys/${gone}.jks” has variables without a value."
            ])
    }

    @Test func onlySoManyKeyStoresAreTaken() throws {
        let stores = (0..<150).map { "<con:crypto><con:source>\($0).p12</con:source></con:crypto>" }.joined()
        let collection = try Samples.read(Samples.project(more: "<con:wssContainer>\(stores)</con:wssContainer>"))
        #expect(collection.keyStores.count == 100)
        #expect(collection.warnings == ["Of the key stores, only the first 100 are taken over."])
    }

    @Test func otherDocumentsAreRefused() {
        let encrypted = Samples.project(more: "<con:encryptedContent>U2Fs</con:encryptedContent>")
        #expect(Samples.error(encrypted)?.code == .encrypted)
        #expect(Samples.error("<definitions/>")?.code == .unknownFormat)
        let workspace = "<soapui-workspace xmlns='http://eviware.com/soapui/config'/>"
        #expect(Samples.error(workspace)?.message.contains("choose the file of a project") == true)
        #expect(Samples.error("<a>")?.code == .malformed)
        #expect(Samples.error("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>")?.code == .malformed)
        let deep = String(repeating: "<a>", count: 300) + String(repeating: "</a>", count: 300)
        #expect(Samples.error(deep)?.code == .limitExceeded)
    }
}

@Suite struct PostmanTests {
    @Test func aCollectionIsRead() throws {
        let collection = try RequestCollection(try Samples.file("WebEase.postman_collection.json"), name: "file")
        #expect(collection.name == "WebEase diary" && collection.kind == .postman)
        #expect(collection.warnings == ["1 request is left out: only SOAP is supported here."])
        let request = try #require(collection.requests.first)
        #expect(collection.requests.count == 1 && request.name == "Entries of March" && request.folder == ["Diary"])
        #expect(request.endpoint == "https://localhost:8443/soap" && request.problem == nil)
        #expect(request.action == "" && request.isSOAP12 == false && request.operation == nil)
        #expect(request.content?.contains("<patientId>P-100</patientId>") == true)
        #expect(request.content?.hasSuffix("</soap:Envelope>") == true)
        #expect(request.user == "nurse" && request.password == "open-P-100")
    }

    @Test func version20IsRead() throws {
        let text = Samples.postman(
            Samples.envelope(),
            #", "header": "Content-Type: text/xml\r\nsoapaction : \"urn:a\"\n\nbad", "auth": {"type": "basic", "basic": {"username": "u", "password": 12}}"#
        )
        let request = try #require(try Samples.read(text).requests.first)
        #expect(request.action == "urn:a" && request.user == "u" && request.password == "12")
        #expect(request.endpoint == "http://x/")
        #expect(try Samples.read("{\"collection\": \(text)}").requests.first == request)
    }

    @Test func theInnermostValueAndAccountCount() throws {
        let text = """
            {"info": {}, "auth": {"type": "basic", "basic": [{"key": "username", "value": "outer"}]},
             "variable": [{"key": "a", "value": "1"}, {"id": "b", "value": true}, {"key": "b", "value": "x", "disabled": true}],
             "item": [{"name": "F", "variable": [{"key": "a", "value": "2"}], "auth": {"type": "noauth"}, "item": [
               {"name": "R", "request": {"auth": null, "body": {"mode": "raw", "raw": \(Samples.quoted(Samples.envelope("{{ a }}{{b}}")))}}},
               {"name": "S", "request": {"auth": {"type": "bearer"}, "body": {"mode": "raw", "raw": \(Samples.quoted(Samples.envelope()))}}}]},
               {"request": {"auth": null, "body": {"mode": "raw", "raw": \(Samples.quoted(Samples.envelope("{{a}}")))}}}]}
            """
        let collection = try Samples.read(text)
        #expect(collection.name == "file")
        #expect(collection.requests.map(\.content) == ["2true", "<q/>", "1"].map { Samples.envelope($0) })
        #expect(collection.requests.map(\.user) == [nil, nil, "outer"])
        #expect(collection.requests.map(\.name) == ["R", "S", "Request"])
        #expect(collection.warnings == ["Requests prove who sends them by “bearer”, which is not taken over."])
    }

    @Test(arguments: [
        ("{{x}}", "‘{{x}}’ has no value in this file"), ("{{$guid}}", "‘{{$guid}}’ has no value in this file"),
        ("{{x}}{{x}}{{y}}", "‘{{x}}’ has no value in this file; ‘{{y}}’ has no value in this file"),
        ("{{loop}}", "‘{{loop}}’ refers to itself, or to variables nested deeper than 8"),
    ]) func variablesWithoutValueAreProblems(text: String, problem: String) throws {
        let variables = #"[{"key": "loop", "value": "{{loop}}"}]"#
        let request = try Samples.read(Samples.postman(Samples.envelope(text), variables: variables)).requests.first
        #expect(request?.problem == "It cannot be sent as it is: \(problem).")
        #expect(request?.content == Samples.envelope(text))
    }

    @Test(arguments: ["{ {x} }", "{{", "}}", "{{}}", "{{ }}", "{{x", "{x}}", "{{{", "${x}"])
    func otherBracesStay(text: String) throws {
        let request = try #require(try Samples.read(Samples.postman(Samples.envelope(text))).requests.first)
        #expect(request.problem == nil && request.content == Samples.envelope(text))
    }

    @Test func aVariableMayBeTheWholeMessage() throws {
        let variables = "[{\"key\": \"m\", \"value\": \(Samples.quoted("\n \(Samples.envelope())\n"))}]"
        #expect(
            try Samples.read(Samples.postman("{{m}}", variables: variables)).requests.first?.content
                == Samples.envelope())
    }

    @Test(arguments: [
        ("{\"_postman_variable_scope\": \"environment\", \"values\": []}", "environment of Postman"),
        ("{\"order\": [], \"requests\": []}", "version 1"), ("{\"openapi\": \"3.1.0\"}", "neither a collection"),
        ("[]", "neither a collection"), ("{\"info\": {}, \"item\": {}}", "neither a collection"),
        ("{", "line 1, column 2"),
    ]) func otherDocumentsAreRefused(text: String, part: String) throws {
        let error = try #require(Samples.error(text))
        #expect(error.description.hasPrefix("file: ") && error.message.contains(part))
    }
}

@Suite struct BrunoTests {
    @Test func aRequestIsRead() throws {
        let collection = try RequestCollection(try Samples.file("LogEntryQuery.bru"), name: "file")
        #expect(collection.name == "Entries of March" && collection.kind == .bruno && collection.warnings.isEmpty)
        let request = try #require(collection.requests.first)
        #expect(request.name == "Entries of March" && request.folder.isEmpty && request.problem == nil)
        #expect(request.endpoint == "https://localhost:8443/soap" && request.isSOAP12 == true)
        #expect(request.action == "urn:query" && request.user == "nurse" && request.password == "open:P-100")
        #expect(
            request.content == """
                <soap:Envelope xmlns:soap="http://www.w3.org/2003/05/soap-envelope">
                  <soap:Body>
                    <LogEntryQuery xmlns="urn:signet:example:webease:types">
                      <patientId>P-100</patientId>
                    </LogEntryQuery>
                  </soap:Body>
                </soap:Envelope>
                """)
    }

    @Test func valuesAreReadInAllForms() throws {
        let text = """
            post {
              url: http://{{"a b"}}{{a b}}/{{long}}{{one}}{{local}}{{empty}}{{last}}
            }
            body:text {
              \(Samples.envelope("}"))
            }
            vars:pre-request {
              @description('text: with a colon')
              "a b": host
              "with \\"quotes\\" : and colon": x
              ~off: '''
                one: wrong
              '''
              long: '''
                first
                  second:
              '''
              one: '''1'''
              @local: 2
              empty:
              tags: [
                a
              ]
              last: '''no end
            }
            """
        let request = try #require(try Samples.read(text).requests.first)
        #expect(request.content == Samples.envelope("}"))
        #expect(request.endpoint == "http://{{\"a b\"}}host/first\n  second:12'''no end")
        #expect(request.problem == "It cannot be sent as it is: ‘{{\"a b\"}}’ has no value in this file.")
    }

    @Test func anExportedCollectionIsRead() throws {
        let text = """
            {"name": "C", "version": "1", "root": {"request": {"auth": {"mode": "digest", "digest": {"username": "outer", "password": "p"}},
             "vars": {"req": [{"name": "a", "value": "collection", "enabled": true}, {"name": "b", "value": "b"}]}}},
             "environments": [{"name": "test", "variables": [{"name": "a", "value": "environment", "enabled": true},
              {"name": "off", "value": "1", "enabled": false}, {"name": "key", "value": "", "secret": true}]}, {"name": "live", "variables": []}],
             "items": [{"type": "folder", "name": "F", "root": {"request": {"auth": {"mode": "inherit"}, "vars": {"req": [{"name": "b", "value": "folder"}]}}},
              "items": [{"type": "http-request", "name": "R", "request": {"url": "http://x/{{key}}", "method": "POST",
               "headers": [{"name": "SOAPAction", "value": "'urn:{{a}}'", "enabled": true}, {"name": "SOAPAction", "value": "no", "enabled": false}],
               "body": {"mode": "xml", "json": null, "xml": \(Samples.quoted(Samples.envelope("{{a}}{{b}}{{off}}")))}, "auth": {"mode": "inherit"}}}]},
              {"type": "http-request", "name": "S", "request": {"url": "http://x/", "body": {"mode": "json", "xml": \(Samples.quoted(Samples.envelope()))}}},
              {"type": "http-request", "name": "T", "request": {"url": "http://x/", "body": {"mode": "xml", "xml": \(Samples.quoted(Samples.envelope()))},
               "auth": {"mode": "basic", "basic": {"username": "own", "password": null}}}},
              {"type": "js", "name": "script.js", "fileContent": ""}]}
            """
        let collection = try Samples.read(text)
        #expect(
            collection.warnings == [
                "Variables have their values in the environment “test”, the first of 2.",
                "1 request is left out: only SOAP is supported here.",
            ])
        #expect(collection.requests.map(\.name) == ["R", "T"] && collection.name == "C")
        let request = try #require(collection.requests.first)
        #expect(request.folder == ["F"] && request.user == "outer" && request.action == "'urn:environment'")
        #expect(request.content == Samples.envelope("environmentfolder{{off}}"))
        #expect(
            request.problem
                == "It cannot be sent as it is: ‘{{off}}’ has no value in this file; ‘{{key}}’ has no value in this file."
        )
        #expect(collection.requests.last?.user == "own" && collection.requests.last?.password == nil)
    }

    @Test(arguments: [
        ("meta {\n  name: x\n}\n", "settings and no request"), ("vars {\n  a: b\n}\nvars:secret [\n  c\n]", "settings"),
        ("post {\n  url: x\n", "line 1: the block ‘post’ has no end"), ("meta {\n}\nhello\n", "line 3"),
        ("opencollection: 1.0.0\n", "YAML"), ("hello", "no file that can be read"), ("{}{", "JSON"), (" \n", "empty"),
        ("", "empty"),
    ]) func otherFilesAreRefused(text: String, part: String) throws {
        #expect(try #require(Samples.error(text)).message.contains(part))
    }
}

@Suite struct HostileCollectionTests {
    @Test func variablesCannotGrowWithoutEnd() {
        for value in ["x", "", String(repeating: "x", count: 10_000)] {
            var list: [String] = []
            for level in 0..<8 {
                let inner = level == 7 ? value : String(repeating: "{{v\(level + 1)}}", count: 100)
                list.append("{\"key\": \"v\(level)\", \"value\": \"\(inner)\"}")
            }
            let text = Samples.postman(Samples.envelope("{{v0}}"), variables: "[\(list.joined(separator: ","))]")
            #expect(Samples.error(text)?.code == .limitExceeded)
        }
        // One that refers to itself many times.
        let loop = "[{\"key\": \"v\", \"value\": \"\(String(repeating: "{{v}}", count: 100))\"}]"
        #expect(Samples.error(Samples.postman(Samples.envelope("{{v}}"), variables: loop))?.code == .limitExceeded)
    }

    @Test func largeTextsCannotBeRepeatedWithoutEnd() {
        let call = "<con:call><con:request>&lt;a/></con:request></con:call>"
        let text = Samples.project(more: "").replacing(
            "http://first/", with: String(repeating: "x", count: 1 << 20)
        ).replacing("</con:operation>", with: String(repeating: call, count: 100) + "</con:operation>")
        #expect(Samples.error(text)?.code == .limitExceeded)
    }

    @Test func unfinishedVariablesTakeLinearTime() throws {
        for text in ["{{", "{{a", "}}", "{", "{{}}", "{{a}"] {
            let body = Samples.envelope(String(repeating: text, count: 100_000))
            #expect(try Samples.read(Samples.postman(body)).requests.count == 1)
        }
        for text in ["${", "$", "$$", "${a", "$${", "}"] {
            let body = Samples.envelope(String(repeating: text, count: 100_000))
            let call = "<con:request>\(Samples.escaped(body))</con:request>"
            #expect(try Samples.read(Samples.project(call: call)).requests.count == 1)
        }
    }

    @Test func largeFilesAndManyRequestsAreRefused() {
        #expect(Samples.error([UInt8](repeating: 0x20, count: 32 << 20 + 1))?.code == .limitExceeded)
        let item = "{\"request\": {\"body\": {\"mode\": \"raw\", \"raw\": \(Samples.quoted(Samples.envelope("")))}}}"
        func collection(_ count: Int) -> String {
            "{\"info\": {}, \"item\": [\(Array(repeating: item, count: count).joined(separator: ","))]}"
        }
        #expect(Samples.error(collection(10_000)) == nil)
        #expect(Samples.error(collection(10_001))?.code == .limitExceeded)
        let calls = String(repeating: "<con:call/>", count: 10_001)
        #expect(
            Samples.error(Samples.project().replacing("</con:operation>", with: "\(calls)</con:operation>"))?.code
                == .limitExceeded)
        #expect(Samples.error("post {" + String(repeating: "\n", count: 500_000))?.code == .limitExceeded)
        let many = "<con:properties>\(String(repeating: "<con:property/>", count: 50_001))</con:properties>"
        #expect(Samples.error(Samples.project(more: many))?.code == .limitExceeded)
    }

    @Test(arguments: ["item", "items"]) func deepFoldersAreRefused(name: String) throws {
        func nested(_ depth: Int) -> String {
            "{\"info\": {}, \"\(name)\": [" + String(repeating: "{\"\(name)\": [", count: depth)
                + String(repeating: "]}", count: depth) + "]}"
        }
        #expect(Samples.error(nested(60)) == nil)
        #expect(Samples.error(nested(64))?.code == .limitExceeded)
        #expect(Samples.error(nested(100_000))?.code == .limitExceeded)
    }

    @Test(arguments: Samples.files) func filesThatAreCutOffDoNotTrap(name: String) throws {
        let content = try Samples.file(name)
        var accepted = 0
        for length in 0..<content.count where Samples.error(Array(content.prefix(length))) == nil { accepted += 1 }
        // A file of Bruno may end behind each of its blocks.
        #expect(name.hasSuffix(".bru") || accepted <= 1)
    }

    @Test(arguments: Samples.files) func changedFilesDoNotTrap(name: String) throws {
        let content = try Samples.file(name)
        var state: UInt64 = 7
        func random(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % max(limit, 1)
        }
        for _ in 0..<2_000 {
            var changed = content
            for _ in 0...random(4) {
                let place = random(changed.count)
                switch random(3) {
                case 0: changed[place] = UInt8(random(256))
                case 1: changed.removeSubrange(place..<min(place + random(40), changed.count))
                default:
                    let other = random(content.count)
                    changed.insert(contentsOf: content[other..<min(other + random(40), content.count)], at: place)
                }
                if changed.isEmpty { changed = [0x7B] }
            }
            _ = Samples.error(changed)
        }
    }

    /// Each value in a document of JSON is replaced by values of every kind.
    @Test func wrongTypesDoNotTrap() throws {
        let bruno = """
            {"name": "C", "items": [{"name": "F", "root": {"request": {"auth": {"mode": "basic", "basic": {}}, "vars": {"req": [{"name": "a", "value": "b"}]}}},
             "items": [{"name": "R", "request": {"url": "u", "headers": [{"name": "a", "value": "b"}], "body": {"mode": "xml", "xml": "<a/>"},
             "auth": {"mode": "basic", "basic": {"username": "a"}}}}]}], "environments": [{"name": "e", "variables": [{"name": "a", "value": "b"}]}]}
            """
        let postman = String(decoding: try Samples.file("WebEase.postman_collection.json"), as: UTF8.self)
        for text in [bruno, postman] {
            let document = try JSONSerialization.jsonObject(with: Data(text.utf8))
            for wrong: Any in [NSNull(), 1, true, "text", ["a"], ["a": 1], [[String: Any]]()] {
                for path in paths(in: document) {
                    let changed = try JSONSerialization.data(withJSONObject: replacing(document, path[...], wrong))
                    _ = Samples.error([UInt8](changed))
                }
            }
        }
    }

    private func paths(in value: Any) -> [[String]] {
        var paths: [[String]] = []
        if let object = value as? [String: Any] {
            for (name, inner) in object {
                paths.append([name])
                paths += self.paths(in: inner).map { [name] + $0 }
            }
        } else if let array = value as? [Any] {
            for (index, inner) in array.enumerated() {
                paths.append(["\(index)"])
                paths += self.paths(in: inner).map { ["\(index)"] + $0 }
            }
        }
        return paths
    }

    private func replacing(_ value: Any, _ path: ArraySlice<String>, _ wrong: Any) -> Any {
        guard let first = path.first else { return wrong }
        if var object = value as? [String: Any], let inner = object[first] {
            object[first] = replacing(inner, path.dropFirst(), wrong)
            return object
        }
        if var array = value as? [Any], let index = Int(first), array.indices.contains(index) {
            array[index] = replacing(array[index], path.dropFirst(), wrong)
            return array
        }
        return value
    }

    @Test(arguments: Samples.files) func aMarkAndLineBreaksOfWindowsChangeNothing(name: String) throws {
        let content = try Samples.file(name)
        let plain = try RequestCollection(content, name: "file")
        let marked = try RequestCollection([0xEF, 0xBB, 0xBF] + content, name: "file")
        #expect(marked.requests == plain.requests && marked.keyStores == plain.keyStores)
        var windows: [UInt8] = []
        for byte in content { windows += byte == 0x0A ? [0x0D, 0x0A] : [byte] }
        #expect(try RequestCollection(windows, name: "file").requests == plain.requests)
    }

    @Test func invalidTextIsRefused() throws {
        for start in ["{\"info\": \"", "post {\n", "<a>", ""] {
            #expect(Samples.error(Array(start.utf8) + [0xC3, 0x28, 0xFF]) != nil)
        }
        #expect(Samples.error([0x50, 0x4B, 0x03, 0x04, 0x00])?.code == .unknownFormat)
        // Projects may be in other encodings.
        let text = String(decoding: try Samples.file("WebEase-soapui-project.xml"), as: UTF8.self)
        let wide = text.replacing("UTF-8\"?>", with: "UTF-16\"?>").utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(try RequestCollection([0xFF, 0xFE] + wide, name: "file").requests.count == 2)
    }

    @Test func secretsAreNotShown() throws {
        for name in Samples.files {
            let collection = try RequestCollection(try Samples.file(name), name: "file")
            var shown = "\(collection) \(collection.requests) \(collection.keyStores)"
            dump(collection, to: &shown)
            dump(collection.requests, to: &shown)
            dump(collection.keyStores, to: &shown)
            #expect(!shown.contains("open-") && !shown.contains("open:") && !shown.contains("P-100"))
            #expect(shown.contains("Entries of March"))
        }
    }

    @Test func namesCannotControlATerminal() throws {
        let collection = try Samples.read(
            Samples.project(more: "<con:interface type='rest' name='\u{202E}a&#10;b'/>"))
        #expect(
            collection.warnings == ["The REST service “\\u{202E}a b” is left out: only SOAP is supported here."])
    }
}

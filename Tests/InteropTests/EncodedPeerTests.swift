import CorpusFiles
import Foundation
import Signet
import SignetDynamic
import SignetServer
import SignetTesting
import Synchronization
import Testing

#if CORPUS
import CorpusServices
#endif

/// Messages in SOAP's encoding (SOAP 1.1 §5), as the SoapBuilders tried them in their second round, exchanged with PHP
/// and with Axis 1.4, in both directions.
@Suite(.serialized) struct EncodedPeerTests {
    #if CORPUS
    private static let path = "wsdl/sb-r2-base/round2_base.wsdl"
    private static let names = [
        "String", "StringArray", "Integer", "IntegerArray", "Struct", "StructArray", "Base64", "Decimal", "Boolean",
    ]

    /// Gives back the values that it receives, except those that the test tells it to refuse.
    private struct Echoes: SoapBuilders.Service {
        func echoString(_ input: SoapBuilders.EchoString, _ context: OperationContext)
            -> SoapBuilders.EchoStringResponse
        { .init(outputString: input.inputString) }
        func echoStringArray(
            _ input: SoapBuilders.EchoStringArray, _ context: OperationContext
        ) -> SoapBuilders.EchoStringArrayResponse { .init(outputStringArray: input.inputStringArray) }
        func echoInteger(
            _ input: SoapBuilders.EchoInteger, _ context: OperationContext
        ) -> SoapBuilders.EchoIntegerResponse { .init(outputInteger: input.inputInteger) }
        func echoIntegerArray(
            _ input: SoapBuilders.EchoIntegerArray, _ context: OperationContext
        ) -> SoapBuilders.EchoIntegerArrayResponse { .init(outputIntegerArray: input.inputIntegerArray) }
        func echoStruct(_ input: SoapBuilders.EchoStruct, _ context: OperationContext)
            -> SoapBuilders.EchoStructResponse
        { .init(outputStruct: input.inputStruct) }
        func echoStructArray(
            _ input: SoapBuilders.EchoStructArray, _ context: OperationContext
        ) -> SoapBuilders.EchoStructArrayResponse { .init(outputStructArray: input.inputStructArray) }
        func echoVoid(_ input: SoapBuilders.EchoVoid, _ context: OperationContext) -> SoapBuilders.EchoVoidResponse {
            .init()
        }
        func echoBase64(_ input: SoapBuilders.EchoBase64, _ context: OperationContext)
            -> SoapBuilders.EchoBase64Response
        { .init(outputBase64: input.inputBase64) }
        func echoDecimal(
            _ input: SoapBuilders.EchoDecimal, _ context: OperationContext
        ) -> SoapBuilders.EchoDecimalResponse { .init(outputDecimal: input.inputDecimal) }
        func echoBoolean(
            _ input: SoapBuilders.EchoBoolean, _ context: OperationContext
        ) -> SoapBuilders.EchoBooleanResponse { .init(outputBoolean: input.inputBoolean) }
    }

    /// Calls every operation of a peer.
    private func callAll(_ url: String) async throws {
        let client = SoapBuilders.Client(try ServiceConfiguration(url))
        let texts = SoapBuilders.ArrayOfstring(["a", nil, "Grüße & <Küsse>"])
        let one = SoapBuilders.SoapStruct(varString: "eins & <zwei>", varInt: 1, varFloat: 1.5)
        let two = SoapBuilders.SoapStruct(varString: "", varInt: -2, varFloat: 0)
        let structs = SoapBuilders.ArrayOfsoapStruct([one, two, one])
        let decimal = try #require(XSDDecimal.init("123456789012345678901.5"))
        #expect(
            try await client.echoString(.init(inputString: "Grüße & <Küsse>")).outputString == "Grüße & <Küsse>")
        #expect(try await client.echoStringArray(.init(inputStringArray: texts)).outputStringArray == texts)
        #expect(try await client.echoInteger(.init(inputInteger: -7)).outputInteger == -7)
        #expect(
            try await client.echoIntegerArray(.init(inputIntegerArray: .init([1, 2, 3]))).outputIntegerArray?.items
                == [1, 2, 3])
        #expect(try await client.echoStruct(.init(inputStruct: one)).outputStruct == one)
        #expect(try await client.echoStructArray(.init(inputStructArray: structs)).outputStructArray == structs)
        #expect(try await client.echoVoid(.init()) == .init())
        #expect(
            try await client.echoBase64(.init(inputBase64: .init([0, 1, 255]))).outputBase64 == .init([0, 1, 255]))
        #expect(try await client.echoDecimal(.init(inputDecimal: decimal)).outputDecimal == decimal)
        #expect(try await client.echoBoolean(.init(inputBoolean: true)).outputBoolean)
        try await client.shutdown()
    }

    /// Calls a peer without generated code.
    private func callDynamically(_ url: String, _ wsdl: URL) async throws {
        let configuration = try ServiceConfiguration(url)
        let transport = try configuration.makeTransport()
        let service = try DynamicService(contentsOfFile: wsdl.path(percentEncoded: false))
        let client = DynamicClient(service, ServiceCaller(endpoint: configuration.endpoint, transport: transport))
        func echo(_ name: String, _ json: String) async throws -> DynamicValue? {
            try await client.call("echo\(name)", try DynamicValue(json: "{\"input\(name)\":\(json)}"))[
                "output\(name)"]
        }
        let values = [
            ("String", #""Grüße & <Küsse>""#), ("StringArray", #"["a",null,"b"]"#), ("Integer", "-7"),
            ("IntegerArray", "[1,2,3]"), ("Boolean", "true"), ("Base64", #""AAH/""#),
        ]
        for (name, json) in values { #expect(try await echo(name, json)?.json() == json) }
        let structs = try await echo(
            "StructArray",
            #"[{"varString":"a","varInt":1,"varFloat":1.5},{"varString":"b","varInt":-2,"varFloat":2.5}]"#)
        #expect(structs?[1]?["varString"] == "b")
        #expect(structs?[1]?["varInt"] == -2)
        #expect(structs?[0]?["varFloat"]?.json() == "1.5")
        try await transport.shutdown()
    }

    /// Runs a service of Signet, on loopback and without TLS, as long as `body` runs.
    private func serve(_ body: @Sendable @escaping (_ url: String) async throws -> Void) async throws {
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer.withoutTLS(SoapBuilders.dispatcher(Echoes()), path: "/echo", settings: settings)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run { port.yield($0) } }
            var iterator = ports.makeAsyncIterator()
            let number = try #require(await iterator.next())
            do { try await body("http://127.0.0.1:\(number)/echo") } catch {
                group.cancelAll()
                throw error
            }
            group.cancelAll()
        }
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func PHPAnswers() async throws {
        let wsdl = try Corpus.file(Self.path)
        try await PHPService(script: "echo_server.php", wsdl: wsdl).run { port in
            let url = "http://127.0.0.1:\(port)/"
            try await callAll(url)
            try await callDynamically(url, wsdl)
            let client = SoapBuilders.Client(try ServiceConfiguration(url))
            let fault = await #expect(throws: SOAPFault.self) {
                try await client.echoString(.init(inputString: "fault"))
            }
            #expect(fault?.reason == "asked for")
            try await client.shutdown()
        }
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func PHPCalls() async throws {
        let wsdl = try Corpus.file(Self.path)
        try await serve { url in
            let result = try await PeerProcess.output(
                of: .init(
                    program: "php",
                    arguments: [
                        PeerFile.url("echo_client.php").path(percentEncoded: false),
                        wsdl.path(percentEncoded: false),
                        url,
                    ]))
            #expect(result.output == Self.names.map { "same \($0)\n" }.joined(), "\(result.error)")
        }
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func AxisAnswers() async throws {
        let wsdl = try Corpus.file(Self.path)
        let axis = try await AxisPeer()
        defer { axis.remove() }
        try await axis.serve { url in
            try await callAll(url)
            try await callDynamically(url, wsdl)
        }
    }

    @Test func AxisCalls() async throws {
        let axis = try await AxisPeer()
        defer { axis.remove() }
        try await serve { url in
            let lines = try await axis.callAll(url)
            #expect(lines == Self.names.map { "same \($0)\n" }.joined())
        }
    }

    @Test func AxisCallsOverMutualTLS() async throws {
        let axis = try await AxisPeer()
        defer { axis.remove() }
        let authority = try CertificateAuthority()
        let files = try IdentityFiles()
        try await files.write(try authority.issueClient(commonName: "axis"), as: "client")
        try await files.write(try CertificateAuthority().issueClient(commonName: "axis"), as: "stranger")
        try files.write(authority.bundle.certificates, as: "authority.pem")
        let callers = Callers()
        var dispatcher = SoapBuilders.dispatcher(Echoes())
        dispatcher.middlewares = [callers]
        try await MutualTLSService.run(dispatcher, authority: authority) { url async throws in
            let known = try await JavaProgram.tls(files, as: "client", authority: "authority.pem")
            let lines = try await axis.callAll(url, properties: known)
            #expect(lines == Self.names.map { "same \($0)\n" }.joined())
            #expect(callers.subjects.withLock { $0 } == Array(repeating: "CN=axis", count: Self.names.count))
            let unknown = try await JavaProgram.tls(files, as: "stranger", authority: "authority.pem")
            #expect(try await !axis.callAll(url, properties: unknown).contains("same"))
            #expect(callers.subjects.withLock { $0.count } == Self.names.count)
        }
    }

    private final class Callers: ServiceMiddleware {
        let subjects = Mutex<[String]>([])

        func intercept(
            _ context: OperationContext, next: @Sendable (OperationContext) async throws -> OperationAnswer
        ) async throws -> OperationAnswer {
            subjects.withLock { $0.append(context.peer.certificateSubject ?? "none") }
            return try await next(context)
        }
    }
    #endif
}

import GreetingService
import Logging
import SignetSOAP
import Testing

@Suite struct RequestVerifierTests {
    private struct Gate: RequestVerifier {
        struct Broken: Error, CustomStringConvertible {
            var description: String { "host db7 is down" }
        }
        static let name = XMLName("urn:gate", "key")
        var understoodHeaderBlocks: Set<XMLName> { [Self.name] }

        func verify(_ context: inout OperationContext) async throws {
            guard let block = context.headerBlocks(Self.name).first else {
                throw RequestRefusal(.client("Locked."), reason: "no key for \(context.operation)")
            }
            if block.fragment.text == "broken" { throw Broken() }
            context.peer.user = block.fragment.text
        }
    }

    private let recorder = Recorder()

    private var dispatcher: ServiceDispatcher {
        var dispatcher = Greeting.dispatcher { _, context in .init(text: context.peer.user ?? "nobody") }
            .verified(by: Gate())
        dispatcher.logger = Logger(label: "test") { [recorder] _ in recorder }
        return dispatcher
    }

    private func respond(_ body: String, key: String? = nil) async -> String {
        let header = key.map {
            "<s:Header><k:key xmlns:k='urn:gate' s:mustUnderstand='1'>\($0)</k:key></s:Header>"
        }
        let message = envelope(body, header: header ?? "")
        return String(
            decoding: await dispatcher.respond(to: Array(message.utf8), from: .init()).body.bytes ?? [], as: UTF8.self)
    }

    private let request = "<g:Greet><g:name>n</g:name></g:Greet>"

    @Test func theHandlerSeesTheVerifiedUser() async {
        #expect(await respond(request, key: "ada").contains(">ada<"))
    }

    @Test func onlyTheLogHasTheReasonOfARefusal() async {
        let text = await respond(request)
        #expect(text.contains("<faultstring>Locked.</faultstring>"))
        #expect(recorder.text.contains("no key for Greet"))
        #expect(!text.contains("no key"))
    }

    /// A caller that the verifier refuses must not learn about errors in the body.
    @Test(arguments: ["", "<g:Unknown/>", "<g:Greet/>", "<g:Greet><g:name>", "<g:Greet/></s:Body><s:Body>"])
    func onlyVerifiedCallersLearnOfErrorsInTheBody(body: String) async {
        let refused = await respond(body)
        #expect(refused.contains("Locked."), "\(refused)")
        let told = await respond(body, key: "ada")
        #expect(told.contains("<faultcode>soap:Client</faultcode>") && !told.contains("Locked."), "\(told)")
    }

    @Test func errorsOfTheVerifierAreNotShownToTheCaller() async {
        let text = await respond(request, key: "broken")
        #expect(text.contains("Internal error."))
        #expect(!text.contains("db7"))
        #expect(recorder.text.contains("host db7 is down"))
    }

    @Test func oneWayMessagesAreVerifiedBeforeAcceptance() async {
        let dispatcher = ServiceDispatcher(
            name: "Greeting", versions: [.soap11],
            routes: [Greeting.wave.route { _, _ in Issue.record("the handler ran") }]
        ).verified(by: Gate())
        let message = envelope("<g:Wave><g:name>n</g:name></g:Wave>")
        let answer = await dispatcher.respond(to: Array(message.utf8), from: .init())
        #expect(answer.status == 500)
        #expect(answer.work == nil)
    }

    @Test func theVerifierIgnoresABlockForAnotherActor() async {
        let header = "<s:Header><k:key xmlns:k='urn:gate' s:actor='urn:other'>ada</k:key></s:Header>"
        let message = envelope(request, header: header)
        let answer = await dispatcher.respond(to: Array(message.utf8), from: .init())
        #expect(String(decoding: answer.body.bytes ?? [], as: UTF8.self).contains("Locked."))
    }
}

import ReferenceServices
import Signet
import Synchronization
import Testing

/// What a handler may rely on, and what else it may ask for.
@Suite struct CheckedInputTests {
    /// Sends what stands in a body; gives the answer and whether a handler ran.
    private func call(
        _ content: String, _ change: (inout ServiceDispatcher) -> Void = { _ in }
    ) async -> (text: String, hasRun: Bool) {
        let count = Mutex(0)
        let note: @Sendable () -> Void = { count.withLock { $0 += 1 } }
        var dispatcher = ServiceDispatcher(
            name: "All", versions: [.soap11],
            routes: [
                Parcels.Operations.lost.route { _, _ in note() },
                WebEase.Operations.logEntryQuery.route { _, _ in
                    note()
                    return .init(truncated: false)
                },
                TaxNumbers.Operations.check.route { _, _ in
                    note()
                    throw SOAPFault.server("Busy.")
                },
            ])
        change(&dispatcher)
        let message =
            "<s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body>\(content)</s:Body></s:Envelope>"
        let answer = await dispatcher.respond(to: Array(message.utf8), from: .init())
        await answer.work?()
        return (String(decoding: answer.body.bytes ?? [], as: UTF8.self), count.withLock { $0 > 0 })
    }

    private static func lost(_ content: String) -> String {
        "<lost xmlns='urn:signet:example:parcels:types'>\(content)</lost>"
    }

    private static func query(_ kind: String) -> String {
        """
        <LogEntryQuery xmlns='urn:signet:example:webease:types'><patientId>P</patientId><kind>Manual</kind>\
        <kind>\(kind)</kind></LogEntryQuery>
        """
    }

    private static func check(_ country: String, language: String = "en") -> String {
        """
        <t:check xmlns:t='urn:signet:example:taxnumbers:types' t:requestID='1' lang='\(language)'>\
        <t:countryCode>\(country)</t:countryCode><t:VATNumber>hunter2</t:VATNumber></t:check>
        """
    }

    @Test func anEmptyRequiredListIsRefused() async {
        let empty = await call(Self.lost(""))
        #expect(!empty.hasRun)
        #expect(empty.text.contains("Client</faultcode>"), "\(empty.text)")
        #expect(empty.text.contains("“number” is absent"), "\(empty.text)")
        #expect(await call(Self.lost("<number>1</number>")).hasRun)
        // An operator may know better.
        #expect(await call(Self.lost("")) { $0.tolerance.insert(.missingElement) }.hasRun)
    }

    @Test func theServerChecksFacetsWhenAsked() async {
        let wrong: [(message: String, place: String)] = [
            (Self.query("Guessed"), "kind[2]: the schema names other values"),
            (Self.check("de"), "countryCode: the text"),
            (Self.check("DEU"), "countryCode: the text"), (Self.check("DE", language: "d_e"), "@lang: the text"),
        ]
        for (message, place) in wrong {
            #expect(await call(message).hasRun, "\(place)")
            let checked = await call(message) { $0.checksInput = true }
            #expect(!checked.hasRun, "\(place)")
            #expect(checked.text.contains("Client</faultcode>"))
            #expect(checked.text.contains(place), "\(checked.text)")
        }
        for message in [Self.query("Device"), Self.check("DE"), Self.lost("<number>1</number>")] {
            #expect(await call(message) { $0.checksInput = true }.hasRun, "\(message)")
        }
        let both = await call(Self.check("de", language: "d_e")) { $0.checksInput = true }
        #expect(both.text.contains("(and 1 more)"), "\(both.text)")
        // The error names the place, and not the value.
        #expect(!both.text.contains("hunter2") && !both.text.contains("d_e"))
    }

    /// A client that is not let in learns nothing of the schema.
    @Test func aVerifierIsAskedBefore() async {
        struct Refusing: RequestVerifier {
            let understoodHeaderBlocks: Set<XMLName> = []
            func verify(_ context: inout OperationContext) async throws {
                throw RequestRefusal(.client("Not you."), reason: "a stranger")
            }
        }
        for message in [Self.lost(""), Self.check("de")] {
            let answer = await call(message) {
                $0.checksInput = true
                $0.verifiers = [Refusing()]
            }
            #expect(answer.text.contains("Not you."), "\(answer.text)")
            #expect(!answer.hasRun)
        }
    }
}

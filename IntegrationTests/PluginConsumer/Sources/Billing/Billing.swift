import Shared
import SignetSOAP

/// Calls both generated services in this process and prints what came back.
@main
struct Billing {
    static func main() async throws {
        let invoices = Invoices.Client(try .inProcess(Invoices.dispatcher(Ledger())))
        let address = Invoices.Postal.Address(street: "Rue Haute 7", country: .init(code: "BE"))
        let answer = try await invoices.issue(
            .init(recipient: .init(mail: "a@example.org", postal: address), amount: XSDDecimal(19)))
        print("invoice \(answer.number) to \(answer.sentTo.street), \(answer.sentTo.country.code)")

        let rates = ExchangeRates.Client(try .inProcess(ExchangeRates.dispatcher(Bank())))
        let rate = try await rates.rate(.init(currency: Shared.currency))
        print("rate \(rate.rate)")
    }
}

struct Ledger: Invoices.Service {
    func issue(_ input: Invoices.Issue, _ context: OperationContext) async throws -> Invoices.IssueResponse {
        guard let postal = input.recipient.postal else { throw SOAPFault.client("There is no postal address.") }
        return .init(number: 4711, sentTo: postal)
    }

    func cancel(_ input: Invoices.Cancel, _ context: OperationContext) async throws -> Invoices.CancelResponse {
        .init()
    }
}

struct Bank: ExchangeRates.Service {
    func rate(_ input: ExchangeRates.Rate, _ context: OperationContext) async throws -> ExchangeRates.RateResponse {
        .init(rate: XSDDecimal(input.currency == Shared.currency ? 1 : 0))
    }
}

/// Carries messages to a service without a network; a product of its own, SignetTesting, has the same and needs more.
struct InProcess: ClientTransport {
    let dispatcher: ServiceDispatcher

    func send(_ request: ClientRequest) async throws -> ClientResponse {
        let answer = await dispatcher.respond(to: request.body.bytes ?? [], from: .init())
        var response = ClientResponse(status: .init(code: answer.status), body: answer.body.bytes ?? [])
        response.fields[.contentType] = answer.contentType
        return response
    }

    func shutdown() async throws {}
}

extension ServiceCaller {
    static func inProcess(_ dispatcher: ServiceDispatcher) throws -> ServiceCaller {
        ServiceCaller(endpoint: try Endpoint("http://localhost/"), transport: InProcess(dispatcher: dispatcher))
    }
}

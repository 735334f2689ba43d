import Shared
import SignetSOAP

/// Calls both generated services in this process and prints what came back.
@main
struct Billing {
    static func main() async throws {
        let invoices = Invoices.Client(inProcess: Invoices.dispatcher(Ledger()))
        let address = Invoices.Postal.Address(street: "Rue Haute 7", country: .init(code: "BE"))
        let answer = try await invoices.issue(
            .init(recipient: .init(mail: "a@example.org", postal: address), amount: XSDDecimal(19)))
        print("invoice \(answer.number) to \(answer.sentTo.street), \(answer.sentTo.country.code)")

        let rates = ExchangeRates.Client(inProcess: ExchangeRates.dispatcher(Bank()))
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

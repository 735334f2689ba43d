import ReferenceServices
import SignetSOAP
import Testing

/// Runs generated code: messages with every kind of field, through envelopes both ways.
@Suite struct BehaviourTests {
    struct Office: TaxNumbers.Service {
        let answer: TaxNumbers.CheckResult

        func check(_ input: TaxNumbers.Check, _ context: OperationContext) async throws -> TaxNumbers.CheckResult {
            switch input.countryCode {
            case "DE": return answer
            case "FR":
                throw DeclaredFault(
                    TaxNumbers.BusyMessage(detail: .init(seconds: 7)), code: .server, reason: "Too busy.")
            default: throw SOAPFault.client("\(input.requestID), \(input.lang ?? "no language")")
            }
        }

        func ping(_ input: TaxNumbers.Ping, _ context: OperationContext) async throws -> TaxNumbers.Pong { .init() }
    }

    func client(_ answer: TaxNumbers.CheckResult) -> TaxNumbers.Client {
        TaxNumbers.Client(inProcess: TaxNumbers.dispatcher(Office(answer: answer)))
    }

    func smallest() throws -> TaxNumbers.CheckResult {
        .init(requestDate: try #require(XSDDate.init("2026-11-21")), valid: false, default: 0, index: [1])
    }

    func full() throws -> TaxNumbers.CheckResult {
        let flat = TaxNumbers.Address(street: "1 < 2 & 3", kind: .private)
        let house = TaxNumbers.Address(street: "Große Straße", kind: .unrecognized("palace"), within: flat)
        let number = try #require(XSDInteger("-123456789012345678901234567890"))
        return .init(
            requestDate: try #require(XSDDate.init("-0044-03-15+01:00")), valid: true, name: .null,
            address: .value(house),
            companyType: "DE-1", sequence: .init(nameMatch: .value1, cityMatch: .unrecognized("9")), default: number,
            index: [0, 255],
            note: [.init(at: XSDDateTime.init("2026-11-21T00:00:00.5Z"), value: " spaces stay "), .init(value: "")])
    }

    @Test func everyFieldComesBack() async throws {
        for answer in [try smallest(), try full()] {
            let received = try await client(answer).check(.init(countryCode: "DE", vatNumber: "1", requestID: "r"))
            #expect(received == answer)
        }
    }

    @Test func attributesArrive() async throws {
        let client = client(try smallest())
        for lang in [nil, "de"] {
            let fault = await #expect(throws: SOAPFault.self) {
                try await client.check(.init(countryCode: "XX", vatNumber: "1", requestID: "r&\"1\"", lang: lang))
            }
            #expect(fault?.reason == "r&\"1\", \(lang ?? "no language")")
        }
    }

    @Test func declaredFaultsAreTyped() async throws {
        let client = client(try smallest())
        let fault = await #expect(throws: DeclaredFault<TaxNumbers.BusyMessage>.self) {
            try await client.check(.init(countryCode: "FR", vatNumber: "1", requestID: "r"))
        }
        #expect(fault?.detail.detail.seconds == 7)
        #expect(fault?.fault.code == .server)
    }

    @Test func emptyAndSimpleMessagesWork() async throws {
        #expect(try await client(try smallest()).ping(.init(value: "x")) == .init())
    }

    @Test func valuesWithRecursionAreHashable() throws {
        let a = try full()
        var b = a
        #expect(a == b)
        #expect(a.hashValue == b.hashValue)
        b.address = .value(.init(street: "Große Straße", kind: .unrecognized("palace")))
        #expect(a != b)
    }
}

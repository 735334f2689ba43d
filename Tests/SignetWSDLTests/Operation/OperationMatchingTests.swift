import SignetWSDL
import Testing

/// Which operation of a portType each operation of a binding stands for.
@Suite struct OperationMatchingTests {
    /// The names of an operation's messages; nil where the WSDL gives none.
    struct Names: Sendable, CustomStringConvertible {
        var input: String?
        var output: String?

        init(_ input: String? = nil, _ output: String? = nil) { (self.input, self.output) = (input, output) }

        var description: String { "\(input ?? "–") → \(output ?? "–")" }

        fileprivate func element(_ tag: String, _ more: String) -> String {
            let name = tag == "input" ? input : output
            return "<\(tag)\(name.map { " name=\"\($0)\"" } ?? "") \(more)/>"
        }
    }

    private func port(_ portType: [Names], _ binding: [Names]) throws -> ResolvedPort {
        let abstract = portType.map {
            "<operation name=\"Get\">\($0.element("input", "message=\"w:M\""))\($0.element("output", "message=\"w:M\""))"
                + "</operation>"
        }
        let bound = binding.map {
            "<operation name=\"Get\">\($0.element("input", ""))\($0.element("output", ""))</operation>"
        }
        let definitions = try load(
            wsdl(
                "<message name=\"M\"><part name=\"p\" type=\"xs:int\"/></message>"
                    + "<portType name=\"P\">\(abstract.joined())</portType><binding name=\"B\" type=\"w:P\">"
                    + "<soap:binding transport=\"\(Namespaces.soapOverHTTP)\"/>\(bound.joined())</binding>"
                    + "<service name=\"S\"><port name=\"A\" binding=\"w:B\"/></service>"))
        let port = try #require(definitions.services.first?.ports.first)
        return try #require(definitions.resolved(port))
    }

    @Test(arguments: [
        // An operation that is not overloaded needs no names, and wrong ones do no harm.
        ([Names()], [Names()], [0], false), ([Names("a")], [Names("b", "c")], [0], false),
        ([Names()], [Names(), Names()], [0, 0], false),
        // Names of inputs, of outputs, and of both.
        ([Names("a"), Names("b")], [Names("b"), Names("a")], [1, 0], false),
        ([Names(nil, "a"), Names(nil, "b")], [Names(nil, "b"), Names(nil, "a")], [1, 0], false),
        ([Names("a", "x"), Names("a", "y")], [Names("a", "y"), Names("a", "x")], [1, 0], false),
        // Names that the standard makes of the operation's.
        ([Names("a"), Names()], [Names("GetRequest"), Names("a")], [1, 0], false),
        ([Names(nil, "a"), Names()], [Names(nil, "GetResponse"), Names(nil, "a")], [1, 0], false),
        // One without names is what the others leave.
        ([Names("a"), Names("b"), Names("c")], [Names("c"), Names(), Names("a")], [2, 1, 0], false),
        ([Names("a"), Names("b")], [Names("b"), Names("x")], [1, 0], true),
        // Without names, with names that fit all, and with names that fit none, order decides.
        ([Names(), Names()], [Names(), Names()], [0, 1], true),
        ([Names("a"), Names("b")], [Names(), Names()], [0, 1], true),
        ([Names("a"), Names("a")], [Names("a"), Names("a")], [0, 1], true),
        ([Names("a"), Names("b")], [Names("x"), Names("y")], [0, 1], true),
        // A binding may have some of them, where it names them.
        ([Names("a"), Names("b")], [Names("b")], [1], false),
    ])
    func overloadsAreMatchedByNamesThenByOrder(
        portType: [Names], binding: [Names], places: [Int], isRemarked: Bool
    ) throws {
        let port = try port(portType, binding)
        #expect(port.operations.map(\.portTypeIndex) == places)
        #expect(port.operations.map(\.bindingIndex) == Array(binding.indices))
        let remarks = port.operations.flatMap(\.remarks)
        #expect(remarks.map { $0.message.contains("in the order of the portType ‘P’") } == (isRemarked ? [true] : []))
    }

    @Test(arguments: [
        ([Names("a"), Names("b")], [Names()]), ([Names("a"), Names("b")], [Names("x")]),
        ([Names("a"), Names("b")], [Names(), Names(), Names()]),
    ])
    func overloadsThatCannotBeToldApartAreRefused(portType: [Names], binding: [Names]) throws {
        for operation in try port(portType, binding).operations {
            #expect(operation.portTypeIndex == nil && operation.abstract == nil)
            let refusal = #expect(throws: OperationRefusal.self) { try operation.exchange.get() }
            let reason = refusal?.reason ?? ""
            #expect(reason.hasPrefix("it is overloaded"), "\(reason)")
            #expect(reason.contains("‘Get(a → M)’ and ‘Get(b → M)’"), "\(reason)")
        }
    }

    @Test func unboundOverloadsAreReported() throws {
        let unbound = try port([Names("a"), Names("b")], [Names("b")]).unbound
        #expect(unbound.map(\.message) == ["the operation ‘Get’ is not bound; it is left out."])
        #expect(unbound.map(\.isOmission) == [true])
        #expect(try port([Names("a"), Names("b")], []).unbound.count == 2)
        #expect(try port([Names("a"), Names("b")], [Names()]).unbound.isEmpty)
    }

    @Test func namedOverloadsStayWhenAnotherIsAmbiguous() throws {
        let port = try port([Names("a"), Names("b"), Names("c")], [Names("b"), Names()])
        #expect(port.operations.map(\.portTypeIndex) == [1, nil])
    }

    @Test func operationsMissingFromThePortTypeAreRefused() throws {
        let operation = try #require(try port([], [Names()]).operations.first)
        let refusal = #expect(throws: OperationRefusal.self) { try operation.exchange.get() }
        #expect(
            refusal?.sentence(about: "Get") == "the operation ‘Get’ is bound, but the portType ‘P’ does not have it")
        #expect(refusal?.reason == "it is bound, but the portType ‘P’ does not have it")
    }

    @Test(arguments: [
        (["a", "b"], ["a", "b"]), (["a", "a", "a"], ["a", "a2", "a3"]), (["a", "a", "a2"], ["a", "a3", "a2"]),
        (["a", "a2", "a", "a2"], ["a", "a2", "a3", "a22"]), ([], []),
    ])
    func namesAreToldApartByNumbers(names: [String], distinct: [String]) {
        #expect(WSDLDefinitions.distinctNames(names) == distinct)
    }

    /// Work over overloads grows with their number, and not with its third power.
    @Test(.timeLimit(.minutes(10)), arguments: [Names(), Names("a", "b"), Names("a")])
    func manyOverloadsArePaired(names: Names) throws {
        let many = Array(repeating: names, count: 3_000)
        #expect(try port(many, many).operations.map(\.portTypeIndex) == Array(0..<3_000))
        // Where the counts do not agree, all are refused with one text.
        let operations = try port(many, Array(many.dropLast())).operations
        let refused = operations.filter { if case .failure = $0.exchange { true } else { false } }
        #expect(refused.count == 2_999)
    }
}

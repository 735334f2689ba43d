import SignetGeneratorCore
import SignetWSDL
import Testing

/// What is left out without `strict`, and is an error with it; what names something that is not there.
@Suite struct StrictTests {
    private static let two =
        message("<xs:element name=\"x\" type=\"t:Gone\"/>")
        + message("<xs:element name=\"y\" type=\"xs:int\"/>", name: "other")

    private func options(_ change: (inout GeneratorOptions) -> Void) -> GeneratorOptions {
        var options = GeneratorOptions()
        change(&options)
        return options
    }

    @Test func anAbsentTypeIsAnError() throws {
        let wsdl = makeService(operations: ["do", "other"], schema: Self.two)
        let loose = try generateDemo(wsdl)
        #expect(!loose.hasErrors && loose.warnings.contains { $0.message.contains("left out") })
        let strict = try generateDemo(wsdl, options { $0.strict = true })
        #expect(strict.files.isEmpty)
        let error = try #require(strict.errors.first)
        #expect(error.message.contains("Gone") && error.location.line > 0)
        #expect(try !generateDemo(makeService(schema: message("<xs:any/>")), options { $0.strict = true }).hasErrors)
    }

    @Test func constructsThatCannotBeFollowedAreErrors() throws {
        let abstract = "<xs:complexType name=\"A\" abstract=\"true\"/>"
        let wsdl = makeService(schema: message("<xs:element name=\"x\" type=\"t:A\"/>") + abstract)
        #expect(try !generateDemo(wsdl).hasErrors)
        let error = try #require(try generateDemo(wsdl, options { $0.strict = true }).errors.first)
        #expect(error.message.contains("‘strict’"))
    }

    /// A notification, and an operation with a type that is not there, beside one that can be made; alone they are
    /// errors anyway.
    @Test func operationsThatAreLeftOutAreErrors() throws {
        let fine = "<xs:element name=\"x\" type=\"xs:int\"/>"
        let both = makeService(
            operations: ["do", "other"], schema: message(fine) + message(fine, name: "other"))
        let notification = both.replacing("<input message=\"w:other\"/>", with: "")
        let absent = makeService(operations: ["do", "other"], schema: Self.two)
        for (wsdl, word) in [(notification, "notification"), (absent, "Gone")] {
            let error = try #require(try generateDemo(wsdl, options { $0.strict = true }).errors.first)
            #expect(error.message.contains(word) && error.message.contains("‘strict’ makes this an error"), "\(error)")
            #expect(error.message.contains("name the operations to make, with --operations"), "\(error)")
        }
        let alone = makeService(schema: message(fine)).replacing("<input message=\"w:do\"/>", with: "")
        let error = try #require(try generateDemo(alone, options { $0.strict = true }).errors.first)
        #expect(!error.message.contains("‘strict’"), "\(error)")
    }

    /// A port whose address is missing, one of another portType, and a header block that is not there.
    @Test func portsAndHeaderBlocksThatAreLeftOutAreErrors() throws {
        let whole = makeService(schema: message("<xs:element name=\"x\" type=\"xs:int\"/>"))
        let port = "<port name=\"B\"/></service>"
        let other =
            whole.replacing(
                "</service>",
                with: "<port name=\"C\" binding=\"w:C\"><soap:address location=\"http://h/\"/></port></service>"
            )
            .replacing(
                "<service",
                with: """
                    <portType name="Q"/><binding name="C" type="w:Q"><soap:binding transport="\(Namespaces.soapOverHTTP)"/></binding><service
                    """)
        let header = makeService(
            schema: message("<xs:element name=\"x\" type=\"xs:int\"/>"),
            body: "<soap:header message=\"w:do\" part=\"gone\" use=\"literal\"/><soap:body use=\"literal\"/>")
        for (wsdl, name) in [(whole.replacing("</service>", with: port), "Demo"), (other, "‘C’"), (header, "gone")] {
            let loose = try generateDemo(wsdl)
            #expect(
                !loose.hasErrors && loose.warnings.contains { $0.message.contains("left out") }, "\(loose.diagnostics)")
            let error = try #require(try generateDemo(wsdl, options { $0.strict = true }).errors.first)
            #expect(error.message.contains(name) && error.message.contains("‘strict’"), "\(error)")
        }
        // The port that is wanted is named.
        let named = options {
            $0.strict = true
            $0.port = "A"
        }
        #expect(try !generateDemo(other, named).hasErrors)
    }

    @Test func unusedOptionsAreReportedWithTheirPlace() throws {
        let place = SourceLocation(file: "signet-generator-config.yaml", line: 7, column: 3)
        let wsdl = makeService(operations: ["do", "other"], schema: Self.two.replacing("t:Gone", with: "xs:int"))
        let asked = options {
            $0.operations = ["othr"]
            $0.places[.init("operations", "othr")] = place
        }
        let error = try #require(try generateDemo(wsdl, asked).errors.first)
        #expect(error.location == place)
        #expect(error.message.contains("Did you mean ‘other’?"), "\(error)")
        let named = options {
            $0.names = ["othr": "fetch"]
            $0.places[.init("names", "othr")] = place
        }
        #expect(try generateDemo(wsdl, named).warnings.first?.location == place)
    }

    /// What was chosen is not given to one by taking it from another.
    @Test(arguments: [
        ["Entry": "Other"], ["Entry.a": "b"], ["Entry": "entry"], ["Entry.a": "hash"],
        ["Entry": "String"],
    ])
    func namesThatAreTakenOrMisplacedAreErrors(names: [String: String]) throws {
        let result = try generateDemo(makeService(schema: Self.entries), options { $0.names = names })
        #expect(result.files.isEmpty && result.errors.count == 1, "\(result.diagnostics)")
        #expect(result.errors.first?.message.contains(names.values.first ?? "-") == true, "\(result.diagnostics)")
    }

    @Test func unknownPropertyNamesAreWarnings() throws {
        let result = try generateDemo(
            makeService(schema: Self.entries), options { $0.names = ["Entry.ab": "c", "Other.x": "y"] })
        #expect(result.warnings.count == 1 && !result.hasErrors, "\(result.diagnostics)")
        #expect(
            result.warnings.first?.message.contains("‘Entry’ has no ‘ab’. Did you mean ‘a’?") == true,
            "\(result.diagnostics)")
        // To change places is no theft.
        let swapped = try generateDemo(
            makeService(schema: Self.entries),
            options { $0.names = ["Entry.a": "b", "Entry.b": "a", "Entry": "Other", "Other": "Entry"] })
        #expect(swapped.diagnostics.isEmpty && swapped.text.contains("struct Other"), "\(swapped.diagnostics)")
    }

    private static let entries =
        message("<xs:element name='e' type='t:Entry'/><xs:element name='o' type='t:Other'/>")
        + "<xs:complexType name='Entry'><xs:sequence><xs:element name='a' type='xs:int'/><xs:element name='b' type='xs:int'/>"
        + "</xs:sequence></xs:complexType>"
        + "<xs:complexType name='Other'><xs:sequence><xs:element name='x' type='xs:int'/></xs:sequence></xs:complexType>"

    // MARK: Derived types

    private static let records = """
        <xs:complexType name="Record" abstract="true"><xs:sequence><xs:element name="id" type="xs:int"/></xs:sequence></xs:complexType>
        \(["Customer", "Invoice", "Order"].map {
            "<xs:complexType name='\($0)'><xs:complexContent><xs:extension base='t:Record'><xs:sequence>"
                + "<xs:element name='of\($0)' type='t:\($0)Detail'/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>"
                + "<xs:complexType name='\($0)Detail'><xs:sequence><xs:element name='d' type='xs:int'/></xs:sequence></xs:complexType>"
        }.joined())
        """

    private func records(_ derived: DerivedTypes?) throws -> Generator.Result {
        try generateDemo(
            makeService(schema: message("<xs:element name=\"x\" type=\"t:Record\"/>") + Self.records),
            options { $0.derived = derived })
    }

    @Test func listedTypesAreGeneratedWithTheirParts() throws {
        let result = try records(.listed(["Customer", "{urn:t}Invoice"]))
        #expect(result.diagnostics.isEmpty, "\(result.diagnostics)")
        let text = result.text
        #expect(
            text.contains("any RecordProtocol")
                && text.contains("XMLTypeRegistry([Customer.self, Invoice.self, XMLAny.self])"))
        #expect(text.contains("struct CustomerDetail") && text.contains("struct InvoiceDetail"))
        #expect(!text.contains("struct Order") && text.contains("extension XMLAny: Demo.RecordProtocol {}"))
        #expect(try !records(.listed(["Customer", "Invoice", "Order"])).text.contains("XMLAny"))
        #expect(try records(nil).text.contains("struct OrderDetail"))
        #expect(try records(.named).text.contains("public var x: XMLAny"))
    }

    @Test func aListedTypeThatIsNotThereIsAnError() throws {
        let error = try #require(try records(.listed(["Custmer"])).errors.first)
        #expect(error.message.contains("Did you mean ‘Customer’?"), "\(error)")
        #expect(try records(.listed(["CustomerDetail"])).hasErrors, "it is derived from no other")
    }

    @Test func aLargeServiceGetsANoteOnItsCost() throws {
        let types = (0..<400).map { number in
            let fields = (0..<20).map { "<xs:element name='f\($0)' type='xs:int'/>" }.joined()
            return
                "<xs:complexType name='R\(number)'><xs:complexContent><xs:extension base='t:Record'><xs:sequence>\(fields)"
                + "</xs:sequence></xs:extension></xs:complexContent></xs:complexType>"
        }.joined()
        let wsdl = makeService(
            schema: message("<xs:element name=\"x\" type=\"t:Record\"/>") + Self.records + types)
        let note = try #require(try generateDemo(wsdl).diagnostics.first { $0.severity == .note })
        #expect(note.message.contains("lines of Swift") && note.message.contains("‘Record’"), "\(note)")
        #expect(note.message.contains("derived: ["), "\(note)")
        #expect(try generateDemo(wsdl, options { $0.derived = .listed(["Order"]) }).diagnostics.isEmpty)
    }

    // MARK: Documentation of operations

    @Test func operationsDocumentOnlyTheirFaults() throws {
        let wsdl = makeService(schema: message("<xs:element name=\"x\" type=\"xs:int\"/>"))
        #expect(try !generateDemo(wsdl).text.contains("/// The operation do"))
        let fault = wsdl.replacing(
            "<portType", with: "<message name=\"Bad\"><part name=\"p\" element=\"t:Bad\"/></message><portType"
        )
        .replacing(
            "<output message=\"w:doResponse\"/>",
            with: "<output message=\"w:doResponse\"/><fault name=\"f\" message=\"w:Bad\"/>"
        )
        .replacing("</xs:schema>", with: "<xs:element name=\"Bad\"><xs:complexType/></xs:element></xs:schema>")
        let text = try generateDemo(fault).text
        #expect(text.contains("/// - Throws: `DeclaredFault<Bad>`, as the WSDL declares"), "\(text)")
    }

    @Test func thePropertyOfAChoiceHasAChosenName() throws {
        let choice =
            "<xs:choice><xs:element name=\"card\" type=\"xs:int\"/><xs:element name=\"cash\" type=\"xs:int\"/></xs:choice>"
        let named = makeService(
            schema: message("<xs:element name=\"x\" type=\"t:Order\"/>")
                + "<xs:complexType name=\"Order\"><xs:sequence>\(choice)</xs:sequence></xs:complexType>")
        let result = try generateDemo(named, options { $0.names = ["Order.choice": "payment"] })
        #expect(result.diagnostics.isEmpty, "\(result.diagnostics)")
        #expect(result.text.contains("public var payment: OrderChoice"), "\(result.text)")
        let own = try generateDemo(
            makeService(schema: message(choice)), options { $0.names = ["do.choice": "payment"] })
        #expect(own.diagnostics.isEmpty && own.text.contains("public var payment: DoChoice"), "\(own.diagnostics)")
    }
}

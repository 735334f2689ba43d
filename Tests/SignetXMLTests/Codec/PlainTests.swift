import Testing

@_spi(Generated) @testable import SignetXML

private enum Colour: XMLEnumeration {
    case red, green
    case unrecognized(String)

    init(rawValue: String) {
        switch rawValue {
        case "red": self = .red
        case "green": self = .green
        default: self = .unrecognized(rawValue)
        }
    }

    var rawValue: String {
        switch self {
        case .red: "red"
        case .green: "green"
        case .unrecognized(let value): value
        }
    }
}

/// A property of a type in each way in which it may stand, with names shorter than a word, of a word, and longer than
/// two.
private struct Ways<Value: XMLValue>: XMLStructure {
    var one: Value = ._placeholder
    var optional: Value?
    var nillable: Nillable<Value>?
    var many: [Value] = []

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:plain", elements: "a optional? optionalAndNillable? optionalAndNillableAndLong*")
        fields.value(&x.one)
        fields.optionalValue(&x.optional)
        fields.optionalNillableValue(&x.nillable)
        fields.values(&x.many)
    }

    static var names: [String] { ["a", "optional", "optionalAndNillable", "optionalAndNillableAndLong"] }
}

/// A property with a name of so many bytes that they alone are more than is looked at.
private struct Long<Value: XMLValue>: XMLStructure {
    var one: Value = ._placeholder

    static var name: String { String(repeating: "name", count: 16) }

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:plain", elements: name)
        fields.value(&x.one)
    }
}

/// Elements that are read in one go must mean what they mean to the code that reads all others.
@Suite struct PlainTests {
    private static let texts = [
        "", " ", "0", "7", "-7", "+7", "-", "--7", "007", "-0", "12345678", "123456789", "2147483647", "2147483648",
        "-2147483648", "-2147483649", "999999999999999999", "1000000000000000000", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809",
        "123456789012345678901234567890123456789",
        "1.5", "1.50", ".5", "+.5", ".50", "5.", "05.5", "0.0", "-0.0", "1e3", "1E-3", "INF", "-INF", "1:2", "1/2",
        "12a",
        "true", "false", "1", "TRUE", "tru", "truee", "false0", " true ", "2024-02-29", "2023-02-29", "2024-13-01",
        "2024-02-29Z", "2024-02-29+14:00", "2024-02-29+14:01", "-0004-02-29", "0000-01-01", "12024-02-29", "2024-2-29",
        "2024/02/29", "2024-02-2", "2024-02-290", "2024-02-29T23:59:59", "2024-02-29T23:59:59.125Z",
        "2024-02-29T24:00:00",
        "2024-02-29T24:00:01", "2024-02-29T23:60:00", "2024-02-29T23:59:60", "2024-02-29T3:59:59",
        "2024-02-29 23:59:59",
        "2024-02-29T23:59:5:", "20240-02-29T23:59:59-05:30", "AAEC", "AAE=", "AA==", "AB==", "AAE", "A A E C", "AA=C",
        "red", "green", " red", "blue", "eight888", "fifteen fifteen", "sixteen, sixteen", "Frühstück", "数字", "🙂",
        "Nach dem Frühstück", "a]b", "]]>", "a&amp;b", "&lt;", "&#x41;&#66;", "&#x", "&nbsp;", "&",
        "Frühstück &amp; Kaffee]",
        "a\r\nb", "a\rb", "\tx\n", "<![CDATA[x]]>", "x<b/>", "x<!-- -->y", "x<?y?>",
        String(repeating: "long ", count: 40),
        "a<", "a</", "a</a", "a</p:a",
    ]

    private func outcome<Value: XMLValue>(_ document: String, _ type: Value.Type, _ tolerance: XMLTolerance) -> String {
        do {
            return try XMLReader.read(Array(document.utf8), limits: limits) { reader in
                reader.tolerance = tolerance
                try reader.root()
                _ = try reader.nextChild()
                let value = try reader.structure(Ways<Value>.self)
                _ = try reader.nextChild()
                try reader.finish()
                return "\(value.one) \(String(describing: value.optional)) \(String(describing: value.nillable)) "
                    + "\(value.many) \(reader.deviations.map { ($0.code, $0.message) })"
            }
        } catch {
            return "\((error as? XMLError)?.code.description ?? "") \((error as? XMLError)?.message ?? "\(error)")"
        }
    }

    private var limits: XMLLimits {
        var limits = XMLLimits()
        limits.textBytes = 150
        return limits
    }

    /// The same document twice: the second time with tags that no prediction fits.
    private func compare<Value: XMLValue>(_ type: Value.Type, prefixes: [String] = ["p:"]) {
        for prefix in prefixes {
            let declared = prefix.isEmpty ? "xmlns" : "xmlns:\(prefix.dropLast())"
            for text in Self.texts {
                // In the middle of a document, and where nothing but end tags follow.
                for (place, name) in Ways<Value>.names.enumerated() {
                    for rest in ["", String(repeating: " ", count: 100)] {
                        func document(_ mark: String) -> String {
                            let first = place == 0 ? "" : "<\(prefix)a\(mark)>1</\(prefix)a\(mark)>"
                            let again = place == 3 ? 3 : 1
                            let element = "<\(prefix)\(name)\(mark)>\(text)</\(prefix)\(name)\(mark)>"
                            return "<\(prefix)r \(declared)='urn:plain'><\(prefix)s>\(first)"
                                + "\(String(repeating: element, count: again))</\(prefix)s></\(prefix)r>\(rest)"
                        }
                        for tolerance in [XMLTolerance.standard, .lenient] {
                            let plain = outcome(document(""), type, tolerance)
                            let other = outcome(document(" "), type, tolerance)
                            #expect(plain == other, "\(type) \(name) “\(text)” \(prefix) \(rest.count)")
                        }
                    }
                }
            }
        }
    }

    @Test func strings() { compare(String.self, prefixes: ["", "p:", "prefix:", "aPrefixThatIsLong:"]) }
    @Test func booleans() { compare(Bool.self) }
    @Test func integersOf32Bits() { compare(Int32.self, prefixes: ["", "p:"]) }
    @Test func integersOf64Bits() { compare(Int64.self) }
    @Test func integersOfOtherSizes() { compare(UInt16.self) }
    @Test func doubles() { compare(Double.self) }
    @Test func decimals() { compare(XSDDecimal.self) }
    @Test func integers() { compare(XSDInteger.self) }
    @Test func dates() { compare(XSDDate.self) }
    @Test func instants() { compare(XSDDateTime.self) }
    @Test func bytes() { compare(XSDBase64Binary.self) }
    @Test func enumerations() { compare(Colour.self) }

    @Test func optionalOnesThatAreAbsentAreStillExpected() throws {
        // What was looked for and not found must not count as passed over.
        let document = Array(
            """
            <r xmlns='urn:plain'><a>1</a><optional ><!-- --> 2</optional><optionalAndNillable>3</optionalAndNillable>\
            <optionalAndNillableAndLong>4</optionalAndNillableAndLong></r>\(String(repeating: " ", count: 100))
            """.utf8)
        try XMLReader.read(document) { reader in
            reader.tolerance = .strict
            try reader.root()
            let value = try reader.structure(Ways<Int32>.self)
            #expect(value.optional == 2 && value.nillable == .value(3) && value.many == [4])
        }
    }

    @Test func aDocumentMayEndAnywhere() throws {
        for text in ["-123456789012345678", "true", "2024-02-29", "a &amp; b"] {
            let whole = Array(
                "<p:r xmlns:p='urn:plain'><p:\(Long<Int64>.name)>\(text)</p:\(Long<Int64>.name)></p:r>".utf8)
            for length in whole.indices {
                // As an array of its own, so that nothing lies behind the end.
                let cut = Array(whole[..<length])
                func read<Value: XMLValue>(_ type: Value.Type) throws {
                    try XMLReader.read(cut) { reader in
                        try reader.root()
                        _ = try reader.structure(Long<Value>.self)
                    }
                }
                #expect(throws: XMLError.self) { try read(Int64.self) }
                #expect(throws: XMLError.self) { try read(Bool.self) }
                #expect(throws: XMLError.self) { try read(XSDDate.self) }
                #expect(throws: XMLError.self) { try read(String.self) }
            }
        }
    }

    @Test func theTextLimitHoldsForNumbersToo() {
        var limits = XMLLimits()
        limits.textBytes = 2
        let document = Array("<r xmlns='urn:plain'><a>123</a></r>\(String(repeating: " ", count: 100))".utf8)
        let error = #expect(throws: XMLError.self) {
            try XMLReader.read(document, limits: limits) { reader in
                try reader.root()
                _ = try reader.structure(Ways<Int32>.self)
            }
        }
        #expect(error?.code == .textTooLong)
    }

    @Test func duplicateElementsAreReported() throws {
        let document = Array(
            "<r xmlns='urn:plain'><a>1</a><a>2</a></r>\(String(repeating: " ", count: 100))".utf8)
        try XMLReader.read(document) { reader in
            reader.tolerance = .lenient
            try reader.root()
            #expect(try reader.structure(Ways<Int32>.self).one == 1)
            #expect(reader.deviations.map(\.code) == [.duplicate])
        }
    }
}

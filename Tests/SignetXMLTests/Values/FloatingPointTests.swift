import SignetXML
import Testing

/// XML Schema Part 2 §3.2.4, §3.2.5.
@Suite struct FloatingPointTests {
    @Test(arguments: [
        ("-1E4", -1e4, "-1.0E4"), ("1267.43233E12", 1267.43233e12, "1.26743233E15"), ("12.78e-2", 0.1278, "1.278E-1"),
        ("12", 12, "1.2E1"), ("-0", -0.0, "0.0E0"), ("0", 0, "0.0E0"), ("INF", .infinity, "INF"),
        ("-INF", -.infinity, "-INF"),
        ("1", 1, "1.0E0"), ("100000", 1e5, "1.0E5"), (".5", 0.5, "5.0E-1"), ("5.", 5, "5.0E0"), ("+1e+2", 100, "1.0E2"),
        ("1e-5", 1e-5, "1.0E-5"), ("0.00012", 0.00012, "1.2E-4"), ("1E-0", 1, "1.0E0"),
        ("123456789.125", 123456789.125, "1.23456789125E8"),
        ("4.9406564584124654e-324", .leastNonzeroMagnitude, "5.0E-324"), ("0e999999999999999999999", 0, "0.0E0"),
        ("1.7976931348623157e308", .greatestFiniteMagnitude, "1.7976931348623157E308"), ("1e16", 1e16, "1.0E16"),
        ("  7\n", 7, "7.0E0"),
    ])
    func doubles(text: String, value: Double, canonical: String) {
        let read = parse(text, as: Double.self)
        #expect(read == value)
        #expect(read?.sign == value.sign)
        #expect(read?.canonicalForm == canonical)
        // Both forms are in the lexical space and come back.
        #expect(parse(value.lexicalForm, as: Double.self) == value)
        #expect(parse(canonical, as: Double.self) == value)
    }

    @Test(arguments: [
        "", "+INF", "inf", "Infinity", "infinity", "nan", "nan(1)", "NAN", "-NaN", "+NaN", "0x1p3", "1e", "e1", ".",
        "+", "1 2",
        "1e5.0", "1ee5", "1e+", "--1", "1.2.3", "1_000", "1,5", "1d", "1f", "１", "INFINITY", "I", "N", "1e-", "-.e1",
    ])
    func invalidNumbersAreRefused(text: String) {
        #expect(parse(text, as: Double.self) == nil)
        #expect(parse(text, as: Float.self) == nil)
    }

    /// Halfway cases, and mantissas longer than any that matters.
    @Test func rounding() {
        #expect(parse("9007199254740993", as: Double.self) == 9007199254740992)
        #expect(parse("9007199254740993.0000000000000000000000001", as: Double.self) == 9007199254740994)
        #expect(parse("9007199254740995", as: Double.self) == 9007199254740996)
        #expect(parse("16777217", as: Float.self) == 16777216)
        #expect(parse("16777217.000000000000000000000001", as: Float.self) == 16777218)
        // Rounding to Double first would give the wrong neighbour.
        #expect(parse("1.00000017881393432617187499", as: Float.self) == 1.00000011920929)
        #expect(parse("2.4703282292062327e-324", as: Double.self) == 0)
        #expect(parse("2.4703282292062328e-324", as: Double.self) == .leastNonzeroMagnitude)
        #expect(parse("1.7976931348623159e308", as: Double.self) == .infinity)
        #expect(parse("-1e400", as: Double.self) == -.infinity)
        #expect(parse("-1e-400", as: Double.self)?.sign == .minus)
        let zeros = String(repeating: "0", count: 5000)
        #expect(parse("0.\(zeros)1e5001", as: Double.self) == 1)
        #expect(parse("1\(zeros)e-5000", as: Double.self) == 1)
        #expect(parse("9007199254740993.\(zeros)1", as: Double.self) == 9007199254740994)
        #expect(parse("9007199254740993.\(zeros)0", as: Double.self) == 9007199254740992)
        #expect(parse("1e99999999999999999999999", as: Double.self) == .infinity)
        #expect(parse("1e-99999999999999999999999", as: Double.self) == 0)
    }

    @Test func longMantissas() {
        let digits = String(repeating: "3", count: 1_000_000)
        #expect(Double(lexical: Array("0.\(digits)".utf8).span) == 1.0 / 3)
        #expect(Double(lexical: Array("\(digits)e-1000000".utf8).span) == 1.0 / 3)
        #expect(Float(lexical: Array("0.\(digits)".utf8).span) == 1 / Float(3))
    }

    @Test func order() {
        #expect(Double.nan.compare(to: .nan) == .equal)
        #expect(Double.nan.compare(to: 1) == nil)
        #expect(Double(1).compare(to: .nan) == nil)
        #expect((-0.0).compare(to: 0.0) == .equal)
        #expect((-Double.infinity).compare(to: -1e308) == .less)
        #expect(Float.infinity.compare(to: 1) == .greater)
    }

    @Test func randomValuesComeBack() {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<3000 {
            let double = Double(bitPattern: UInt64.random(in: .min ... .max, using: &numbers))
            let float = Float(bitPattern: UInt32.random(in: .min ... .max, using: &numbers))
            for form in [double.lexicalForm, double.canonicalForm] {
                #expect(parse(form, as: Double.self)?.compare(to: double) == .equal)
            }
            for form in [float.lexicalForm, float.canonicalForm] {
                #expect(parse(form, as: Float.self)?.compare(to: float) == .equal)
            }
            // The standard library reads the same from the same digits.
            let text =
                "\(Int64.random(in: -1_000_000...1_000_000, using: &numbers)).\(UInt16.random(in: 0...999, using: &numbers))"
            #expect(parse(text, as: Double.self) == Double(text))
            #expect(parse(text, as: Float.self) == Float(text))
        }
    }
}

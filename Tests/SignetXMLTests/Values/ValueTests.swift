import SignetXML
import Testing

/// Reads a lexical form the way an element's text is read.
func parse<T: XMLValue>(_ text: String, as type: T.Type = T.self) -> T? {
    try? XMLReader.read(Array("<a>\(text)</a>".utf8)) { (reader) throws(XMLError) in
        try reader.root()
        return try reader.value(T.self)
    }
}

@Suite struct ValueTests {
    @Test func integers() {
        #expect(parse("127", as: Int8.self) == 127)
        #expect(parse("-128", as: Int8.self) == -128)
        #expect(parse("128", as: Int8.self) == nil)
        #expect(parse(" \n+007\t", as: Int32.self) == 7)
        #expect(parse("-0", as: UInt8.self) == 0)
        #expect(parse("-1", as: UInt8.self) == nil)
        #expect(parse("18446744073709551615", as: UInt64.self) == .max)
        #expect(parse("18446744073709551616", as: UInt64.self) == nil)
        #expect(parse("-9223372036854775808", as: Int64.self) == .min)
        for bad in ["", "+", "-", "1 2", "1.0", "0x1", "１", "--1", "1e3"] {
            #expect(parse(bad, as: Int64.self) == nil, "\(bad)")
        }
        #expect(Int64.min.lexicalForm == "-9223372036854775808")
        #expect(UInt8(0).lexicalForm == "0")
    }

    @Test func booleans() {
        #expect(parse("true") == true)
        #expect(parse(" 1 ") == true)
        #expect(parse("false") == false)
        #expect(parse("0") == false)
        for bad in ["", "TRUE", "yes", "2", "tru"] { #expect(parse(bad, as: Bool.self) == nil) }
    }

    @Test func floatingPoint() {
        #expect(parse("-1E4", as: Double.self) == -10000)
        #expect(parse(".5", as: Double.self) == 0.5)
        #expect(parse("5.", as: Double.self) == 5)
        #expect(parse("12.78e-2", as: Float.self) == 0.1278)
        #expect(parse("INF", as: Double.self) == .infinity)
        #expect(parse("-INF", as: Double.self) == -.infinity)
        #expect(parse("NaN", as: Double.self)?.isNaN == true)
        #expect(parse("-0", as: Double.self)?.sign == .minus)
        for bad in ["", "+INF", "inf", "nan", "0x1p3", "1e", "e1", ".", "1 2", "infinity"] {
            #expect(parse(bad, as: Double.self) == nil, "\(bad)")
        }
        #expect(Double.infinity.lexicalForm == "INF")
        #expect((-0.1).lexicalForm == "-0.1")
    }

    @Test func decimals() {
        #expect(parse("+0012.3400", as: XSDDecimal.self)?.canonical == "12.34")
        #expect(parse("-0.0", as: XSDDecimal.self)?.canonical == "0")
        #expect(parse(".5", as: XSDDecimal.self)?.canonical == "0.5")
        #expect(parse("-5.", as: XSDDecimal.self)?.canonical == "-5")
        let long = "123456789012345678901234567890.123456789012345678901234567891"
        #expect(parse(long, as: XSDDecimal.self)?.canonical == long)
        for bad in ["", ".", "+", "1e3", "1,5", "- 1", "INF", "1.2.3"] {
            #expect(parse(bad, as: XSDDecimal.self) == nil, "\(bad)")
        }
        let ordered = ["-100", "-99.5", "-1", "-0.5", "0", "0.05", "0.5", "9", "10", "10.01", "10.1"].compactMap {
            XSDDecimal($0)
        }
        #expect(ordered.count == 11)
        #expect(ordered.shuffled().sorted() == ordered)
        #expect(XSDDecimal("12.5")?.integer(as: Int.self) == nil)
        #expect(XSDDecimal("300")?.integer(as: UInt8.self) == nil)
        #expect(XSDDecimal("12")?.integer(as: UInt8.self) == 12)
    }

    /// RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func base64(plain: String, encoded: String) {
        #expect(XSDBase64Binary(Array(plain.utf8)).lexicalForm == encoded)
        #expect(parse(encoded, as: XSDBase64Binary.self)?.bytes == Array(plain.utf8))
        #expect(parse(" \(encoded.map { "\($0)\n" }.joined())", as: XSDBase64Binary.self)?.bytes == Array(plain.utf8))
    }

    @Test(arguments: ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zg==Zg==", "Zm8=x", "Z===", "====", "Zm-_", "=Zg="])
    func badBase64(text: String) {
        #expect(parse(text, as: XSDBase64Binary.self) == nil)
    }

    enum Level: XMLEnumeration {
        case low
        case unrecognized(String)
        init(rawValue: String) { self = rawValue == "LOW" ? .low : .unrecognized(rawValue) }
        var rawValue: String {
            switch self {
            case .low: "LOW"
            case .unrecognized(let value): value
            }
        }
    }

    @Test func enumerationsIgnoreSpaceAroundThem() {
        #expect(parse("\n  LOW ", as: Level.self) == .low)
        #expect(parse("HIGH", as: Level.self) == .unrecognized("HIGH"))
    }

    @Test func hexadecimal() {
        #expect(parse("0fB7", as: XSDHexBinary.self)?.bytes == [0x0F, 0xB7])
        #expect(XSDHexBinary([0x0F, 0xB7]).lexicalForm == "0FB7")
        for bad in ["0", "0g", "0f b7"] { #expect(parse(bad, as: XSDHexBinary.self) == nil) }
    }
}

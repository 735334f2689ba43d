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
    @Test func booleans() {
        #expect(parse("true") == true)
        #expect(parse(" 1 ") == true)
        #expect(parse("false") == false)
        #expect(parse("0") == false)
        for bad in ["", "TRUE", "yes", "2", "tru"] { #expect(parse(bad, as: Bool.self) == nil) }
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
}

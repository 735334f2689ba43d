import Testing

@_spi(Generated) @testable import SignetXML

private struct Entry: XMLStructure {
    var name: String?
    var price: Price?
    var count: Int32?
    var kind: String?
    var number: Int32?

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:tags"], elements: "name? price? count?", attributes: "kind? number")
        fields.optionalString(&x.name)
        fields.optionalStructure(&x.price)
        fields.optionalInt32(&x.count)
        fields.optionalString(&x.kind)
        fields.optionalInt32(&x.number)
    }
}

private struct Price: XMLStructure {
    var value: Int32 = 0
    var currency: String?

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:tags"], attributes: "currency?", text: true)
        fields.optionalString(&x.currency)
        fields.int32(&x.value)
    }
}

private struct Diary: XMLStructure {
    var title: String?
    var entries: [Entry] = []
    var aVeryLongNameOfAnEntry: Entry?

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names("urn:tags", elements: "title? entry* aVeryLongNameOfAnEntry?")
        fields.optionalString(&x.title)
        fields.structures(&x.entries)
        fields.optionalStructure(&x.aVeryLongNameOfAnEntry)
    }
}

/// Start tags with attributes that are read in one go must mean what they mean to the code that reads all others.
@Suite struct PlainTagTests {
    /// What stands between the name of an element and its content.
    private static let tails = [
        " number='1'>", " number=\"1\" kind='a'>", " kind='a' number='1' >", "  number='1'\n\tkind=\"it's\"\r\n>",
        " kind='a'>", " number='x'>", " number='1' number='2'>", " number='1' unknown='2'>", " >", " number=''>",
        " number = '1'>", " number='1'kind='a'>", " number=1>", " number>", " number=>", " ='1'>", " 1='1'>", " é='1'>",
        " number='1' kind='&lt;&#65;'>", " number='1' kind='a\tb\nc'>", " number='1' kind='a<b'>",
        " number='1' kind='&x;'>",
        " number='1' kind=\"a longer value, with ' and > in it\">", " number='1' kind='Frühstück'>",
        " number='1' kind='>'>",
        " number='1' xmlns='urn:tags'>", " number='1' xmlns:q='urn:q' q:a='1'>", " number='1' q:a='1'>", " xmlnss='1'>",
        " number='1' xml:lang='de'>", " number='1' xsi:nil='true'>", " number='1' xsi:nil='false'>",
        " number='1' nil='true'>",
        " number='1' xsi:type='x'>", " n:umber='1'>", " numbe='1'>", " numberr='1'>",
        " a='1' b='1' c='1' d='1' e='1' f='1' g='1' h='1'>", " a='1' b='1' c='1' d='1' e='1' f='1' g='1' h='1' i='1'>",
        " \(String(repeating: "name", count: 12))='1'>", " \(String(repeating: "name", count: 12))s='1'>",
        " number='1' kind='\(String(repeating: "long ", count: 20))'>",
        " number='1' kind='\(String(repeating: "long ", count: 21))'>", " currency='EUR'>", " number='1", " number='1'",
    ]

    private var limits: XMLLimits {
        var limits = XMLLimits()
        limits.textBytes = 100
        limits.nameBytes = 48
        limits.attributes = 8
        limits.depth = 4
        return limits
    }

    private func outcome(_ document: String, _ prefix: String, _ tolerance: XMLTolerance) -> String {
        let text: String
        do {
            text = try XMLReader.read(Array(document.utf8), limits: limits) { reader in
                reader.tolerance = tolerance
                try reader.root()
                let diary = try reader.structure(Diary.self)
                try reader.finish()
                return "\(diary) \(reader.deviations.map { ($0.code, $0.message, $0.path) })"
            }
        } catch {
            text = "\((error as? XMLError)?.code.description ?? "") \((error as? XMLError)?.message ?? "\(error)")"
        }
        return text.replacing("\(prefix):", with: "p:")
    }

    /// The same document twice: the second time with a prefix that is too long for a prediction.
    private func compare(_ content: (String) -> String, _ comment: Comment) {
        func document(_ prefix: String) -> String {
            "<\(prefix):r xmlns:\(prefix)='urn:tags' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>"
                + content("\(prefix):")
        }
        for tolerance in [XMLTolerance.standard, .lenient] {
            let plain = outcome(document("prefix"), "prefix", tolerance)
            let other = outcome(document("prefix7"), "prefix7", tolerance)
            #expect(plain == other, comment)
        }
    }

    @Test(arguments: ["entry", "aVeryLongNameOfAnEntry", "title", "other"])
    func elementsOfAStructure(name: String) {
        for tail in Self.tails {
            for empty in [false, true] {
                compare(
                    { prefix in
                        let tag = empty ? tail.replacing(/\ ?>$/, with: "/>") : tail
                        let end = empty ? "" : "</\(prefix)\(name)>"
                        return "\n <\(prefix)\(name)\(tag)\(end)<\(prefix)entry number='2'/></\(prefix)r>"
                    }, "\(name)\(tail)")
            }
        }
    }

    @Test(arguments: ["name", "price", "count"])
    func elementsInsideWithTheirText(name: String) {
        for tail in Self.tails {
            for text in ["", "7", " 7 ", "x", "<b/>", "&#55;"] {
                compare(
                    { prefix in
                        let element = "<\(prefix)\(name)\(tail)\(text)</\(prefix)\(name)>"
                        // Once where it is expected, once more where it is not.
                        return "<\(prefix)entry number='1'>\(element)<\(prefix)count>1</\(prefix)count>\(element)"
                            + "</\(prefix)entry></\(prefix)r>"
                    }, "\(name)\(tail)\(text)")
            }
        }
    }

    @Test func truncatedTagsReadTheSameWithAnyPrefix() {
        let rest = " number='1' kind=\"a value of some length\"  /><x/>"
        for length in 0...rest.utf8.count {
            compare({ prefix in "<\(prefix)entry\(rest.prefix(length))" }, "\(length)")
            // Enough behind it for every look ahead.
            compare(
                { prefix in "<\(prefix)entry\(rest.prefix(length))\(String(repeating: " ", count: 64))" },
                "\(length) more")
        }
    }

    @Test func theDepthLimitHolds() throws {
        let tag = "<p:entry number='1'><p:price currency='EUR'>"
        compare({ tag.replacing("p:", with: $0) + "<x a='1'><y b='2'/></x>" }, "too deep")
        let document = "<p:r xmlns:p='urn:tags'>\(tag)7</p:price></p:entry></p:r>"
        for depth in 1...4 {
            var limits = limits
            limits.depth = depth
            let read = Result {
                try XMLReader.read(Array(document.utf8), limits: limits) { reader in
                    try reader.root()
                    return try reader.structure(Diary.self).entries.first?.price?.currency
                }
            }
            #expect((try? read.get()) == (depth < 3 ? nil : "EUR"))
        }
    }
}

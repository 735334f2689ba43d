import SignetXML
import Testing

/// The table of the built-in types (XML Schema Part 2 §3).
@Suite struct BuiltInTypeTests {
    @Test func thereAreFortyFour() {
        #expect(XSDBuiltInType.allCases.count == 44)
        let primitive = XSDBuiltInType.allCases.filter { $0.base == nil && $0.item == nil }
        #expect(primitive.count == 19)
        #expect(XSDBuiltInType.allCases.filter { $0.whiteSpace == .preserve } == [.string])
        #expect(XSDBuiltInType.allCases.filter { $0.whiteSpace == .replace } == [.normalizedString])
    }

    /// A few texts for each type, and for each the canonical form, or nil when the type does not have it.
    static let samples: [(type: XSDBuiltInType, text: String, canonical: String?)] = [
        (.string, " a\tb ", " a\tb "), (.boolean, " 1 ", "true"), (.boolean, "0", "false"), (.boolean, "TRUE", nil),
        (.decimal, "+01.50", "1.5"), (.decimal, "1E0", nil), (.float, "1e5", "1.0E5"), (.float, "-0", "0.0E0"),
        (.float, "0.1", "1.0E-1"), (.double, "1e400", "INF"), (.double, "+INF", nil), (.double, "NaN", "NaN"),
        (.duration, "P", nil), (.dateTime, "2002-10-10T12:00:00+05:00", "2002-10-10T07:00:00Z"),
        (.dateTime, "2002-10-10T12:00:00.50", "2002-10-10T12:00:00.5"), (.dateTime, "2002-10-10", nil),
        (.time, "13:20:00-05:00", "18:20:00Z"), (.time, "24:00:01", nil), (.date, "2002-02-29", nil),
        (.date, "2002-02-28", "2002-02-28"),
        (.gYearMonth, "1999-05", "1999-05"), (.gYearMonth, "1999-13", nil), (.gYear, "0000", nil),
        (.gYear, "-0044", "-0044"),
        (.gMonthDay, "--02-29", "--02-29"), (.gMonthDay, "--02-30", nil), (.gDay, "---31", "---31"),
        (.gDay, "--31", nil),
        (.gMonth, "--05", "--05"), (.gMonth, "--13", nil), (.hexBinary, "0fb8", "0FB8"), (.hexBinary, "0fb", nil),
        (.base64Binary, " Zm 9v ", "Zm9v"), (.base64Binary, "Zm9", nil), (.anyURI, " a b ", "a b"),
        (.anyURI, "%zz", nil),
        (.QName, "p:a", "{urn:p}a"), (.QName, "a", "{urn:default}a"), (.QName, "q:a", nil),
        (.NOTATION, "p:gif", "{urn:p}gif"),
        (.NOTATION, "1", nil), (.normalizedString, "\na b", " a b"), (.token, "\na  b", "a b"),
        (.language, "en-US", "en-US"),
        (.language, "en_US", nil), (.NMTOKEN, " 1a", "1a"), (.NMTOKEN, "a b", nil), (.NMTOKENS, " 1a  b ", "1a b"),
        (.NMTOKENS, " ", nil),
        (.Name, "a:b", "a:b"), (.Name, "1", nil), (.NCName, "a", "a"), (.NCName, "a:b", nil), (.ID, " a ", "a"),
        (.ID, "1", nil),
        (.IDREF, "a", "a"), (.IDREF, "", nil), (.IDREFS, "a b", "a b"), (.IDREFS, "a 1", nil), (.ENTITY, "a", "a"),
        (.ENTITY, "&", nil),
        (.ENTITIES, "a\nb", "a b"), (.ENTITIES, "", nil), (.integer, "-00", "0"), (.integer, "1.0", nil),
        (.nonPositiveInteger, "+0", "0"), (.nonPositiveInteger, "1", nil), (.negativeInteger, "-01", "-1"),
        (.negativeInteger, "0", nil),
        (.long, "-9223372036854775808", "-9223372036854775808"), (.long, "9223372036854775808", nil),
        (.int, "2147483647", "2147483647"),
        (.int, "2147483648", nil), (.short, "-32768", "-32768"), (.short, "-32769", nil), (.byte, "+127", "127"),
        (.byte, "128", nil),
        (.nonNegativeInteger, "-0", "0"), (.nonNegativeInteger, "-1", nil),
        (.unsignedLong, "18446744073709551615", "18446744073709551615"),
        (.unsignedLong, "18446744073709551616", nil), (.unsignedInt, "4294967295", "4294967295"),
        (.unsignedInt, "4294967296", nil),
        (.unsignedShort, "65535", "65535"), (.unsignedShort, "65536", nil), (.unsignedByte, "255", "255"),
        (.unsignedByte, "256", nil),
        (.positiveInteger, "+1", "1"), (.positiveInteger, "0", nil), (.duration, "P1Y", "P1Y"),
    ]

    private static let scope = ["p": "urn:p", "": "urn:default"]

    @Test func canonicalForms() {
        for (type, text, canonical) in Self.samples {
            #expect(type.canonical(text, namespaces: Self.scope) == canonical, "\(type) \(text)")
            #expect(type.areEqual(text, text, namespaces: Self.scope) == (canonical != nil), "\(type) \(text)")
        }
        #expect(Set(Self.samples.map(\.type)).count == 44)
    }

    /// What is written is in the lexical space, and stands for the same value; so is the canonical form, which is its
    /// own.
    @Test func writtenFormsStandForTheSameValue() throws {
        for (type, text, canonical) in Self.samples where canonical != nil && type != .QName && type != .NOTATION {
            let value = try #require(type.value(of: text))
            #expect(type.areEqual(value.lexicalForm, text), "\(type) \(value.lexicalForm)")
            #expect(type.areEqual(value.canonicalForm, text), "\(type) \(value.canonicalForm)")
            #expect(type.canonical(value.canonicalForm) == canonical)
        }
    }

    /// A value of a derived type is one of its base, with the same canonical form, but for the point of a decimal.
    @Test func derivedTypesRestrictTheirBases() {
        for (type, _, canonical) in Self.samples {
            guard let base = type.base, let canonical else { continue }
            #expect(
                base.canonical(canonical) == (base == .decimal ? "\(canonical).0" : canonical), "\(type) \(canonical)")
        }
    }

    @Test func order() {
        #expect(XSDBuiltInType.int.compare("1", "+02") == .less)
        #expect(XSDBuiltInType.decimal.compare("1.10", "1.1") == .equal)
        #expect(XSDBuiltInType.double.compare("NaN", "NaN") == .equal)
        #expect(XSDBuiltInType.double.compare("NaN", "1") == nil)
        #expect(XSDBuiltInType.string.compare("a", "b") == nil)
        #expect(XSDBuiltInType.boolean.compare("true", "1") == .equal)
        #expect(XSDBuiltInType.boolean.compare("true", "false") == nil)
        #expect(XSDBuiltInType.boolean.compare("x", "x") == nil)
        #expect(XSDBuiltInType.duration.compare("P1M", "P30D") == nil)
        #expect(XSDBuiltInType.date.compare("2002-10-10", "2002-10-11") == .less)
        #expect(XSDBuiltInType.hexBinary.areEqual("0fb8", "0FB8"))
        #expect(XSDBuiltInType.QName.compare("p:a", "q:a", namespaces: ["p": "urn:x", "q": "urn:x"]) == .equal)
        #expect(XSDBuiltInType.QName.canonical("\u{E9}:a", namespaces: ["\u{E9}": "urn:x"]) == "{urn:x}a")
        #expect(
            XSDBuiltInType.QName.canonical("xml:lang") == "{http://www.w3.org/XML/1998/namespace}lang")
        // Swift's strings call these two equal; they are two prefixes.
        #expect(XSDBuiltInType.QName.canonical("e\u{301}:a", namespaces: ["\u{E9}": "urn:x"]) == nil)
    }
}

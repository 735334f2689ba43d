import SignetSOAP
import SignetWSDL

/// Makes texts of simple types, unusual ones among them.
enum InstanceText {
    static func text(for shape: SimpleShape, _ style: InstanceStyle, _ numbers: inout SeededNumbers) -> String {
        guard case .random = style else { return SampleText.text(for: shape) }
        if let all = shape.facets.enumeration {
            return all.filter { shape.defect(of: $0) == nil }.randomElement(using: &numbers)
                ?? SampleText.text(for: shape)
        }
        // A text that has to match a pattern is not random.
        if !shape.facets.patterns.isEmpty { return SampleText.text(for: shape) }
        switch shape.variety {
        case .union(let members):
            guard let member = members.randomElement(using: &numbers) else { return "" }
            let text = text(for: member, style, &numbers)
            return shape.defect(of: text) == nil ? text : SampleText.text(for: shape)
        case .list(let item):
            let least = min(shape.facets.minimumLength ?? 0, 100)
            let most = max(least, min(shape.facets.maximumLength ?? least + 3, least + 3))
            let count = Int.random(in: least...most, using: &numbers)
            var items: [String] = []
            for _ in 0..<count {
                let text = text(for: item, style, &numbers).collapsedXMLSpace
                // A list cannot have an empty item, nor an item with spaces.
                items.append(text.isEmpty || text.contains(" ") ? "x" : text)
            }
            let text = items.joined(separator: " ")
            return shape.defect(of: text) == nil ? text : SampleText.text(for: shape)
        case .atomic(let type):
            let candidates = (odd[type.name] ?? []).filter { shape.defect(of: $0) == nil }
            return candidates.randomElement(using: &numbers) ?? SampleText.text(for: shape)
        }
    }

    /// Texts that readers and writers are known to get wrong.
    private static let odd: [String: [String]] = [
        "string": ["", "a", " two  spaces ", "<&>\"'", "Ünïcödé 漢字 🙂", "line\nbreak\ttab", "]]>", "0"],
        "normalizedString": ["", "a b", " x ", "é&<"],
        "token": ["a", "a b", "é&<"],
        "anySimpleType": ["", "any", "1"],
        "boolean": ["true", "false", "1", "0"],
        "decimal": ["0", "-0.10", "+1.50", "123456789012345.123456789", "1.", ".5", "100"],
        "integer": ["0", "-7", "+12", "123456789012345678901234", "007"],
        "nonNegativeInteger": ["0", "5", "18446744073709551616"],
        "positiveInteger": ["1", "42", "99999999999999999999"],
        "nonPositiveInteger": ["0", "-3"], "negativeInteger": ["-1", "-99999999999999999999"],
        "long": ["0", "-9223372036854775808", "9223372036854775807"],
        "int": ["0", "-2147483648", "2147483647", "+5", "007"], "short": ["-32768", "32767", "0"],
        "byte": ["-128", "127", "0"],
        "unsignedLong": ["0", "18446744073709551615"], "unsignedInt": ["0", "4294967295"],
        "unsignedShort": ["0", "65535"], "unsignedByte": ["0", "255"],
        "double": ["0", "-0", "1E5", "INF", "-INF", "NaN", "1.5e-300", "3.141592653589793"],
        "float": ["0", "1E5", "INF", "-INF", "NaN", "0.1"],
        "dateTime": [
            "2025-01-31T12:00:00Z", "2024-02-29T23:59:59.999999+05:30", "2025-01-31T00:00:00",
            "1969-12-31T23:59:59-14:00",
            "2025-06-30T24:00:00Z",
        ],
        "date": ["2025-01-31", "2024-02-29Z", "2025-12-31-05:00", "0001-01-01"],
        "time": ["12:00:00", "23:59:59.123Z", "00:00:00+02:00"],
        "duration": ["PT1H", "P1Y2M3DT4H5M6.7S", "-P1D", "PT0S"],
        "gYear": ["2025", "1999Z"], "gYearMonth": ["2025-01", "2025-12+01:00"], "gMonth": ["--01", "--12Z"],
        "gMonthDay": ["--01-31", "--02-29Z"], "gDay": ["---31", "---01Z"],
        "base64Binary": ["", "U2lnbmV0", "AA==", "AAA="], "hexBinary": ["", "5369", "00ff", "ABCDEF"],
        "anyURI": ["urn:example", "http://example.com/a?b=c&d=e#f", "relative/path", "#x"],
        "language": ["en", "de-AT", "x-klingon"], "NMTOKEN": ["name", "1-2.3:4", "-x"],
        "Name": ["name", "a:b", "_x"], "NCName": ["name", "_x-1.2", "élan"],
    ]
}

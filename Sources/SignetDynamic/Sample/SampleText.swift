import SignetSOAP
import SignetWSDL

/// Makes example texts of simple types.
enum SampleText {
    /// The greatest number of members of a union that are tried.
    private static let mostMembers = 64

    static func text(for shape: SimpleShape) -> String {
        if let first = shape.facets.enumeration?.first(where: { shape.defect(of: $0) == nil }) { return first }
        switch shape.variety {
        case .union(let members):
            if let text = fitting(shape).first { return text }
            var first: String?
            // The members are tried one after the other, until one has a value: a union may have hundreds.
            for member in members.prefix(mostMembers) {
                let text = text(for: member)
                if member.defect(of: text) == nil { return text }
                first = first ?? text
            }
            return first ?? ""
        case .list(let item):
            let count = min(max(1, shape.facets.minimumLength ?? 1), shape.facets.maximumLength ?? 1000, 1000)
            return Array(repeating: text(for: item), count: count).joined(separator: " ")
        case .atomic(let type):
            let candidates = candidates(type, shape)
            return candidates.first { shape.defect(of: $0) == nil } ?? candidates.first ?? type.example
        }
    }

    /// Texts that match a pattern, if there are any.
    private static func fitting(_ shape: SimpleShape) -> [String] {
        // The last step of derivation is the narrowest.
        let patterns = shape.facets.patterns.reversed().flatMap { $0 }
        return patterns.compactMap { PatternSample.text(for: $0) { shape.defect(of: $0) == nil } }
    }

    private static func candidates(_ type: BuiltIn, _ shape: SimpleShape) -> [String] {
        let fitting = fitting(shape)
        let bounds = [shape.facets.lowest?.value, shape.facets.highest?.value].compactMap { $0 }
        switch type.name {
        case "base64Binary":
            return fitting + [shape.facets.minimumLength.map(zeros) ?? type.example, ""]
        case "hexBinary":
            return fitting + [
                shape.facets.minimumLength.map { String(repeating: "00", count: min($0, 4096)) } ?? type.example
            ]
        default: break
        }
        guard type.kind == .number else {
            return fitting + sized(type.example, shape.facets) + bounds + beyond(bounds, type)
        }
        let beyond = bounds.flatMap { bound in
            Int(bound).map {
                ["\($0.addingReportingOverflow(1).partialValue)", "\($0.subtractingReportingOverflow(1).partialValue)"]
            }
                ?? []
        }
        return fitting + [type.example, "1"] + bounds + beyond + ["0.5", "0.1", "0", "-1"]
    }

    /// Dates, times and durations near the bounds, or far from most bounds.
    private static func beyond(_ bounds: [String], _ type: BuiltIn) -> [String] {
        func steps<T: XSDValue>(_ read: (String) -> T?, _ add: (T, XSDDuration) -> T?, _ step: String) -> [String] {
            let steps = [step, "-\(step)"].compactMap { XSDDuration($0) }
            return bounds.compactMap(read).flatMap { bound in steps.compactMap { add(bound, $0)?.canonicalForm } }
        }
        return switch type.name {
        case "dateTime": steps({ XSDDateTime($0) }, { $0.adding($1) }, "PT1S")
        case "date": steps({ XSDDate($0) }, { $0.adding($1) }, "P1D")
        case "gYearMonth": steps({ XSDYearMonth($0) }, { $0.adding($1) }, "P1M")
        case "gYear": steps({ XSDYear($0) }, { $0.adding($1) }, "P1Y")
        case "duration": ["PT0S", "PT1S", "P1D", "P2D", "P2M", "P2Y", "P200Y", "-PT1S", "-P2D", "-P2Y", "-P200Y"]
        case "time": ["00:00:00", "06:00:00", "18:00:00", "23:59:59", "12:00:00Z"]
        case "gMonth": ["--01", "--06", "--12"]
        case "gDay": ["---01", "---15", "---31"]
        case "gMonthDay": ["--01-01", "--06-15", "--12-31"]
        default: []
        }
    }

    /// A text shortened or lengthened to an allowed length.
    private static func sized(_ example: String, _ facets: Facets) -> [String] {
        let least = min(facets.minimumLength ?? 0, 4096)
        let most = facets.maximumLength ?? .max
        var text = example
        if text.utf8.count < least { text += String(repeating: "x", count: least - text.utf8.count) }
        return [text, String(text.prefix(most)), String(repeating: "1", count: max(1, least)), ""]
    }

    /// This many zero bytes in base64.
    private static func zeros(_ count: Int) -> String {
        let (groups, rest) = min(max(count, 0), 4096).quotientAndRemainder(dividingBy: 3)
        return String(repeating: "AAAA", count: groups) + ["", "AA==", "AAA="][rest]
    }
}

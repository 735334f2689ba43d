/// Checks what an ``XMLWriter`` writes against the rules of the tables, and lists the violations.
final class XMLRuleChecker {
    /// A structure or a group that is being written.
    private struct Level {
        var table: XMLTable
        var rules: XMLRules?
        var counts: [Int: Int] = [:]
    }

    private(set) var violations: [XMLViolation] = []
    /// Whether the text being written has a value of an open enumeration that the schema does not name.
    var hasUnnamedValue = false
    private var levels: [Level] = []
    /// An element that is being written. Its name is made only when it is needed, which is rare.
    private struct Open {
        /// Its number among the items of its table.
        let item: Int
        let field: XMLTable.Field
        /// The number of such elements so far.
        let number: Int

        var name: String {
            let name = String(decoding: field.bytes, as: UTF8.self)
            return field.occurrence == .repeated ? "\(name)[\(number)]" : name
        }
    }

    /// The elements that are being written, the outermost first.
    private var open: [Open] = []

    private static var mostViolations: Int { 1000 }

    func enter(_ table: XMLTable) { levels.append(Level(table: table, rules: table.details.parsedRules)) }

    func leave() {
        guard let level = levels.popLast(), let rules = level.rules else { return }
        for (item, rule) in rules.items.sorted(by: { $0.key < $1.key }) {
            guard let occurs = rule.occurs, level.table.elements.indices.contains(item) else { continue }
            let field = level.table.elements[item]
            let count = level.counts[item] ?? 0
            // Wildcards write any elements, and of a choice one alternative is written.
            if field.kind == .wildcard || (count == 0 && level.table.isChoice) { continue }
            let name = field.kind == .group ? "" : String(decoding: field.bytes, as: UTF8.self)
            if count < occurs.least {
                add("occurs", "it occurs \(count) times, and must occur at least \(occurs.least) times.", name)
            } else if let most = occurs.most, count > most {
                add("occurs", "it occurs \(count) times, and may occur at most \(most) times.", name)
            }
        }
    }

    /// Counts an item of the table, and returns how often it has occurred.
    @discardableResult func count(_ item: Int) -> Int {
        guard !levels.isEmpty else { return 1 }
        let count = (levels[levels.count - 1].counts[item] ?? 0) + 1
        levels[levels.count - 1].counts[item] = count
        return count
    }

    func begin(_ item: Int, _ field: XMLTable.Field) {
        open.append(Open(item: item, field: field, number: count(item)))
    }

    func end() { _ = open.popLast() }

    /// Checks an element that is nil, and therefore has no attributes of its type.
    func null(_ table: XMLTable) {
        for field in table.attributes where field.occurrence == .required {
            let name = String(decoding: field.bytes, as: UTF8.self)
            add("use", "its element is nil, and has no attributes; this one is required.", "@\(name)")
        }
    }

    /// Checks the text of the element that is being written.
    func check(_ text: @autoclosure () -> String, _ prefixes: XMLPrefixes) {
        noteUnnamedValue("")
        guard let item = open.last?.item, let level = levels.last, level.rules?.items[item] != nil else { return }
        let text = text()
        // The value of an element without text is the default or fixed value of the schema (XML Schema Part 1 §3.3.4).
        let hasPreset = level.table.elements.indices.contains(item) && level.table.elements[item].preset != nil
        if !text.isEmpty || !hasPreset { check(text, item, "", prefixes) }
    }

    func check(_ text: @autoclosure () -> String, _ item: Int, _ name: String, _ prefixes: XMLPrefixes) {
        noteUnnamedValue(name)
        guard let rule = levels.last?.rules?.items[item] else { return }
        for (facet, message) in rule.defects(of: text(), prefixes) { add(facet, message, name) }
    }

    private func noteUnnamedValue(_ name: String) {
        if hasUnnamedValue { add("enumeration", "the schema names other values.", name) }
        hasUnnamedValue = false
    }

    private func add(_ facet: String, _ message: String, _ name: String) {
        guard violations.count < Self.mostViolations else { return }
        let path = (open.map(\.name) + (name.isEmpty ? [] : [name])).joined(separator: "/")
        violations.append(XMLViolation(path: path, facet: facet, message: message))
    }
}

extension XMLWriter {
    /// The text written last, from the tag or the quotation mark before it.
    func lastText(behind mark: UInt8) -> String {
        var from = count
        while from > 0, base[from - 1] != mark { from -= 1 }
        let text = String(decoding: UnsafeBufferPointer(start: base + from, count: count - from), as: UTF8.self)
        guard text.contains("&") else { return text }
        let references = [
            ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#xD;", "\r"), ("&#xA;", "\n"), ("&#x9;", "\t"),
            ("&amp;", "&"),
        ]
        return references.reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}

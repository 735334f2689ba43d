#if CommandLine
import SignetSOAP

/// Entries as a table with aligned columns.
enum EntryTable {
    static func lines(_ entries: [WebEase.LogEntry]) -> [String] {
        let header = ["id", "date", "mmHg", "pulse", "kg", "kind", "flag", "tags", "note", "rev"]
        let rows = entries.map { entry in
            [
                "\(entry.id)", "\(entry.entryDate)", "\(entry.systolic)/\(entry.diastolic)",
                entry.pulse.map { "\($0)" } ?? "–", "\(entry.weight)", entry.kind.rawValue, entry.flagged ? "yes" : "",
                entry.tag.joined(separator: ", "), note(entry.note), "\(entry.revision)",
            ]
        }
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        return ([header] + [widths.map { String(repeating: "─", count: $0) }] + rows).map { row in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: max(0, width - cell.count))
            }
            return "  " + cells.joined(separator: "  ")
        }
    }

    /// An absent note and a nil note (`xsi:nil`) have different meanings.
    private static func note(_ note: Nillable<String>?) -> String {
        switch note {
        case .value(let text): text
        case .null: "(taken back)"
        case nil: "–"
        }
    }
}
#endif

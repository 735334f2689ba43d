package import Foundation

/// WSDLs that are known to be broken: what each is refused for, and why that is right.
package struct BrokenList: Sendable {
    private var entries: [String: (message: String, reason: String)] = [:]

    package init() {}

    /// Reads a file with a line for each: the name, a part of the message, and the reason, apart by tabs.
    package init(contentsOf file: URL) throws {
        for line in try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline) {
            let fields = line.split(separator: "\t").map(String.init)
            guard fields.count == 3 else { throw CorpusError("\(file.path): ‘\(line)’ has not three columns.") }
            entries[fields[0]] = (fields[1], fields[2])
        }
    }

    /// Why it is right that a WSDL was refused; nil when it was not, or for another reason.
    func reason(for report: CorpusReport) -> String? {
        guard report.outcome == .failed, let entry = entries[report.name],
            report.failures.allSatisfy({ $0.contains(entry.message) })
        else { return nil }
        return entry.reason
    }
}

import SignetDiagnosis

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension DoctorReport {
    /// The report as JSON (RFC 8259): `service`, `time`, `facts` with everything that was seen, and `diagnosis` with the
    /// findings (``/SignetDiagnosis/Diagnosis/json``).
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let document = Document(service: title, time: time, facts: facts, diagnosis: diagnosis)
        return (try? encoder.encode(document)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    private struct Document: Encodable {
        let service: String
        let time: String
        let facts: DiagnosticFacts
        let diagnosis: Diagnosis
    }

    /// The report as a page that needs nothing else.
    package var html: String {
        var body = "<h1>\(Self.escaped(title))</h1>\n<p>Examined at \(Self.escaped(time)).</p>\n"
        if let found = diagnosis.mostLikely {
            body += "<p class=\"failure\"><b>Most likely:</b> \(Self.escaped(found.title))</p>\n"
        } else {
            body += "<p class=\"good\"><b>Nothing was found that makes calls fail.</b></p>\n"
        }
        body += "<h2>Findings</h2>\n"
        for finding in diagnosis.findings { body += Self.html(finding) }
        for section in sections {
            body += "<h2>\(Self.escaped(section.title))</h2>\n<ul>\n"
            for line in section.lines {
                body += "<li style=\"margin-left:\(line.depth * 2)em\">\(Self.escaped(line.text))</li>\n"
            }
            body += "</ul>\n"
        }
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(Self.escaped(title))</title>
            <style>
            :root { color-scheme: light dark; }
            body { font: 16px/1.5 system-ui, sans-serif; max-width: 50em; margin: 2em auto; padding: 0 1em; }
            h2 { font-size: 1.1em; margin-top: 2em; border-bottom: 1px solid #8888; }
            ul { list-style: none; padding: 0; } li { overflow-wrap: anywhere; }
            section { border-left: 4px solid #888; padding: 0 0 0 1em; margin: 1em 0; }
            section.failure, p.failure { border-left: 4px solid #c33; padding-left: 1em; }
            section.warning { border-color: #c80; } p.good { border-left: 4px solid #393; padding-left: 1em; }
            h3 { margin: 0; font-size: 1em; } dt { font-weight: 600; } dd { margin: 0 0 .3em 0; overflow-wrap: anywhere; }
            </style></head>
            <body>
            \(body)</body></html>

            """
    }

    private static func html(_ finding: Diagnosis.Finding) -> String {
        var text = "<section class=\"\(finding.severity.rawValue)\">\n<h3>\(escaped(finding.title))</h3>\n<dl>\n"
        func add(_ term: String, _ value: String) { text += "<dt>\(term)</dt><dd>\(escaped(value))</dd>\n" }
        add("Kind", "\(finding.severity.rawValue), \(finding.code)")
        add("Who has to act", finding.party.text)
        for evidence in finding.evidence { add("Seen", evidence) }
        add("Why", finding.cause)
        add("Next", finding.nextStep)
        for other in finding.alternatives { add("Or \(escaped("\(other.code)"))", other.difference) }
        return text + "</dl>\n</section>\n"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}

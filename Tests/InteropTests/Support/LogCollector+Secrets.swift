import Foundation
import Signet
import TestSupport
import Testing

extension LogCollector {
    /// Fails where a secret, as it is or in base64, stands in what was logged, or in what is printed of reports and
    /// errors.
    func check(
        hides secrets: [String], _ reports: [ExchangeReport], _ errors: [(any Error)?],
        _ place: SourceLocation = #_sourceLocation
    ) {
        // Where nothing is printed, nothing is hidden.
        #expect(text.contains("trace "), sourceLocation: place)
        #expect(!reports.isEmpty, sourceLocation: place)
        #expect(!errors.isEmpty, sourceLocation: place)
        var printed = [text]
        for report in reports { printed += Self.forms(of: report) }
        for error in errors {
            guard let error else {
                Issue.record("there was no error", sourceLocation: place)
                continue
            }
            printed += Self.forms(of: error)
        }
        for secret in secrets {
            for form in [secret, Data(secret.utf8).base64EncodedString()] {
                #expect(printed.allSatisfy { !$0.contains(form) }, "\(form)", sourceLocation: place)
            }
        }
    }

    private static func forms(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [dumped, String(describing: value), String(reflecting: value)]
    }
}

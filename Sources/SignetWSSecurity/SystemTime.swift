import SignetSOAP

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Moments are durations since 1970 here: no time that a message can name makes their arithmetic overflow.

extension Duration {
    /// The time of the clock of this machine, since 1970.
    static var systemTime: Duration { .milliseconds(Int64(Date().timeIntervalSince1970 * 1000)) }

    /// The whole seconds, however long it is.
    var wholeSeconds: Int64 { max(.seconds(-1 << 60), min(self, .seconds(1 << 60))).components.seconds }
}

extension XSDDateTime {
    /// The moment since 1970; a value without time zone is in UTC (SOAP Message Security 1.1 §10).
    var moment: Duration {
        .seconds(secondsSinceEpoch) + Duration(secondsComponent: 0, attosecondsComponent: Int64(clamping: attoseconds))
    }

    /// The moment in UTC as text, with three digits after the second or none; nil beyond the year 9999.
    static func text(of moment: Duration, milliseconds: Bool) -> String? {
        guard moment >= .zero, let time = XSDDateTime(secondsSinceEpoch: moment.wholeSeconds), time.date.year <= 9999
        else { return nil }
        guard milliseconds else { return time.lexicalForm }
        let digits = String(1000 + moment.components.attoseconds / 1_000_000_000_000_000).dropFirst()
        return "\(time.lexicalForm.dropLast()).\(digits)Z"
    }
}

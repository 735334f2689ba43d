import CodecCost
import SignetXML

/// A diary that all sides can hold without loss: gSOAP keeps whole seconds only and does not tell nil from absent.
enum Sample {
    static let message = Message<WebEase.LogEntryQueryResponse>(
        "urn:signet:example:webease:types", "LogEntryQueryResponse")
    static let note = "Nach dem Fr\u{FC}hst\u{FC}ck & vor dem Spaziergang gemessen"

    static func response(entries: Int, note: String = Sample.note) -> WebEase.LogEntryQueryResponse {
        .init(entry: (0..<entries).map { entry($0, note) }, truncated: false)
    }

    private static func entry(_ index: Int, _ note: String) -> WebEase.LogEntry {
        var entry = WebEase.LogEntry(_decoding: ())
        entry.id = 4_000_000_000 + Int64(index)
        entry.patientId = "P-\(100_000 + index % 7919)"
        entry.entryDate = XSDDate(year: 2026, month: 1 + index % 12, day: 1 + index % 28) ?? ._placeholder
        entry.recordedAt = XSDDateTime(secondsSinceEpoch: 1_767_225_600 + Int64(index) * 61) ?? ._placeholder
        entry.systolic = Int32(110 + index % 50)
        entry.diastolic = Int32(60 + index % 40)
        entry.weight = XSDDecimal("\(60 + index % 60).\(1 + index % 9)") ?? 0
        entry.pulse = index % 3 == 0 ? nil : Int32(55 + index % 60)
        entry.flagged = index % 11 == 0
        entry.note = index % 4 == 0 ? nil : .value(note)
        entry.kind = [.manual, .device, .imported, .corrected][index % 4]
        entry.tag = index % 2 == 0 ? ["morning", "rest"] : []
        entry.attachment = index % 10 == 0 ? XSDBase64Binary((0..<48).map { UInt8(($0 * 5 + index) & 0xFF) }) : nil
        entry.revision = Int32(1 + index % 5)
        entry.source = index % 2 == 0 ? "signet-bp-meter/2.1" : nil
        return entry
    }

    static func checksum(_ response: WebEase.LogEntryQueryResponse) -> String {
        var sum = Checksum()
        for entry in response.entry {
            sum.add("\(entry.id)")
            sum.add(entry.patientId)
            sum.add(entry.entryDate.description)
            sum.add("\(entry.recordedAt.secondsSinceEpoch)")
            sum.add("\(entry.systolic)")
            sum.add("\(entry.diastolic)")
            sum.add(entry.weight.description)
            sum.add(entry.pulse.map { "\($0)" } ?? "-")
            sum.add(entry.flagged ? "1" : "0")
            sum.add(entry.note?.value ?? "-")
            sum.add(entry.kind.rawValue)
            for tag in entry.tag { sum.add(tag) }
            sum.add(entry.attachment?.bytes ?? [])
            sum.add("\(entry.revision)")
            sum.add(entry.source ?? "-")
        }
        return sum.description(of: response.entry.count)
    }
}

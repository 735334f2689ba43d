import SignetXML

/// A diary that both sides can hold without loss: gSOAP keeps whole seconds only and does not tell nil from absent.
enum Sample {
    static func response(entries: Int) -> WebEase.LogEntryQueryResponse {
        .init(entry: (0..<entries).map(entry), truncated: false)
    }

    private static func entry(_ index: Int) -> WebEase.LogEntry {
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
        entry.note = index % 4 == 0 ? nil : .value("Nach dem Fr\u{FC}hst\u{FC}ck & vor dem Spaziergang gemessen")
        entry.kind = [.manual, .device, .imported, .corrected][index % 4]
        entry.tag = index % 2 == 0 ? ["morning", "rest"] : []
        entry.attachment = index % 10 == 0 ? XSDBase64Binary((0..<48).map { UInt8(($0 * 5 + index) & 0xFF) }) : nil
        entry.revision = Int32(1 + index % 5)
        entry.source = index % 2 == 0 ? "signet-bp-meter/2.1" : nil
        return entry
    }
}

/// A number that every field of every entry goes into (FNV-1a, 64 bits), so that no side can have left anything out.
struct Checksum {
    private var value: UInt64 = 0xcbf2_9ce4_8422_2325

    static func of(_ response: WebEase.LogEntryQueryResponse) -> String {
        var sum = Checksum()
        for entry in response.entry { sum.add(entry) }
        return "\(response.entry.count) entries, \(String(sum.value, radix: 16))"
    }

    private mutating func add(_ entry: WebEase.LogEntry) {
        add("\(entry.id)")
        add(entry.patientId)
        add(entry.entryDate.description)
        add("\(entry.recordedAt.secondsSinceEpoch)")
        add("\(entry.systolic)")
        add("\(entry.diastolic)")
        add(entry.weight.description)
        add(entry.pulse.map { "\($0)" } ?? "-")
        add(entry.flagged ? "1" : "0")
        add(entry.note?.value ?? "-")
        add(entry.kind.rawValue)
        for tag in entry.tag { add(tag) }
        add(entry.attachment?.bytes ?? [])
        add("\(entry.revision)")
        add(entry.source ?? "-")
    }

    private mutating func add(_ text: String) { add(Array(text.utf8)) }

    private mutating func add(_ bytes: [UInt8]) {
        for byte in bytes + [0] { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}

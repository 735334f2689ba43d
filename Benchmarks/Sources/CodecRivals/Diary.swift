import CodecCost
import Foundation

/// The answer as both rivals hold it: dates and decimals are kept as text, which is the cheapest that they can do.
struct Diary: Codable, Sendable {
    struct Entry: Codable, Sendable {
        var source: String?
        var id: Int64 = 0
        var patientId = ""
        var entryDate = ""
        var recordedAt = ""
        var systolic: Int32 = 0
        var diastolic: Int32 = 0
        var weight = ""
        var pulse: Int32?
        var flagged = false
        var note: String?
        var kind: Kind = .manual
        var tag: [String] = []
        var attachment: Data?
        var revision: Int32 = 0
    }

    enum Kind: String, Codable, Sendable {
        case manual = "Manual"
        case device = "Device"
        case imported = "Imported"
        case corrected = "Corrected"
    }

    enum CodingKeys: String, CodingKey { case xmlns, entry, truncated }

    /// The namespace, which XMLCoder writes as if it were an attribute.
    var xmlns: String?
    var entry: [Entry] = []
    var truncated = false

    func checksum() throws -> String {
        var sum = Checksum()
        for entry in entry {
            sum.add("\(entry.id)")
            sum.add(entry.patientId)
            sum.add(entry.entryDate)
            sum.add("\(Int64(try Date(entry.recordedAt, strategy: .iso8601).timeIntervalSince1970))")
            sum.add("\(entry.systolic)")
            sum.add("\(entry.diastolic)")
            sum.add(entry.weight)
            sum.add(entry.pulse.map { "\($0)" } ?? "-")
            sum.add(entry.flagged ? "1" : "0")
            sum.add(entry.note ?? "-")
            sum.add(entry.kind.rawValue)
            for tag in entry.tag { sum.add(tag) }
            sum.add(Array(entry.attachment ?? Data()))
            sum.add("\(entry.revision)")
            sum.add(entry.source ?? "-")
        }
        return sum.description(of: entry.count)
    }
}

/// The message is not what the rival expects.
struct Unreadable: Error { var what: String }

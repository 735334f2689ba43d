import Foundation

/// A call as the programs in `Peers` that are clients of WebEase report it.
struct PeerCall: Decodable, Sendable {
    struct Fault: Decodable, Sendable {
        let code: String
        let reason: String
        /// The codes below the code (SOAP 1.2), where the program tells them.
        let subcode: String?
        /// The name of a declared fault and what it says, `EntryNotFound id=7`.
        let detail: String?
    }
    /// Without the element around a single value.
    enum Answer: Decodable, Sendable {
        case deleted(Bool)
        case entry(Entry)
        case found(Found)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let deleted = try? container.decode(Bool.self) {
                self = .deleted(deleted)
            } else if let entry = try? container.decode(Entry.self) {
                self = .entry(entry)
            } else {
                self = .found(try container.decode(Found.self))
            }
        }

        var entry: Entry? {
            if case .entry(let entry) = self { entry } else { nil }
        }
        var found: Found? {
            if case .found(let found) = self { found } else { nil }
        }
        var isDeleted: Bool {
            if case .deleted(true) = self { true } else { false }
        }
    }
    struct Found: Decodable, Sendable {
        let entry: [Entry]
        let truncated: Bool
    }
    struct Entry: Decodable, Sendable {
        let id: Int64
        let patientId: String
        let entryDate: String
        let systolic: Int
        let weight: String
        let pulse: Int?
        let note: String?
        let kind: String
        let tag: [String]?
        /// In hexadecimal digits.
        let attachment: String?
        let revision: Int
        let source: String?
    }
    /// What is no answer of the service.
    struct Failure: Decodable, Sendable {
        let type: String
        let message: String
    }
    let result: Answer?
    let fault: Fault?
    let error: Failure?
    /// The media type of the answer, which tells the version of SOAP that the service spoke.
    let contentType: String?
}

import CodecCost
import Foundation

#if canImport(FoundationXML)
import FoundationXML
#endif

/// Foundation's `XMLParser`: its events alone, and a delegate written by hand that fills a structure.
enum XMLParserRival {
    static var program: Program<Data, Diary> {
        var program = Program<Data, Diary> { try Data(contentsOf: URL(filePath: $0)) }
        program.parse = { try parse($0, Nothing()) }
        program.decode = { data in
            let reader = Reader()
            try parse(data, reader)
            if let failure = reader.failure { throw Unreadable(what: failure) }
            return reader.diary
        }
        program.checksum = { try $0.checksum() }
        return program
    }

    private static func parse(_ data: Data, _ delegate: any XMLParserDelegate) throws {
        let parser = XMLParser(data: data)
        parser.shouldProcessNamespaces = true
        parser.delegate = delegate
        guard parser.parse() else { throw Unreadable(what: "\(String(describing: parser.parserError))") }
    }

    /// Takes what a reader would take, and does nothing with it.
    private final class Nothing: NSObject, XMLParserDelegate {
        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {}
        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {}
        func parser(_ parser: XMLParser, foundCharacters string: String) {}
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var diary = Diary()
        var failure: String?
        private var entry = Diary.Entry()
        private var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
            attributes: [String: String]
        ) {
            text = ""
            if name == "entry" {
                entry = Diary.Entry()
                entry.source = attributes["source"]
            }
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            switch name {
            case "id": read(&entry.id, Int64.init)
            case "patientId": entry.patientId = text
            case "entryDate": entry.entryDate = text
            case "recordedAt": entry.recordedAt = text
            case "systolic": read(&entry.systolic, Int32.init)
            case "diastolic": read(&entry.diastolic, Int32.init)
            case "weight": entry.weight = text
            case "pulse": read(&entry.pulse, Int32.init)
            case "flagged": read(&entry.flagged, Bool.init)
            case "note": entry.note = text
            case "kind": read(&entry.kind, Diary.Kind.init(rawValue:))
            case "tag": entry.tag.append(text)
            case "attachment": read(&entry.attachment) { Data(base64Encoded: $0) }
            case "revision": read(&entry.revision, Int32.init)
            case "entry": diary.entry.append(entry)
            case "truncated": read(&diary.truncated, Bool.init)
            default: break
            }
        }

        private func read<Value>(_ value: inout Value, _ make: (String) -> Value?) {
            if let found = make(text) { value = found } else { failure = "'\(text)' is not a \(Value.self)" }
        }

        private func read<Value>(_ value: inout Value?, _ make: (String) -> Value?) {
            if let found = make(text) { value = found } else { failure = "'\(text)' is not a \(Value.self)" }
        }
    }
}

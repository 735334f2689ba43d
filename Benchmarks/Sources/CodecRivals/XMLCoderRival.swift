import CodecCost
import Foundation
import XMLCoder

/// CoreOffice's XMLCoder: `Codable` structures. It writes default namespaces, so that one set of keys serves both ways.
enum XMLCoderRival {
    static var program: Program<Data, Envelope> {
        var program = Program<Data, Envelope> { try Data(contentsOf: URL(filePath: $0)) }
        program.decode = decode
        program.encode = { try encode($0).count }
        program.bytes = { Array(try encode($0)) }
        program.checksum = { try $0.body.response.checksum() }
        return program
    }

    struct Envelope: Codable {
        enum CodingKeys: String, CodingKey { case body = "Body" }
        struct Body: Codable {
            enum CodingKeys: String, CodingKey { case response = "LogEntryQueryResponse" }
            var response: Diary
        }
        var body: Body
    }

    private static func decode(_ data: Data) throws -> Envelope {
        let decoder = XMLDecoder()
        decoder.shouldProcessNamespaces = true
        return try decoder.decode(Envelope.self, from: data)
    }

    private static func encode(_ envelope: Envelope) throws -> Data {
        var envelope = envelope
        envelope.body.response.xmlns = "urn:signet:example:webease:types"
        return try XMLEncoder().encode(
            envelope, withRootKey: "Envelope",
            rootAttributes: ["xmlns": "http://schemas.xmlsoap.org/soap/envelope/"],
            header: XMLHeader(version: 1.0, encoding: "UTF-8"))
    }
}

extension Diary: DynamicNodeEncoding {
    static func nodeEncoding(for key: any CodingKey) -> XMLEncoder.NodeEncoding {
        key.stringValue == CodingKeys.xmlns.stringValue ? .attribute : .element
    }
}

extension Diary.Entry: DynamicNodeEncoding {
    static func nodeEncoding(for key: any CodingKey) -> XMLEncoder.NodeEncoding {
        key.stringValue == "source" ? .attribute : .element
    }
}

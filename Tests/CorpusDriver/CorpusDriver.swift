import Foundation
@_spi(Generated) public import SignetSOAP

/// What a program made of generated code does: reads instances of messages and writes them anew.
///
///     PROGRAM INSTANCES
///
/// `INSTANCES` is a file of frames, each with the number of a message; on standard output comes a frame for each.
public struct CorpusDriver {
    private var messages: [([UInt8]) throws -> [UInt8]] = []

    public init() {}

    /// Adds the next message.
    ///
    /// - Parameter isEncoded: whether it is written by the rules of SOAP's encoding.
    public mutating func add(_ type: any XMLStructure.Type, isEncoded: Bool) {
        messages.append { try Self.roundTrip($0, type, isEncoded) }
    }

    private static func roundTrip<T: XMLStructure>(
        _ instance: [UInt8], _ type: T.Type, _ isEncoded: Bool
    ) throws -> [UInt8] {
        let (element, value) = try XMLReader.read(instance) { (reader) throws(XMLError) in
            if isEncoded { reader.tolerance.insert(.namespace) }
            try reader.root()
            let element = XMLName(reader.namespaceURI, reader.elementName)
            let value = try reader.structure(type)
            try reader.finish()
            return (element, value)
        }
        var writer = XMLWriter()
        writer.writesTypes = isEncoded
        writer.element(element, value)
        return try writer.finish()
    }

    /// Answers the instances in the file that the command line names.
    public func run() throws {
        guard let path = CommandLine.arguments.dropFirst().first else { return }
        for frame in CorpusFrame.all(in: Array(try Data(contentsOf: URL(filePath: path)))) {
            // Written one by one: after a trap it is seen which was the last.
            try FileHandle.standardOutput.write(contentsOf: Data(answer(frame).bytes))
        }
    }

    private func answer(_ frame: CorpusFrame) -> CorpusFrame {
        guard messages.indices.contains(frame.number) else {
            return CorpusFrame(number: CorpusFrame.failure, content: Array("there is no such message".utf8))
        }
        do {
            return CorpusFrame(number: CorpusFrame.success, content: try messages[frame.number](frame.content))
        } catch {
            return CorpusFrame(number: CorpusFrame.failure, content: Array("\(error)".utf8))
        }
    }
}

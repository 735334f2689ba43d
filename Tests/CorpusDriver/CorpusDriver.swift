import Foundation
@_spi(Generated) public import SignetSOAP

/// What a program made of generated code does: reads instances of messages and writes them again.
///
///     PROGRAM INSTANCES [SECONDS]
///
/// `INSTANCES` is a file of frames, each with the number of a message; on standard output comes a frame for each: what
/// was written, or with seconds the microseconds that it takes to read and to write the instance, the least of what was
/// measured in so long.
public struct CorpusDriver {
    /// What is done with an instance of a message.
    private struct Message {
        let roundTrip: ([UInt8]) throws -> [UInt8]
        let times: ([UInt8], Duration) throws -> (reading: Double, writing: Double)
    }

    private var messages: [Message] = []

    public init() {}

    /// Adds the next message.
    ///
    /// - Parameter isEncoded: whether it is written by the rules of SOAP's encoding.
    public mutating func add(_ type: any XMLStructure.Type, isEncoded: Bool) {
        messages.append(
            Message {
                try Self.roundTrip($0, type, isEncoded)
            } times: {
                try Self.times($0, type, isEncoded, $1)
            })
    }

    private static func roundTrip<T: XMLStructure>(
        _ instance: [UInt8], _ type: T.Type, _ isEncoded: Bool
    ) throws -> [UInt8] {
        let (element, value) = try read(instance, type, isEncoded)
        return try write(value, as: element, isEncoded)
    }

    private static func read<T: XMLStructure>(
        _ instance: [UInt8], _ type: T.Type, _ isEncoded: Bool
    ) throws(XMLError) -> (XMLName, T) {
        try XMLReader.read(instance) { (reader) throws(XMLError) in
            if isEncoded { reader.tolerance.insert(.namespace) }
            try reader.root()
            let element = XMLName(reader.namespaceURI, reader.elementName)
            let value = try reader.structure(type)
            try reader.finish()
            return (element, value)
        }
    }

    private static func write<T: XMLStructure>(
        _ value: T, as element: XMLName, _ isEncoded: Bool
    ) throws(XMLError) -> [UInt8] {
        var writer = XMLWriter()
        writer.writesTypes = isEncoded
        writer.element(element, value)
        return try writer.finish()
    }

    private static func times<T: XMLStructure>(
        _ instance: [UInt8], _ type: T.Type, _ isEncoded: Bool, _ duration: Duration
    ) throws -> (reading: Double, writing: Double) {
        let (element, value) = try read(instance, type, isEncoded)
        return (
            try least(of: duration) { _ = try read(instance, type, isEncoded) },
            try least(of: duration) { _ = try write(value, as: element, isEncoded) }
        )
    }

    /// The least microseconds of a piece of work, of all times that fit into a duration.
    private static func least(of duration: Duration, _ work: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        let end = clock.now + duration
        var least = Duration.seconds(Int64.max)
        repeat { least = min(least, try clock.measure(work)) } while clock.now < end
        return least / .microseconds(1)
    }

    /// Answers the instances in the file that the command line names.
    public func run() throws {
        guard let path = CommandLine.arguments.dropFirst().first else { return }
        let seconds = CommandLine.arguments.dropFirst(2).first.flatMap { Double($0) }
        for frame in CorpusFrame.all(in: Array(try Data(contentsOf: URL(filePath: path)))) {
            // Written one by one: after a trap it is seen which was the last.
            try FileHandle.standardOutput.write(contentsOf: Data(answer(frame, seconds).bytes))
        }
    }

    private func answer(_ frame: CorpusFrame, _ seconds: Double?) -> CorpusFrame {
        guard messages.indices.contains(frame.number) else {
            return CorpusFrame(number: CorpusFrame.failure, content: Array("there is no such message".utf8))
        }
        do {
            let message = messages[frame.number]
            guard let seconds else {
                return CorpusFrame(number: CorpusFrame.success, content: try message.roundTrip(frame.content))
            }
            let times = try message.times(frame.content, .seconds(seconds))
            return CorpusFrame(
                number: CorpusFrame.success, content: Array("\(times.reading) \(times.writing)".utf8))
        } catch {
            return CorpusFrame(number: CorpusFrame.failure, content: Array("\(error)".utf8))
        }
    }
}

import SignetXML

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// One side of the codec benchmark; `gSOAP/codec.cpp` is the other and understands the same commands.
@main struct CodecBenchmark {
    static func main() throws {
        let arguments = CommandLine.arguments
        func argument(_ index: Int) throws -> String {
            guard arguments.indices.contains(index) else { throw Usage() }
            return arguments[index]
        }
        switch try argument(1) {
        case "make":
            guard let entries = Int(try argument(2)), entries >= 0 else { throw Usage() }
            try File.write(Message.encode(Sample.response(entries: entries)), to: try argument(3))
        case "check":
            print(Checksum.of(try Message.decode(File.read(try argument(2)))))
        case "copy":
            try File.write(Message.encode(Message.decode(File.read(try argument(2)))), to: try argument(3))
        case "decode":
            let bytes = try File.read(try argument(2))
            print(
                try Stopwatch.microseconds(for: try argument(3)) {
                    guard try Message.decode(bytes).truncated == false else { throw Usage() }
                })
        case "encode":
            let response = try Message.decode(File.read(try argument(2)))
            print(
                try Stopwatch.microseconds(for: try argument(3)) {
                    guard try !Message.encode(response).isEmpty else { throw Usage() }
                })
        default: throw Usage()
        }
    }
}

struct Usage: Error, CustomStringConvertible {
    var description: String {
        "usage: make ENTRIES FILE | check FILE | copy FROM TO | decode FILE SECONDS | encode FILE SECONDS"
    }
}

/// The whole envelope, read and written with the calls that SignetSOAP makes.
enum Message {
    private static let soap = XMLNamespace("http://schemas.xmlsoap.org/soap/envelope/")
    private static let types = XMLNamespace("urn:signet:example:webease:types")
    private static let envelope = XMLName(soap, "Envelope")
    private static let opening = XMLOpening(envelope, declaring: [("soap", soap), ("t", types)])
    private static let body = XMLName(soap, "Body")
    private static let response = XMLName(types, "LogEntryQueryResponse")

    static func decode(_ bytes: [UInt8]) throws -> WebEase.LogEntryQueryResponse {
        try XMLReader.read(bytes) { reader in
            var result: WebEase.LogEntryQueryResponse?
            try reader.root()
            while try reader.nextChild() {
                guard reader.isElement(body) else {
                    try reader.skipElement()
                    continue
                }
                while try reader.nextChild() {
                    if reader.isElement(response) { result = try reader.structure() } else { try reader.skipElement() }
                }
            }
            try reader.finish()
            guard let result else { throw NoAnswer() }
            return result
        }
    }

    static func encode(_ value: WebEase.LogEntryQueryResponse) throws(XMLError) -> [UInt8] {
        var writer = XMLWriter(opening)
        writer.startElement(body)
        writer.element(response, value)
        writer.endElement(body)
        writer.endElement(envelope)
        return try writer.finish()
    }
}

/// Microseconds for one run of `work`: the median of nine measurements that together take the time asked for.
enum Stopwatch {
    static func microseconds(for seconds: String, _ work: () throws -> Void) throws -> Double {
        guard let seconds = Double(seconds), seconds > 0 else { throw Usage() }
        for _ in 0..<3 { try work() }
        let clock = ContinuousClock()
        let share = Duration.seconds(seconds / 9)
        var medians: [Double] = []
        for _ in 0..<9 {
            var runs = 0.0
            let begin = clock.now
            var elapsed = Duration.zero
            repeat {
                try work()
                runs += 1
                elapsed = clock.now - begin
            } while elapsed < share
            let (whole, rest) = elapsed.components
            medians.append((Double(whole) * 1e6 + Double(rest) / 1e12) / runs)
        }
        return medians.sorted()[4]
    }
}

struct NoAnswer: Error, CustomStringConvertible {
    var description: String { "the body of the envelope holds no LogEntryQueryResponse" }
}

struct FileError: Error { var path: String }

/// Whole files, without Foundation.
enum File {
    static func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "rb") else { throw FileError(path: path) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&piece, 1, piece.count, file)
            if count == 0 { return bytes }
            bytes.append(contentsOf: piece[..<count])
        }
    }

    static func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = fopen(path, "wb") else { throw FileError(path: path) }
        guard fwrite(bytes, 1, bytes.count, file) == bytes.count, fclose(file) == 0 else {
            throw FileError(path: path)
        }
    }
}

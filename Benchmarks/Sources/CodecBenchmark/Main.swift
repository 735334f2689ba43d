import CodecCost
import SignetXML

/// Signet's side of the codec benchmark. It makes the messages, too.
///
///     make SHAPE ENTRIES FILE         writes a message; see `Shape`
///     make KIND ITEMS FILE            the same; see `Kind`
///     KIND COMMAND …                  the command for an answer of `Messages.wsdl`
///
/// and what `Program` says.
@main struct CodecBenchmark {
    static func main() { exit { try run(CommandLine.arguments.dropFirst()) } }

    private static func run(_ arguments: ArraySlice<String>) throws {
        let words = Array(arguments)
        if let kind = words.first.flatMap(Kind.init(rawValue:)) { return try kind.run(arguments.dropFirst()) }
        guard words.count == 4, words[0] == "make" else {
            return try Sample.message.program(Sample.checksum).run(arguments)
        }
        guard let count = Int(words[2]), count >= 0 else { throw Usage() }
        if let kind = Kind(rawValue: words[1]) { return try kind.make(count, to: words[3]) }
        guard let shape = Shape(rawValue: words[1]) else { throw Usage() }
        try File.write(shape.message(entries: count), to: words[3])
    }
}

import CorpusDriver
import Foundation
import SignetGeneratorCore
import SignetWSDL

/// The generated code of all services of a WSDL, compiled into one program that reads instances and writes them anew.
struct CompiledServices {
    private let program: URL
    private let folder: URL

    /// - Parameter folder: an empty one.
    /// - Throws: ``CorpusError`` when the code does not compile.
    init(_ services: [ServiceUnderTest], with compiler: SwiftCompiler, in folder: URL) throws {
        var sources: [String] = []
        for (number, service) in services.enumerated() {
            for file in service.files(base: "Service\(number)") {
                try Data(file.text.utf8).write(to: folder.appending(path: file.name))
                sources.append(file.name)
            }
        }
        let main = "main.swift"
        try Data(Self.main(services).utf8).write(to: folder.appending(path: main))
        self.folder = folder
        program = try compiler.compile(sources + [main], in: folder)
    }

    /// The program: it knows the messages of all services by their numbers.
    private static func main(_ services: [ServiceUnderTest]) -> String {
        var lines = ["import CorpusDriver", "import SignetSOAP", "", "var driver = CorpusDriver()"]
        lines += services.flatMap(\.messages).map { "driver.add(\($0.type).self, isEncoded: \($0.isEncoded))" }
        return (lines + ["try driver.run()", ""]).joined(separator: "\n")
    }

    /// Reads instances and writes them again.
    ///
    /// - Parameter instances: each with the number of its message, counted through all services.
    /// - Returns: for each what was written, or why it was refused; fewer than instances when the program was stopped.
    func roundTrip(_ instances: [(message: Int, bytes: [UInt8])]) throws -> [Result<[UInt8], CorpusError>] {
        try run(instances, [])
    }

    /// How many microseconds it takes to read an instance, and to write it again.
    func times(of message: Int, _ bytes: [UInt8], seconds: Double) throws -> (reading: Double, writing: Double) {
        let numbers = try run([(message, bytes)], ["\(seconds)"]).first.map { try $0.get() }
            .map { String(decoding: $0, as: UTF8.self).split(separator: " ").compactMap { Double($0) } }
        guard let numbers, numbers.count == 2 else { throw CorpusError("the compiled code was not measured") }
        return (numbers[0], numbers[1])
    }

    private func run(
        _ instances: [(message: Int, bytes: [UInt8])], _ arguments: [String]
    ) throws -> [Result<[UInt8], CorpusError>] {
        let file = folder.appending(path: "instances")
        let frames = instances.map { CorpusFrame(number: $0.message, content: $0.bytes).bytes }
        try Data(frames.joined()).write(to: file)
        let answers = folder.appending(path: "answers")
        _ = try SwiftCompiler.run(program, [file.path] + arguments, log: answers)
        return CorpusFrame.all(in: Array(try Data(contentsOf: answers))).map { frame in
            frame.number == CorpusFrame.success
                ? .success(frame.content) : .failure(CorpusError(String(decoding: frame.content, as: UTF8.self)))
        }
    }
}

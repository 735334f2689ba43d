package import Foundation

/// Compiles generated Swift with the modules of a build folder.
package struct SwiftCompiler: Sendable {
    /// Where `swift build` has put the checker, modules and object files.
    private let build: URL
    /// What generated code and its driver are linked with.
    private static let modules = ["CorpusDriver", "SignetSOAP", "SignetXML", "SignetHTTP", "HTTPTypes", "Logging"]
    /// The strictest options that a user's package may have.
    private static let options = [
        "-module-name", "Corpus", "-swift-version", "6", "-whole-module-optimization", "-num-threads", "1",
        "-warnings-as-errors",
        "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature", "InternalImportsByDefault",
    ]

    /// Whether what is compiled is measured.
    let isOptimising: Bool

    package init(build: URL, isOptimising: Bool = false) {
        self.build = build
        self.isOptimising = isOptimising
    }

    /// Makes a program of source files.
    ///
    /// - Parameter folder: where the files lie, and where the program is put.
    /// - Throws: ``CorpusError`` with the first error of the compiler.
    func compile(_ sources: [String], in folder: URL) throws -> URL {
        let program = folder.appending(path: "program")
        // The files are too many for a command line.
        let arguments =
            Self.options + [
                isOptimising ? "-O" : "-Onone", "-I", build.appending(path: "Modules").path, "-o", program.path,
            ]
            + (try objects) + sources.map { folder.appending(path: $0).path }
        let list = folder.appending(path: "arguments")
        try Data(arguments.map { "\"\($0)\"\n" }.joined().utf8).write(to: list)
        let (status, said) = try Self.run(
            URL(filePath: "/usr/bin/env"), ["swiftc", "@\(list.path)"], log: folder.appending(path: "log"))
        guard status == 0 else {
            let error = said.split(whereSeparator: \.isNewline).first { $0.contains("error:") }
            throw CorpusError(
                "the generated code does not compile: "
                    + (error.map { $0.replacing("\(folder.path)/", with: "") } ?? "swiftc ended with status \(status)"))
        }
        return program
    }

    /// The object files that the checker itself was linked with: others may lie beside them that are out of date.
    private var objects: [String] {
        get throws {
            let list = build.appending(path: "corpus-check.product/Objects.LinkFileList")
            guard let text = try? String(contentsOf: list, encoding: .utf8) else {
                throw CorpusError("there is no ‘\(list.path)’, which swift build leaves when it links the checker")
            }
            return text.split(whereSeparator: \.isNewline)
                .map { String($0).replacing("'", with: "") }
                .filter { path in Self.modules.contains { path.contains("/\($0).build/") } }
        }
    }

    /// Runs a program; what it says goes to a file.
    static func run(_ program: URL, _ arguments: [String], log: URL) throws -> (status: Int32, said: String) {
        _ = FileManager.default.createFile(atPath: log.path, contents: nil)
        let handle = try FileHandle(forWritingTo: log)
        defer { try? handle.close() }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: try Data(contentsOf: log), as: UTF8.self))
    }
}

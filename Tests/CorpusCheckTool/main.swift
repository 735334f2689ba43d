import CorpusCheck
import Foundation

/// The command line of scripts/check-corpus, which says what the options mean.
struct Arguments {
    var folder = ""
    var json = false
    var samples = 3
    var jobs = 2
    var python: String?
    var script = ""
    var work = ""
    var only: String?
    var broken: String?
    var list: String?
    var compiles = false
    var measures = false
    var build = ""

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        func value(_ option: String) throws -> String {
            guard let value = rest.popFirst() else { throw CorpusError("\(option) needs a value.") }
            return value
        }
        func number(_ option: String, from least: Int) throws -> Int {
            let text = try value(option)
            guard let number = Int(text), (least...1000).contains(number) else {
                throw CorpusError("\(option) takes a number from \(least) to 1000, not ‘\(text)’.")
            }
            return number
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": json = true
            case "--compile": compiles = true
            case "--times": (compiles, measures) = (true, true)
            case "--build": build = try value(argument)
            case "--list": list = try value(argument)
            case "--sample": samples = try number(argument, from: 0)
            case "--jobs": jobs = try number(argument, from: 1)
            case "--python": python = try value(argument)
            case "--judge": script = try value(argument)
            case "--work": work = try value(argument)
            case "--only": only = try value(argument)
            case "--broken": broken = try value(argument)
            default:
                guard folder.isEmpty, !argument.hasPrefix("-") else {
                    throw CorpusError("there is no option ‘\(argument)’; see --help.")
                }
                folder = argument
            }
        }
        guard !folder.isEmpty else { throw CorpusError("name the folder of WSDLs; see --help.") }
    }
}

func complain(_ text: String) { FileHandle.standardError.write(Data("check-corpus: \(text)\n".utf8)) }

do {
    let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
    let folder = URL(filePath: arguments.folder, directoryHint: .isDirectory).standardizedFileURL
    var cases = try CorpusCase.all(in: folder)
    guard !cases.isEmpty else { throw CorpusError("there is no WSDL in ‘\(arguments.folder)’.") }
    if let only = arguments.only { cases = cases.filter { $0.name.contains(only) } }
    if let list = arguments.list { cases = try CorpusCase.listed(in: URL(filePath: list), cases) }
    guard !cases.isEmpty else {
        throw CorpusError("no WSDL in ‘\(arguments.folder)’ is what --only and --list ask for.")
    }
    let work = URL(
        filePath: arguments.work.isEmpty ? NSTemporaryDirectory() : arguments.work, directoryHint: .isDirectory)
    let judges = arguments.python.map { Judges(python: $0, script: arguments.script) }
    let broken = try arguments.broken.map { try BrokenList(contentsOf: URL(filePath: $0)) } ?? BrokenList()
    let compiler =
        arguments.compiles
        ? SwiftCompiler(
            build: URL(filePath: arguments.build, directoryHint: .isDirectory), isOptimising: arguments.measures) : nil
    let checker = CorpusChecker(
        samples: arguments.samples, judges: judges, work: work, broken: broken, compiler: compiler)
    let reports = await checker.checkAll(cases, jobs: arguments.jobs) { report in
        if !arguments.json { print(report.line) }
    }
    if arguments.json {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        print(String(decoding: try encoder.encode(reports), as: UTF8.self))
    } else {
        for report in reports {
            for note in report.notes { print("note     \(report.name): \(note)") }
        }
    }
    if arguments.compiles, !arguments.json {
        let seconds = reports.compactMap(\.compileSeconds)
        print("compiled \(seconds.count) WSDLs in \(Int(seconds.reduce(0, +).rounded())) s, added up")
    }
    if arguments.measures, !arguments.json {
        print("\n| WSDL | message | bytes | µs read | MB/s | µs written | libxml2's SAX, divided by reading |")
        print("|---|---|---:|---:|---:|---:|---:|")
        for report in reports { if let times = report.times { print(times.row(of: report.name)) } }
        print()
    }
    let failed = reports.count { $0.outcome == .failed }
    // With --json the last line must be that of the array.
    let total = "\(reports.count - failed) passed, \(failed) failed"
    if arguments.json { complain(total) } else { print(total) }
    exit(failed == 0 ? 0 : 1)
} catch {
    complain("\(error)")
    exit(2)
}

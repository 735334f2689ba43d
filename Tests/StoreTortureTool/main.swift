#if SQLite
import Foundation

// Kills processes that write into one store, and looks whether anything that was confirmed is lost:
// scripts/torture-stores.

let usage = """
    Usage: store-torture [--processes N] [--items N] [--every MILLISECONDS] [--folder PATH]
    """

func fail(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
}

var options = TortureOptions()
var arguments = CommandLine.arguments.dropFirst()
while let name = arguments.popFirst() {
    guard let value = arguments.popFirst() else { fail(usage, status: 2) }
    let number = Int(value).flatMap { (1...10_000_000).contains($0) ? $0 : nil }
    switch (name, number) {
    case ("--processes", let number?): options.processes = number
    case ("--items", let number?): options.items = number
    case ("--every", let number?) where number <= 60_000: options.milliseconds = number
    case ("--folder", _): options.folder = value
    case ("--rekey", _): options.rekeyed = value
    case ("--fill", _):
        options.folder = value
        options.fills = true
    case ("--worker", _):
        guard let worker = Int(value) else { fail(usage, status: 2) }
        options.worker = worker
    default: fail(usage, status: 2)
    }
}

do {
    if options.fills {
        try await fill(options)
    } else if let store = options.rekeyed {
        try await changeKeys(of: store)
    } else if let number = options.worker {
        try await Worker(number: number, options: options).run()
    } else {
        try await Torture(options: options).run()
    }
} catch { fail("store-torture: \(error)", status: 1) }
#endif

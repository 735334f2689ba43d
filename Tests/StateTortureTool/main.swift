#if Server && SQLite
import Foundation

// Sends each message to two servers that share a state: scripts/torture-state.

let usage = """
    Usage: state-torture serve PORT LOG KEY FILE | state-torture serve PORT LOG KEY SOCKETS DATABASEPORT
           state-torture drive PAIRS TASKS URL URL
    """

func fail(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(status)
}

let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.map { Int($0) ?? -1 }
do {
    switch (arguments.first, arguments.count) {
    case ("serve", 5) where numbers[1] > 0:
        try await Serving(port: numbers[1], file: arguments[4], key: arguments[3], log: arguments[2]).run()
    case ("serve", 6) where numbers[1] > 0 && numbers[5] > 0:
        try await Serving(
            port: numbers[1], database: (arguments[4], numbers[5]), key: arguments[3], log: arguments[2]
        ).run()
    case ("drive", 5) where numbers[1] > 0 && numbers[2] > 0:
        try await Driving(pairs: numbers[1], tasks: numbers[2], urls: Array(arguments[3...])).run()
    default: fail(usage, status: 2)
    }
} catch { fail("state-torture: \(error)", status: 1) }
#endif

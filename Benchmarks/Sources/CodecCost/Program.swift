#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What a program of the codec benchmark can do, and the commands that all of these programs understand.
///
///     check FILE                      prints how many entries were read, and a checksum of all their fields
///     copy FROM TO                    reads a message, and writes what was read
///     decode|encode|parse FILE SECONDS
///                                     prints microseconds a message
///     run OPERATION FILE COUNT        does it so many times, for others to watch its memory
///
/// What has no value here is a command that the program does not understand.
public struct Program<Input, Value> {
    /// Reads a file into what the codec wants its bytes in.
    public var read: (String) throws -> Input
    public var decode: ((Input) throws -> Value)?
    public var encode: ((Value) throws -> Int)?
    public var parse: ((Input) throws -> Void)?
    public var bytes: ((Value) throws -> [UInt8])?
    public var checksum: ((Value) throws -> String)?

    public init(_ read: @escaping (String) throws -> Input) { self.read = read }

    public func run(_ arguments: ArraySlice<String>) throws {
        let words = Array(arguments)
        func word(_ index: Int) throws -> String {
            guard words.indices.contains(index) else { throw Usage() }
            return words[index]
        }
        func file(_ index: Int) throws -> Input { try read(word(index)) }
        func part<Part>(_ part: Part?) throws -> Part {
            guard let part else { throw Usage() }
            return part
        }
        switch try word(0) {
        case "check":
            print(try part(checksum)(part(decode)(file(1))))
        case "copy":
            try File.write(part(bytes)(part(decode)(file(1))), to: word(2))
        case "run":
            guard let count = Int(try word(3)), count >= 0 else { throw Usage() }
            let bytes = try file(2)
            guard count > 0 else { return }
            let work = try self.work(word(1), bytes)
            for _ in 0..<count { try work() }
        case let operation:
            guard let seconds = Double(try word(2)), seconds > 0 else { throw Usage() }
            print(try Stopwatch.microseconds(for: seconds, work(operation, file(1))))
        }
    }

    private func work(_ operation: String, _ bytes: Input) throws -> () throws -> Void {
        switch (operation, decode, encode, parse) {
        case ("decode", let decode?, _, _):
            return { _ = try decode(bytes) }
        case ("encode", let decode?, let encode?, _):
            let value = try decode(bytes)
            return { guard try encode(value) > 0 else { throw Usage() } }
        case ("parse", _, _, let parse?):
            return { try parse(bytes) }
        default: throw Usage()
        }
    }
}

/// The command is not one that the program understands.
public struct Usage: Error, CustomStringConvertible {
    public init() {}

    public var description: String {
        "usage: check FILE | copy FROM TO | decode|encode|parse FILE SECONDS | run OPERATION FILE COUNT"
    }
}

/// Ends the process as scripts expect it: with what went wrong on standard error, and no trap.
public func exit(after work: () throws -> Void) -> Never {
    do {
        try work()
        exit(0)
    } catch {
        let line = Array("\(error)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(error is Usage ? 2 : 1)
    }
}

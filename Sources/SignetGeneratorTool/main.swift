import SignetGeneratorConfiguration
import SignetGeneratorCore
import SignetWSDL

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Prints a line to standard error, as compilers do; a failure cannot be reported anywhere.
func writeError(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

do {
    let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
    if arguments.wantsHelp {
        print(Arguments.usage)
        exit(0)
    }
    let result = Generator.run(arguments.task)
    for diagnostic in result.diagnostics { writeError(TerminalText.line("\(diagnostic)")) }
    exit(result.hasErrors ? 1 : 0)
} catch {
    writeError(TerminalText.line("signet-generator: error: \(error)"))
    writeError(Arguments.usage)
    exit(2)
}

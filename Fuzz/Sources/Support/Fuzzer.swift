#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ target: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Runs libFuzzer to its end: the package manager requires a `main` in Swift.
public func run(_ target: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) -> Never {
    var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
    exit(runDriver(&count, &arguments, target))
}

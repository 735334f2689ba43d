#if CommandLine
import Dispatch
import Foundation
import SignetWSDL
import Synchronization

/// Asks for a password on the terminal, even when the standard streams are redirected. The terminal does not show the
/// input.
enum PasswordPrompt {
    /// The maximum length; no typed password is longer.
    private static let maximumBytes = 1024

    /// False in commands that no person watches.
    static let isAllowed = Mutex(true)

    /// Asks once.
    ///
    /// The terminal shows input again when this returns, and when a signal ends the program meanwhile.
    static func ask(_ question: String) throws(CommandError) -> String {
        let terminal = isAllowed.withLock { $0 } ? open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC) : -1
        guard terminal >= 0 else {
            throw CommandError("There is no terminal to ask for \(question).")
        }
        defer { close(terminal) }
        var before = termios()
        guard tcgetattr(terminal, &before) == 0 else {
            throw CommandError("The terminal cannot be kept from showing \(question).")
        }
        let watchers = restoring(before, of: terminal)
        defer { for watcher in watchers { watcher.cancel() } }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        // The terminal still shows the line break. Suspending the program is disabled, because it would leave a
        // terminal without echo.
        silent.c_lflag |= tcflag_t(ECHONL)
        let disabled = UInt8(truncatingIfNeeded: fpathconf(terminal, Int32(_PC_VDISABLE)))
        withUnsafeMutableBytes(of: &silent.c_cc) { $0[Int(VSUSP)] = disabled }
        guard tcsetattr(terminal, TCSAFLUSH, &silent) == 0 else {
            throw CommandError("The terminal cannot be kept from showing \(question).")
        }
        defer { tcsetattr(terminal, TCSAFLUSH, &before) }
        write("\(TerminalText.line(question)): ", to: terminal)
        return try line(from: terminal, question)
    }

    private static func line(from terminal: Int32, _ question: String) throws(CommandError) -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while true {
            let count = read(terminal, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else {
                throw CommandError("Nothing was typed for \(question).")
            }
            if byte == UInt8(ascii: "\n") { break }
            bytes.append(byte)
            guard bytes.count <= maximumBytes else {
                throw CommandError("More than \(maximumBytes) bytes were typed for \(question).")
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError("What was typed for \(question) is not UTF-8.")
        }
        return text
    }

    /// Lets a signal that ends the program restore the terminal first.
    private static func restoring(_ modes: termios, of terminal: Int32) -> [any DispatchSourceSignal] {
        [SIGINT, SIGTERM, SIGHUP, SIGQUIT].map { number in
            // Without this, the default action would end the program before the source handles the signal.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                var modes = modes
                tcsetattr(terminal, TCSAFLUSH, &modes)
                write("\n", to: terminal)
                signal(number, SIG_DFL)
                kill(getpid(), number)
            }
            source.setCancelHandler { signal(number, SIG_DFL) }
            source.activate()
            return source
        }
    }

    private static func write(_ text: String, to terminal: Int32) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Foundation.write(terminal, $0.baseAddress, $0.count) }
    }
}
#endif

#if os(Linux)
import Glibc

/// The memory of this process as the kernel counts it.
enum Memory {
    /// Runs `body` and gives how far the resident memory rose above what it was before, in bytes.
    static func peak(of body: () -> Void) -> Int {
        releaseFreed()
        // 5: the peak is counted anew, from what is resident now (proc_pid_clear_refs(5)).
        guard let file = fopen("/proc/self/clear_refs", "w") else { fail("cannot write to /proc/self/clear_refs.") }
        fputs("5", file)
        fclose(file)
        let before = status("VmRSS:")
        body()
        return max(0, status("VmHWM:") - before)
    }

    /// Fails when memory of a known size is not counted as that.
    static func check() {
        let size = 8 << 20
        var count = 0
        let counted = peak { count = [UInt8](repeating: 1, count: size).count }
        guard counted >= size * 15 / 16, counted <= size + 1 << 20 else {
            fail("\(count) bytes in memory were counted as \(counted).")
        }
    }

    /// Gives freed memory back, so that its use counts again. The function is not among the headers that Swift imports.
    private static func releaseFreed() {
        typealias Trim = @convention(c) (Int) -> CInt
        guard let symbol = dlsym(nil, "malloc_trim") else { fail("there is no malloc_trim.") }
        _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }

    private static func status(_ key: String) -> Int {
        guard let file = fopen("/proc/self/status", "r") else { fail("cannot read /proc/self/status.") }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                .split { $0 == " " || $0 == "\t" || $0 == "\n" }
            if words.first.map(String.init) == key, words.count > 1, let value = Int(words[1]) {
                return value << 10
            }
        }
        fail("/proc/self/status does not say \(key)")
    }
}

func fail(_ message: String) -> Never {
    let line = "hostile-documents: \(message)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    exit(2)
}
#endif

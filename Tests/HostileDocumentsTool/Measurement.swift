#if os(Linux)
import Glibc
import HostileDocuments

/// What a document took, in the worst of several ways to read it.
struct Measurement {
    let name: String
    let isRefused: Bool
    let bytes: Int
    var time = Duration.zero
    var slowest = HostileReading.pull
    /// Over the document itself.
    var memory = 0
    var complaint: String?

    init(_ document: HostileDocument) {
        name = document.name
        if case .refused = document.verdict { isRefused = true } else { isRefused = false }
        let made = document.bytes
        bytes = made.count
        // A structure of a million elements is what the program asked for.
        let readings: [HostileReading] = [.pull, .skip, .fragment, .any] + (bytes < 1 << 16 ? [.structure] : [])
        for reading in readings {
            complaint = complaint ?? document.complaint(reading, made: made)
            memory = max(memory, Memory.peak { try? document.read(reading, made) })
            // The least of three when it took long, and of twelve when it took very long: others use the machine too,
            // and what they do to its caches and its clock counts as the reader's time.
            var least = Duration.seconds(3600)
            for attempt in 0..<12 where least > .milliseconds(attempt < 3 ? 20 : 70) {
                least = min(least, processorTime { try? document.read(reading, made) })
            }
            if least > time { (time, slowest) = (least, reading) }
        }
    }

    func complaints(allowed: Duration) -> [String] {
        var complaints = complaint.map { [$0] } ?? []
        if isRefused && time > allowed { complaints.append("took longer than \(allowed)") }
        if bytes + memory > 1_000_000 + 4 * bytes {
            complaints.append("took more memory than 1 MB and four times its size")
        }
        return complaints
    }

    var line: String {
        let microseconds = time.components.attoseconds / 1_000_000_000_000 + time.components.seconds * 1_000_000
        let columns = [(bytes, 10), (Int(microseconds), 14), (memory, 13)].map { value, width in
            let digits = String(value)
            return String(repeating: " ", count: max(1, width - digits.count)) + digits
        }
        let reading = slowest.rawValue + String(repeating: " ", count: 9 - slowest.rawValue.count)
        return "\(columns.joined())  \(reading)  \(name)\(isRefused ? "" : " (well-formed)")"
    }
}

/// The time that the processor worked on `body`, waiting left out.
private func processorTime(_ body: () -> Void) -> Duration {
    func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    body()
    return now() - start
}

/// All that was measured.
struct Report {
    let allowed: Duration
    private var refused = 0
    private var accepted = 0
    private var failures = 0
    private var slowest: Measurement?
    private var hungriest: Measurement?

    init(allowed: Duration) { self.allowed = allowed }

    mutating func add(_ measurement: Measurement, shown: Bool) {
        let complaints = measurement.complaints(allowed: allowed)
        if shown || !complaints.isEmpty { print(measurement.line) }
        for complaint in complaints { print("    WRONG: \(complaint)") }
        if !complaints.isEmpty { failures += 1 }
        fflush(nil)
        guard measurement.isRefused else {
            accepted += 1
            return
        }
        refused += 1
        if slowest.map({ measurement.time > $0.time }) ?? true { slowest = measurement }
        if hungriest.map({ measurement.memory > $0.memory }) ?? true { hungriest = measurement }
    }

    func finish() {
        print(
            "\n\(refused) documents are refused, \(accepted) are well-formed; \(failures) of them are not as they should be."
        )
        if let slowest { print("the slowest refusal:\n\(slowest.line)") }
        if let hungriest { print("the one that took most memory:\n\(hungriest.line)") }
        exit(failures == 0 ? 0 : 1)
    }
}
#endif

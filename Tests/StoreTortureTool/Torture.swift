#if SQLite
import Foundation
import SignetCredentials
import SignetCredentialsSQLite

/// Starts workers, kills them and starts them again until all is written, then looks what is there.
struct Torture {
    let options: TortureOptions

    func run() async throws {
        guard !FileManager.default.fileExists(atPath: options.folder) else {
            throw TortureError("“\(options.folder)” is there already; remove it, or name another folder")
        }
        // Private from the first moment, which the Foundation's folders are not: they are made first and closed then.
        guard mkdir(options.folder, 0o700) == 0 else {
            throw TortureError("“\(options.folder)” cannot be made: \(String(cString: strerror(errno)))")
        }
        _ = try MasterKeyFile.create(path: options.keyFile.path)
        let start = Date()
        let kills = try writeAndKill()
        let written = Date()
        try await verify()
        print(
            """
            \(options.items) items by \(options.processes) processes, of which \(kills) were killed: none lost, none damaged. \
            Written in \(Self.seconds(start, written)) s, verified in \(Self.seconds(written, Date())) s.
            """)
        try FileManager.default.removeItem(atPath: options.folder)
    }

    private static func seconds(_ from: Date, _ to: Date) -> String {
        String(format: "%.1f", to.timeIntervalSince(from))
    }

    private func writeAndKill() throws -> Int {
        var workers: [Int: pid_t] = [:]
        defer { for process in workers.values { kill(process, SIGKILL) } }
        for number in 0..<options.processes { workers[number] = try startWorker(number) }
        var kills = 0
        while !workers.isEmpty {
            usleep(UInt32(clamping: Int.random(in: 1...2 * options.milliseconds) * 1000))
            for (number, process) in workers {
                var status: Int32 = 0
                guard waitpid(process, &status, WNOHANG) == process else { continue }
                workers[number] = nil
                // As wait(2) has it: zero is the end of a process that succeeded, the lower bits are the signal.
                if status == 0 { continue }
                guard status & 0x7F == SIGKILL else { throw TortureError("worker \(number) ended with \(status)") }
                kills += 1
                workers[number] = try startWorker(number)
            }
            // The last ones are not killed more often than they were among many, or they would never come to an end.
            if let victim = workers[Int.random(in: 0..<options.processes)] { kill(victim, SIGKILL) }
        }
        return kills
    }

    private func startWorker(_ number: Int) throws -> pid_t {
        let arguments = [
            "store-torture", "--processes", "\(options.processes)", "--items", "\(options.items)", "--folder",
            options.folder, "--worker", "\(number)",
        ]
        guard let program = Bundle.main.executablePath else { throw TortureError("this program has no path") }
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var process: pid_t = 0
        guard posix_spawn(&process, program, nil, nil, &pointers, environ) == 0 else {
            throw TortureError("a worker could not be started")
        }
        return process
    }

    private func verify() async throws {
        let store = try await options.open()
        let report = try await store.database.check()
        guard report.isSound, report.sound == options.items else {
            throw TortureError("\(report.sound) items of \(options.items) are sound; \(report)")
        }
        var confirmed: [Int: Int] = [:]
        for worker in 0..<options.processes {
            confirmed.merge(try options.confirmed(worker)) { max($0, $1) }
        }
        guard confirmed.count == options.items else { throw TortureError("\(confirmed.count) items were confirmed") }
        let found = Dictionary(
            try await store.find(CredentialQuery()).map { ($0.key, $0.secret) }, uniquingKeysWith: { first, _ in first }
        )
        for item in (0..<options.items).map(Item.init) {
            guard let secret = found[item.key], item.version(of: secret) == confirmed[item.number],
                confirmed[item.number] == item.versions
            else { throw TortureError("item \(item.number) is lost or not what was confirmed") }
        }
    }
}
#endif

import Foundation

/// Programs of others that give a second opinion in tests.
package enum RequiredTool {
    /// Whether tests that need a program run: where it is on the search path, and in CI, which must leave nothing out.
    ///
    /// It is the condition of those tests, as in
    /// `@Test(.enabled(if: RequiredTool.isExpected("xmllint"), "xmllint is not installed"))`. In CI a test without its
    /// program runs and fails.
    package static func isExpected(_ program: String) -> Bool {
        isCI || path(of: program) != nil
    }

    /// Whether tests that need a module of Debian's Python run: where it is installed, and in CI.
    package static func isExpected(pythonModule name: String) -> Bool {
        if isCI { return true }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", "import \(name)"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Where a program lies; nil when it is not on the search path.
    package static func path(of program: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return folders.split(separator: ":").lazy.map { "\($0)/\(program)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    private static var isCI: Bool { ProcessInfo.processInfo.environment["CI"] == "true" }
}

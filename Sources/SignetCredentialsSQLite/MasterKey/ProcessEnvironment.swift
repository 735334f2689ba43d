#if SQLite
import Foundation

enum ProcessEnvironment {
    @Sendable static func value(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
#endif

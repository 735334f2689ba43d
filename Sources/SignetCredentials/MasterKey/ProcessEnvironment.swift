import Foundation

package enum ProcessEnvironment {
    @Sendable package static func value(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}

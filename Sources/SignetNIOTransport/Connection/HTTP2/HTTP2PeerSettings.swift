package import NIOHTTP2

/// Looks for settings of the other side (RFC 9113 §6.5.2) that NIO obeys to its harm. Their connections are ended.
package struct HTTP2PeerSettings {
    package enum Problem: Error, Sendable {
        /// SETTINGS_INITIAL_WINDOW_SIZE is lowered while streams are open, which can make their windows negative (§6.9.2).
        /// NIO's buffer then traps on the empty frame that ends a stream. Honest peers say their window once, before any
        /// stream is open.
        case smallerWindow
        /// SETTINGS_HEADER_TABLE_SIZE allows a table of fields that would fill the memory, since NIO uses all of it.
        /// Peers in use allow 4 to 64 KiB.
        case largeTable
    }

    private static let maximumTableBytes = 1 << 20

    /// The initial window of every connection.
    private var window = 65_535

    package init() {}

    /// Takes a frame that was received.
    ///
    /// - Parameter hasStreams: whether streams are open.
    package mutating func problem(in frame: HTTP2Frame, hasStreams: Bool) -> Problem? {
        guard case .settings(.settings(let settings)) = frame.payload else { return nil }
        var problem: Problem?
        for setting in settings {
            switch setting.parameter {
            case .initialWindowSize:
                // NIO applies all settings of a frame one by one.
                if setting.value < window, hasStreams { problem = .smallerWindow }
                window = setting.value
            case .headerTableSize where setting.value > Self.maximumTableBytes: problem = .largeTable
            default: break
            }
        }
        return problem
    }
}

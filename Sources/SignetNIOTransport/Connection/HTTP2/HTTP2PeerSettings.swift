package import NIOHTTP2

/// Tells whether the other side lowers the initial window of its streams (SETTINGS_INITIAL_WINDOW_SIZE, RFC 9113 §6.9.2).
///
/// That can make the windows of open streams negative, and NIO's buffer then traps on the empty frame that ends a
/// stream. Peers are allowed to do so, but those that are honest say their window once, before any stream is open. Their
/// connections are ended.
package struct HTTP2PeerWindow {
    package struct Lowered: Error {
        package init() {}
    }

    /// The initial window of every connection.
    private var size = 65_535

    package init() {}

    /// Takes a frame that was received.
    package mutating func isLowered(by frame: HTTP2Frame) -> Bool {
        guard case .settings(.settings(let settings)) = frame.payload else { return false }
        let before = size
        // NIO applies all settings of a frame one by one.
        return settings.filter { $0.parameter == .initialWindowSize }.reduce(false) { isLowered, setting in
            size = setting.value
            return isLowered || size < before
        }
    }
}

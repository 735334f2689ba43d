#if CommandLine
import NIOCore
import NIOPosix

/// A port at which the system accepts connections and no program answers.
struct SilentListener: Sendable {
    private let channel: any Channel
    let port: Int

    init() throws {
        // A server channel that never reads never accepts: the connections complete in the system's backlog.
        channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).wait()
        port = channel.localAddress?.port ?? 0
    }

    func close() { try? channel.close().wait() }
}
#endif

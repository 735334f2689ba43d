#if Server
import Logging
import NIOCore
import SignetNIOTLS
import SignetTLS

/// Logs why a connection failed, in one line of the server's own words, because BoringSSL's text names its source
/// files. The level follows the severity: what any client may cause at any time is logged at debug, for an operator who
/// looks for a fault.
final class ConnectionReporter: ChannelInboundHandler {
    typealias InboundIn = NIOAny
    private let gate: ConnectionGate
    private let logger: Logger
    private var hasReported = false

    init(_ gate: ConnectionGate, logger: Logger) {
        self.gate = gate
        self.logger = logger
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !hasReported, !gate.isClosing { report(error, context.channel) }
        hasReported = true
        context.fireErrorCaught(error)
    }

    private func report(_ error: any Error, _ channel: any Channel) {
        let peer = gate.client
        switch ServerTLS.failure(error, on: channel) {
        case .refused(let refusal):
            logger.notice(
                "client certificate refused",
                metadata: ["peer": "\(peer)", "code": "\(refusal.code)", "reason": "\(refusal.message)"])
        case .withoutCertificate:
            logger.notice("client without a certificate refused", metadata: ["peer": "\(peer)"])
        case .key(let failure):
            logger.error(
                "own key does not sign", metadata: ["code": "\(failure.code)", "reason": "\(failure.message)"])
        case .alert(let alert):
            let reason = "the client sent the alert \(alert): \(alert.meaning)"
            logger.info("TLS handshake failed", metadata: ["peer": "\(peer)", "reason": "\(reason)"])
        case .handshake(let reason), .incompatible(let reason):
            logger.info("TLS handshake failed", metadata: ["peer": "\(peer)", "reason": "\(reason)"])
        case .gone(let reason):
            logger.debug("connection ended", metadata: ["peer": "\(peer)", "reason": "\(reason)"])
        }
    }
}
#endif

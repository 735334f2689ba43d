package import NIOCore
import NIOSSL
package import SignetTLS

extension ServerTLS {
    /// Why a connection of a client failed.
    package enum Failure: Sendable {
        /// The client's certificate is not trusted.
        case refused(TrustError)
        /// The client showed no certificate although the server requires one.
        case withoutCertificate
        /// The server's own key did not sign.
        case key(SigningKeyError)
        /// The client sent an alert.
        case alert(TLSAlert)
        /// The two have no version, cipher suite, group or signature algorithm in common; the text says more.
        case incompatible(String)
        /// The handshake failed; the text says why.
        case handshake(String)
        /// The client is gone, or does not speak TLS: the operator cannot change it. The text says more.
        case gone(String)
    }

    /// The failure that an error of a channel means. It contains no text of another library except names. Call it on
    /// the channel's event loop.
    package static func failure(_ error: any Error, on channel: any Channel) -> Failure {
        if let refusal = trustError(of: channel) { return .refused(refusal) }
        switch error {
        case let failure as SigningKeyError where failure != SigningKeyError(.connectionEnded, ""): return .key(failure)
        case is SigningKeyError: return .gone("it ended while the server's key signed")
        case NIOSSLError.handshakeFailed(let cause): return handshakeFailure(cause)
        case NIOSSLError.uncleanShutdown: return .gone("the client closed it without close_notify")
        case let failure as BoringSSLError: return handshakeFailure(failure)
        case is IOError: return .gone("the client reset it")
        default: return .gone("\(type(of: error))")
        }
    }

    private static func handshakeFailure(_ error: BoringSSLError) -> Failure {
        if let alert = error.stack.lazy.compactMap(TLSAlert.received).first {
            return .alert(alert)
        }
        let name = error.reasonName
        switch name {
        case "PEER_DID_NOT_RETURN_A_CERTIFICATE": return .withoutCertificate
        case let name where name.contains("EOF"): return .gone("the client left during the handshake")
        case "HTTP_REQUEST", "HTTPS_PROXY_REQUEST": return .gone("the client speaks HTTP without TLS")
        case "WRONG_VERSION_NUMBER", "UNEXPECTED_MESSAGE", "UNEXPECTED_RECORD", "EXCESSIVE_MESSAGE_SIZE",
            "DECODE_ERROR",
            "CLIENTHELLO_PARSE_FAILED":
            return .gone("the client does not speak TLS, or not as it should (\(name))")
        case "UNSUPPORTED_PROTOCOL": return .incompatible("the client speaks no version of TLS that this server allows")
        case "NO_SHARED_CIPHER": return .incompatible("the client offers no cipher suite that this server has")
        // BoringSSL's word for a client without the curve of the certificate's key, also one that offers no ECDHE at all.
        case "NO_SHARED_GROUP", "NO_COMMON_SIGNATURE_ALGORITHMS", "WRONG_CURVE":
            return .incompatible("the client offers no group or signature algorithm that this server needs (\(name))")
        case let name where name.allSatisfy({ $0.isASCII && ($0.isUppercase || $0.isNumber || $0 == "_") }):
            return .handshake("the client ended it, or its TLS does not fit that of this server (\(name))")
        default: return .handshake("no reason is known")
        }
    }
}

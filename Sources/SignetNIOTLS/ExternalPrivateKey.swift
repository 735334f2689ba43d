import NIOCore
import NIOSSL
import SignetTLS
import Synchronization

/// A key that only signs, in the form that BoringSSL uses: it is called on the event loop, for one signature in each
/// handshake.
final class ExternalPrivateKey: NIOSSLCustomPrivateKey, Hashable {
    private let signer: Signer
    private let unanswered = Mutex(0)
    let signatureAlgorithms: [SignatureAlgorithm]

    init(_ signer: Signer) {
        self.signer = signer
        signatureAlgorithms = signer.algorithms.map(\.forTLS)
    }

    /// The key's name while a signature is outstanding.
    var isWaitedFor: String? { unanswered.withLock { $0 > 0 } ? signer.name : nil }

    func sign(channel: any Channel, algorithm: SignatureAlgorithm, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        guard let wanted = signer.algorithms.first(where: { $0.forTLS == algorithm }) else {
            return channel.eventLoop.makeFailedFuture(
                SigningKeyError(
                    .unsupportedAlgorithm,
                    "The key \(signer.name) does not offer the signature algorithm \(algorithm.rawValue) of TLS."))
        }
        let answer = FirstAnswer(channel.eventLoop.makePromise(of: ByteBuffer.self))
        unanswered.withLock { $0 += 1 }
        let task = Task { [signer] in
            do throws(SigningKeyError) {
                let signature = try await signer.signature(wanted, over: Array(data.readableBytesView))
                answer.give(.success(ByteBuffer(bytes: signature)))
            } catch {
                answer.give(.failure(error))
            }
        }
        // The connection's end must not wait for a device that never answers.
        channel.closeFuture.whenComplete { [signer] _ in
            task.cancel()
            answer.give(.failure(signer.connectionEnded()))
        }
        return answer.future.always { [self] _ in unanswered.withLock { $0 -= 1 } }
    }

    /// Decryption serves only the RSA key exchange, which has no forward secrecy and is not offered for such a key.
    func decrypt(channel: any Channel, data: ByteBuffer) -> EventLoopFuture<ByteBuffer> {
        channel.eventLoop.makeFailedFuture(
            SigningKeyError(.unsupportedAlgorithm, "The key \(signer.name) only signs; it was asked to decrypt."))
    }

    static func == (left: ExternalPrivateKey, right: ExternalPrivateKey) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension SigningAlgorithm {
    /// The code point of RFC 8446 §4.2.3. TLS 1.2 identifies ECDSA by its hash alone (RFC 5246 §7.4.1.4.1); in TLS 1.3
    /// BoringSSL makes sure that the curve fits.
    fileprivate var forTLS: SignatureAlgorithm { .init(rawValue: scheme.code) }
}

import Foundation
import NIOCore
import SignetHTTP
import SignetNIOTLS
import Testing

@testable import SignetNIOTransport

/// When TLS fails, what became of the request.
@Suite(.timeLimit(.minutes(5))) struct ConnectionFailureTests {
    private func describe(
        _ reason: TLSFailure.Reason, namesCertificate: Bool = false, _ progress: ConnectionFailure.Progress
    ) -> TransportError? {
        let failure = TLSFailure(reason, "", namesCertificate: namesCertificate)
        return ConnectionFailure.describe(failure, progress) as? TransportError
    }

    @Test func beforeARequestNothingWasProcessed() {
        for isSecured in [false, true] {
            for reason in [TLSFailure.Reason.certificateRequired, .certificateRefused, .handshake] {
                #expect(describe(reason, .init(isSecured: isSecured))?.mayHaveBeenProcessed == false)
            }
        }
        #expect(describe(.handshake, .init())?.code == .tlsHandshakeFailed)
        #expect(describe(.handshake, .init(isSecured: true))?.code == .connectionClosed)
        #expect(describe(.handshake, .init(isSecured: true))?.cause is TLSFailure)
    }

    @Test func onlyAClearRefusalOfTheFirstRequestMeansThatItWasNotRead() {
        let first = ConnectionFailure.Progress(isSecured: true, hasRequest: true)
        let later = ConnectionFailure.Progress(isSecured: true, isProven: true, hasRequest: true)
        let begun = ConnectionFailure.Progress(isSecured: true, hasRequest: true, hasAnswer: true)
        for (reason, code) in [
            (TLSFailure.Reason.certificateRequired, TransportError.Code.clientCertificateRequired),
            (.certificateRefused, .clientCertificateRefused),
        ] {
            let clear = describe(reason, namesCertificate: true, first)
            #expect(clear?.code == code)
            #expect(clear?.mayHaveBeenProcessed == false)
            // handshake_failure and the like may mean anything.
            #expect(describe(reason, first)?.mayHaveBeenProcessed == true)
            for progress in [later, begun] {
                let error = describe(reason, namesCertificate: true, progress)
                #expect(error?.code == code)
                #expect(error?.mayHaveBeenProcessed == true)
            }
        }
        for progress in [first, later, begun] {
            #expect(describe(.handshake, progress)?.code == .connectionClosed)
            #expect(describe(.handshake, progress)?.mayHaveBeenProcessed == true)
        }
    }

    /// The name of the function that failed is of no use to a reader.
    @Test func theSystemsReasonIsSaidAlone() {
        let failure = ConnectionFailure.describe(
            IOError(errnoCode: ECONNRESET, reason: "read(descriptor:pointer:size:)"), host: "service.example", tls: nil,
            progress: .init(hasRequest: true))
        let message = "The connection to service.example broke: Connection reset by peer."
        #expect("\(failure)".hasPrefix(message), "\(failure)")
    }

    /// A connection that falls while it is opened has carried nothing, whatever it falls of.
    @Test func withoutARequestNothingWasProcessed() {
        let errors: [any Error] = [
            IOError(errnoCode: ECONNRESET, reason: "read"), ChannelError.eof, ChannelError.inputClosed,
        ]
        for error in errors {
            for hasRequest in [false, true] {
                let failure = ConnectionFailure.describe(
                    error, host: "service.example", tls: nil, progress: .init(hasRequest: hasRequest))
                #expect((failure as? TransportError)?.mayHaveBeenProcessed == hasRequest, "\(error)")
            }
        }
    }
}

import SignetAuthentication
import SignetHTTP
import Testing

@testable import SignetNIOTransport

/// What the end of a stream means, and which error a call gets.
@Suite struct StreamEndTests {
    private static let peerCodes = (0...14).map { HTTP2Code(number: $0) }

    // MARK: The meaning

    @Test func aServerRefusesAStream() {
        for code in Self.peerCodes {
            let limit: Int? = [.refusedStream: 5, .http11Required: 1][code]
            let expected = limit.map { StreamEnd.refused(code, atMost: $0) } ?? .reset(code)
            #expect(StreamEnd(code, of: .stream, hasHead: false) == expected, "\(code)")
        }
    }

    @Test func aServerEndsTheConnection() {
        for code in Self.peerCodes {
            let expected = StreamEnd.refused(code, atMost: code == .noError ? 32 : 1)
            #expect(StreamEnd(code, of: .connection, hasHead: false) == expected, "\(code)")
        }
    }

    /// What has an answer was processed, whatever the server says.
    @Test(arguments: [StreamEnd.Scope.stream, .connection])
    func aServerThatHasAnsweredRefusesNothing(_ scope: StreamEnd.Scope) {
        for code in Self.peerCodes {
            #expect(StreamEnd(code, of: scope, hasHead: true) == .reset(code), "\(code)")
        }
    }

    @Test func codes() {
        #expect(Self.peerCodes.map(\.description).prefix(2) == ["NO_ERROR", "PROTOCOL_ERROR"])
        #expect(Self.peerCodes.map(\.description).suffix(2) == ["HTTP_1_1_REQUIRED", "the code 14"])
        #expect("\(HTTP2Code.refusedStream)" == "REFUSED_STREAM" && "\(HTTP2Code(number: -1))" == "the code -1")
        #expect(Self.peerCodes.filter(\.asksForHTTP1) == [.inadequateSecurity, .http11Required])
    }

    // MARK: The error

    @Test func aRefusedRequestWasNotProcessed() throws {
        let error = try #require(Self.error(.refused(.refusedStream, atMost: 5)) as? RefusedRequest)
        #expect(error.limit == 5)
        Self.expect(error.failure, .connectionClosed, mayHaveBeenProcessed: false, names: "REFUSED_STREAM")
    }

    @Test func otherEndsLeaveItOpenWhetherTheRequestWasProcessed() {
        Self.expect(
            Self.error(.reset(.noError)), .connectionClosed, mayHaveBeenProcessed: true, names: "NO_ERROR")
        Self.expect(
            Self.error(.malformed(.init(number: 1))), .malformedResponse, mayHaveBeenProcessed: true,
            names: "PROTOCOL_ERROR")
    }

    @Test func aRequestThatWasNotSent() {
        #expect(Self.error(.stale) is StaleConnection)
        Self.expect(
            Self.error(.late), .deadlineExceeded, mayHaveBeenProcessed: false, names: "service.example")
    }

    /// Only a request without any part of an answer is unanswered, and only a closed connection leaves it so.
    @Test(arguments: [false, true], [false, true])
    func aLostConnection(hasRequest: Bool, hasAnswer: Bool) {
        let end = StreamEnd.lost(.init(isSecured: true, hasRequest: hasRequest, hasAnswer: hasAnswer))
        let error = Self.error(end)
        #expect(error is UnansweredRequest == (hasRequest && !hasAnswer))
        Self.expect(error.failure, .connectionClosed, mayHaveBeenProcessed: hasRequest, names: "lost")
        Self.expect(
            Self.error(end, loss: .clientCertificateRefused), .clientCertificateRefused,
            mayHaveBeenProcessed: hasRequest, names: "lost")
    }

    // MARK: The next step

    /// The legs hear of the limit; a call that is not repeated gets the failure.
    @Test func refusalsReachTheLegs() throws {
        let driver = Driver()
        let error = Self.error(.refused(.noError, atMost: 32))
        #expect(driver.lossEvent(for: error) == .lost(.refused(atMost: 32)))
        Self.expect(
            driver.reported(error, amidHandshakeOf: nil), .connectionClosed, mayHaveBeenProcessed: false,
            names: "NO_ERROR")
    }

    private struct Driver: AuthenticationDriver {
        var peers = AuthenticatingPeers()
        mutating func carryOut(_ action: AuthenticationLegs.Action) -> AuthenticationLegs.Event? { nil }
        func error(for failure: AuthenticationLegs.Failure, after error: (any Error)?) -> any Error {
            error ?? StaleConnection()
        }
    }

    private static func error(_ end: StreamEnd, loss: TransportError.Code = .connectionClosed) -> any Error {
        end.error(from: "service.example", deadline: CallDeadline(Deadlines())) { progress in
            TransportError(loss, "The connection is lost.", mayHaveBeenProcessed: progress.hasRequest)
        }
    }

    private static func expect(
        _ error: any Error, _ code: TransportError.Code, mayHaveBeenProcessed: Bool, names text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = error as? TransportError
        #expect(error?.code == code, sourceLocation: sourceLocation)
        #expect(error?.mayHaveBeenProcessed == mayHaveBeenProcessed, sourceLocation: sourceLocation)
        #expect(error?.message.contains(text) == true, sourceLocation: sourceLocation)
    }
}

import HTTPTypes
import SignetAuthentication
import SignetHTTP
import SignetTesting
import Synchronization
import Testing

@testable import SignetNIOTransport

/// A person who is being asked, while the call that asks has run out of time.
@Suite struct OpenQuestionTests {
    /// - Parameter answered: how many questions get a wrong answer at once; the next one stays open for a while.
    @Test(arguments: [0, 1]) func aQuestionThatIsOpenIsNotAskedTwice(answered: Int) async throws {
        let demand = "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n"
        let server = try ScriptedServer([[[.read, .send(demand), .read, .send(demand), .stall]]])
        let endpoint = try Endpoint("http://127.0.0.1:\(try #require(server.ports.first))/x")
        let questions = Mutex(0)
        var configuration = TransportSetup(origin: endpoint.origin)
        configuration.authentication.allowsPlaintext = true
        configuration.authentication.credentials = .asking { _ in
            let number = questions.withLock {
                $0 += 1
                return $0
            }
            if number <= answered { return .account(user: "u", password: "wrong") }
            // A user who types a password heeds no cancellation.
            await Task.detached { try? await Task.sleep(for: .seconds(2)) }.value
            return nil
        }
        let transport = try configuration.make()
        for _ in 0..<3 {
            var request = ClientRequest(endpoint, method: .get)
            request.deadlines.total = .milliseconds(400)
            let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
            #expect(error?.code == .deadlineExceeded)
        }
        #expect(questions.withLock { $0 } == answered + 1)
        try await transport.shutdown()
    }
}

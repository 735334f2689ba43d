import SignetTLS

/// A client that keeps one connection over TLS, and calls on it each time it is told to. It trusts every server.
final class HeldClient: Sendable {
    private static let script = """
        import http.client, ssl, sys
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.load_cert_chain(sys.argv[3])
        connection = http.client.HTTPSConnection("127.0.0.1", int(sys.argv[1]), context=context)
        connection.connect()
        connection.auto_open = 0
        fields = {"Content-Type": "text/xml; charset=utf-8", "SOAPAction": '""'}
        for line in iter(sys.stdin.readline, ""):
            try:
                connection.request("POST", "/soap", sys.argv[2].encode(), fields)
                answer = connection.getresponse()
                answer.read()
                print(answer.status)
            except Exception as error:
                print(repr(error))
        """

    private struct Gone: Error {}

    private let script: PythonScript
    /// Keeps the file with the client's identity.
    private let files: Curl

    init(_ port: Int, showing identity: Identity, _ message: String) throws {
        files = try Curl()
        let file = try files.write(try identity.pem(password: nil), "client.pem")
        script = try PythonScript(Self.script, ["\(port)", message, file])
    }

    /// The HTTP status of the answer, or what is wrong with the connection.
    func call() async throws -> String {
        try script.send("call")
        guard let answer = await script.line() else { throw Gone() }
        return answer
    }
}

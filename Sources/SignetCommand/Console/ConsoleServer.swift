#if CommandLine
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Signet
import SignetDynamic

/// Serves the console's page on loopback.
struct ConsoleServer: Sendable {
    /// Collections that are imported are the longest requests.
    private static let maximumRequestBytes = 64 << 20

    let api: ConsoleAPI
    let guardian: ConsoleGuard

    func respond(to request: Request) async -> Response {
        let path: Substring
        do { path = try guardian.path(of: request.head) } catch {
            return Self.response(error.status, "text/plain; charset=utf-8", Array("\(error.status)\n".utf8))
        }
        guard path.hasPrefix("api/") else {
            guard request.method == .get, let file = ConsolePage.file(path) else {
                return Self.response(.notFound, "text/plain; charset=utf-8", Array("404 Not Found\n".utf8))
            }
            return Self.response(.ok, file.type, file.content)
        }
        let query = Dictionary(
            request.uri.queryParameters.map { (String($0.key), String($0.value)) },
            uniquingKeysWith: { first, _ in first })
        do {
            // A page that is closed or gives up closes the connection.
            let answer = try await request.body.consumeWithCancellationOnInboundClose { body in
                var value: DynamicValue?
                if request.method == .post {
                    value = try DynamicValue(
                        json: Array(try await body.collect(upTo: Self.maximumRequestBytes).readableBytesView))
                }
                return try await api.answer(path.dropFirst(4), query: query, body: value)
            }
            guard let answer else { return Self.json(.notFound, ["error": "There is nothing at this address."]) }
            var response = Self.json(.ok, answer)
            if path == "api/history/export" {
                response.headers[.contentDisposition] = "attachment; filename=\"signet-history.json\""
            }
            return response
        } catch is NIOTooManyBytesError {
            return Self.json(
                .contentTooLarge, ["error": .string("The request has more than \(Self.maximumRequestBytes >> 20) MB.")])
        } catch {
            let lines = FailureLines.lines(error, isVerbose: false)
            var value: DynamicValue = [
                "error": .string(lines.first ?? "The request failed."), "lines": .strings(Array(lines.dropFirst())),
            ]
            if let error = error as? DynamicError, !error.path.isEmpty {
                value = value.adding("path", .string(error.path))
            }
            return Self.json(.unprocessableContent, value)
        }
    }

    private static func json(_ status: HTTPResponse.Status, _ value: DynamicValue) -> Response {
        response(status, "application/json; charset=utf-8", Array(value.json().utf8))
    }

    private static func response(_ status: HTTPResponse.Status, _ type: String, _ content: [UInt8]) -> Response {
        var fields = ConsoleGuard.fields
        fields[.contentType] = type
        return Response(status: status, headers: fields, body: .init(byteBuffer: .init(bytes: content)))
    }
}
#endif

import Logging

/// Requests that verifiers open as a whole, and answers that they protect.
extension ServiceDispatcher {
    /// A request that all verifiers have opened.
    struct Opened: Sendable {
        var message: SOAPMessage
        var peer: PeerDescription
        var action: String?
        /// How the verifiers protect the answer, in their order.
        var protectors: [@Sendable (SOAPMessage) async throws -> SOAPMessage] = []
    }

    func open(
        _ message: [UInt8], _ parts: ReceivedMessage?, _ charset: String?, _ peer: PeerDescription
    ) async -> Result<Opened, SOAPFault> {
        var opened = Opened(message: SOAPMessage(message, attachments: parts?.attachments ?? []), peer: peer)
        guard parts?.isXOP != true else {
            return .failure(.client("A request with parts by MTOM cannot be verified as a whole."))
        }
        guard MediaType.isUTF8(charset) else {
            return .failure(.client("A request that is verified as a whole must be in UTF-8."))
        }
        do {
            for verifier in verifiers where verifier.needsWholeMessages {
                let request = try await verifier.open(opened.message, from: &opened.peer, roles: roles)
                opened.message = request.message
                opened.action = request.action ?? opened.action
                if let protect = request.protect { opened.protectors.append(protect) }
            }
            return .success(opened)
        } catch { return .failure(objection(error, OperationContext(peer: peer, in: request))) }
    }

    func protected(_ response: Response, _ opened: Opened, _ version: SOAPVersion) async -> Response {
        guard response.contentType != nil, !opened.protectors.isEmpty else { return response }
        do {
            guard let envelope = response.body.bytes else {
                throw ServiceError(.unwritableInput, "an answer in pieces cannot be protected as a whole")
            }
            var message = SOAPMessage(envelope, attachments: response.attachments)
            for protect in opened.protectors { message = try await protect(message) }
            // A fault can be in another version than the request.
            let version =
                response.contentType.flatMap { SOAPVersion.named(byMediaType: MediaType($0).essence) } ?? version
            let content = try OutgoingMessage(
                envelope: message.envelope, version: version, attachments: message.attachments
            ).content()
            var protected = response
            (protected.contentType, protected.body, protected.attachments) = (content.contentType, content.body, [])
            return protected
        } catch {
            log("an answer cannot be protected", error, nil)
            return fault(for: SOAPFault.server("Internal error."), bindings: [], in: version)
        }
    }
}

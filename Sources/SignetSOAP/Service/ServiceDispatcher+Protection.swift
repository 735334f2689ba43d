import Logging

/// Requests that verifiers open as a whole, and answers that they protect.
extension ServiceDispatcher {
    /// A request that all verifiers have opened.
    struct Opened: Sendable {
        var envelope: [UInt8]
        var peer: PeerDescription
        var action: String?
        /// How the verifiers protect the answer, in their order.
        var protectors: [@Sendable ([UInt8]) async throws -> [UInt8]] = []
    }

    func open(
        _ message: [UInt8], _ parts: ReceivedMessage?, _ charset: String?, _ peer: PeerDescription
    ) async -> Result<Opened, SOAPFault> {
        var opened = Opened(envelope: message, peer: peer)
        guard parts == nil else {
            return .failure(.client("A request with attachments cannot be verified as a whole."))
        }
        guard MediaType.isUTF8(charset) else {
            return .failure(.client("A request that is verified as a whole must be in UTF-8."))
        }
        do {
            for verifier in verifiers where verifier.needsWholeMessages {
                let request = try await verifier.open(opened.envelope, from: &opened.peer, roles: roles)
                opened.envelope = request.envelope
                opened.action = request.action ?? opened.action
                if let protect = request.protect { opened.protectors.append(protect) }
            }
            return .success(opened)
        } catch { return .failure(objection(error, OperationContext(peer: peer, in: request))) }
    }

    func protected(_ response: Response, _ opened: Opened, _ version: SOAPVersion) async -> Response {
        guard response.contentType != nil, !opened.protectors.isEmpty else { return response }
        var response = response
        do {
            // The dispatcher sends parts only when the answer has attachments.
            guard var envelope = response.body.bytes, response.contentType?.hasPrefix("multipart/") == false else {
                throw ServiceError(
                    .unwritableInput, "an answer with attachments cannot be protected as a whole: send it without MTOM")
            }
            for protect in opened.protectors { envelope = try await protect(envelope) }
            response.body = HTTPBody(envelope)
            return response
        } catch {
            log("an answer cannot be protected", error, nil)
            return fault(for: SOAPFault.server("Internal error."), bindings: [], in: version)
        }
    }
}

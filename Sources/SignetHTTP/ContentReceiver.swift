public import HTTPTypes

/// Takes the content of an answer as it arrives, so that it need not fit into memory.
public protocol ContentReceiver: Sendable {
    /// Whether it could take content of this type. Content that need not be streamed arrives faster. True by default.
    /// The transport may call this several times, for any answer.
    func mayTake(contentType: String?) -> Bool

    /// Whether it takes the content of this answer, which is otherwise in ``ClientResponse/body``.
    ///
    /// The transport calls this once, for the final answer: not for answers that ask for credentials, interim answers,
    /// or redirects that are followed. It must return without waiting.
    ///
    /// - Parameters:
    ///   - status: the status of the answer.
    ///   - fields: as in ``ClientResponse/fields``; if the content arrived compressed, without its coding and its
    ///     length.
    func takes(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool

    /// Takes the next piece. Pieces arrive in order, one after the other; the transport slows the peer down while this
    /// works.
    ///
    /// Only the return of the call shows that the content is complete: when the call throws, content is missing.
    ///
    /// - Throws: an error that ends the call with ``TransportError/Code/contentRefused``.
    func receive(_ bytes: [UInt8]) async throws
}

extension ContentReceiver {
    public func mayTake(contentType: String?) -> Bool { true }

    /// Passes a piece to the receiver.
    ///
    /// - Throws: ``TransportError`` with `contentRefused`.
    package func take(_ bytes: [UInt8]) async throws(TransportError) {
        do { try await receive(bytes) } catch {
            throw TransportError(
                .contentRefused, "The content of the answer was not taken completely: \(error)",
                mayHaveBeenProcessed: true, cause: error)
        }
    }

    /// Passes content that is in memory to the receiver.
    ///
    /// - Throws: ``TransportError`` with `contentRefused`.
    package func take(all bytes: [UInt8]) async throws(TransportError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            await Task.yield()
            if Task.isCancelled { throw .cancelled(mayHaveBeenProcessed: true) }
            try await take(Array(rest.prefix(65_536)))
            rest = rest.dropFirst(65_536)
        }
    }
}

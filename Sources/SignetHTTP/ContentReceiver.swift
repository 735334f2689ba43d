public import HTTPTypes

/// Takes the content of an answer while it arrives, so that it need not fit into memory.
public protocol ContentReceiver: Sendable {
    /// Whether it could want content of this type: what need not be streamed comes faster. True unless it says otherwise; asked as often as need
    /// be, for any answer.
    func mayTake(contentType: String?) -> Bool

    /// Whether it wants the content of this answer, which is ``ClientResponse/body`` otherwise.
    ///
    /// Asked once, for the answer that counts: not for those that ask for credentials, for interim ones, and for redirects that are
    /// followed. It must decide at once.
    ///
    /// - Parameter fields: as in ``ClientResponse/fields``: of content that came compressed, without its coding and its length.
    func takes(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool

    /// Takes some more, in order, one piece after the other; the peer is slowed down while it works.
    ///
    /// Nothing says that the content is complete before the call has returned: an error of the call means that there should have
    /// been more.
    ///
    /// - Throws: an error that ends the call with ``TransportError/Code/contentRefused``.
    func receive(_ bytes: [UInt8]) async throws
}

extension ContentReceiver {
    public func mayTake(contentType: String?) -> Bool { true }

    /// Hands over a piece.
    ///
    /// - Throws: ``TransportError`` with `contentRefused`.
    package func take(_ bytes: [UInt8]) async throws(TransportError) {
        do { try await receive(bytes) } catch {
            throw TransportError(
                .contentRefused, "The content of the answer was not taken to its end: \(error)",
                mayHaveBeenProcessed: true, cause: error)
        }
    }

    /// Hands over content that is in memory.
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

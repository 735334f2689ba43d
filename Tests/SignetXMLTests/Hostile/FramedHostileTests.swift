import HostileDocuments
import SignetXML
import Testing

/// The same documents, pushed into the framing scanner byte by byte and in larger pieces: the same judgement.
@Suite struct FramedHostileTests {
    /// What becomes of a document that comes in pieces of one length: with no path, all of it is checked outside of
    /// elements.
    private func outcome(_ document: HostileDocument, pieces: Int, path: [XMLName]) -> Result<Void, XMLError> {
        Result { () throws(XMLError) in
            var framer = XMLFramer(path: path, limits: document.limits, charset: document.charset)
            let bytes = document.bytes
            var start = 0
            while start < bytes.count {
                framer.push(Array(bytes[start..<min(start + pieces, bytes.count)]))
                start += pieces
                while let event = try framer.next() { try check(event) }
            }
            framer.finish()
            while let event = try framer.next() { try check(event) }
        }
    }

    private func check(_ event: XMLFramer.Event) throws(XMLError) {
        if case .element(let element) = event { try element.check() }
    }

    /// Others than documents in UTF-8 are read as a whole only, and so are those with a declaration that is to be read.
    private static let documents = HostileDocument.small.filter { $0.doctype == .refused && !$0.isAboutEncoding }

    @Test(arguments: documents) func theFramerAgreesWithTheReader(document: HostileDocument) {
        for path in [[], [XMLName(.none, "a"), XMLName(.none, "b")]] {
            for pieces in [1, 2, 3, 7, 1 << 20] {
                let complaint = document.complaint(about: outcome(document, pieces: pieces, path: path))
                #expect(complaint == nil, "in pieces of \(pieces)")
            }
        }
    }
}

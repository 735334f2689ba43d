import SignetXML
import Synchronization
import Testing

/// Pieces of a document one at a time; counts how many have been asked for.
private final class Pieces: AsyncSequence, AsyncIteratorProtocol, Sendable {
    typealias Element = ArraySlice<UInt8>
    let pieces: [ArraySlice<UInt8>]
    let asked = Mutex(0)

    convenience init(_ text: String, size: Int = 10) { self.init(Array(text.utf8), size: size) }

    init(_ bytes: [UInt8], size: Int) {
        pieces = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<Swift.min($0 + size, bytes.count)] }
    }

    func makeAsyncIterator() -> Pieces { self }

    func next() async throws -> ArraySlice<UInt8>? {
        let number = asked.withLock { asked in
            asked += 1
            return asked - 1
        }
        return number < pieces.count ? pieces[number] : nil
    }
}

private final class Seen: Sendable {
    let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}

@Suite struct XMLElementSequenceTests {
    static let text = "<r xmlns='urn:1'><h>head</h><w><e>1</e><e>2</e><e>x</e><e>4</e></w></r>"

    @Test func valuesComeInTheirOrderAndTheOpeningFirst() async throws {
        let seen = Seen()
        let text = Self.text.replacing(">x<", with: ">3<")
        let values = XMLElementSequence(
            Pieces(text), of: Int32.self, path: framedPath,
            opening: { excerpt in
                let head = try XMLReader.read(excerpt) { reader in
                    _ = try reader.nextElement(XMLName("urn:1", "h"))
                    return try reader.elementText()
                }
                seen.add(head)
            },
            remainder: { excerpt in
                try excerpt.check()
                seen.add(String(decoding: excerpt.bytes, as: UTF8.self))
            })
        for try await value in values { seen.add("\(value)") }
        #expect(seen.all == ["head", "1", "2", "3", "4", "<r xmlns='urn:1'><h>head</h><w><!----></w></r>"])
    }

    @Test func deviationsAreTakenAsAskedFor() async throws {
        var count = 0
        for try await _ in XMLElementSequence(Pieces(Self.text), of: Int32.self, path: framedPath, tolerance: .lenient)
        {
            count += 1
        }
        #expect(count == 4)
        let readings = "<list xmlns='urn:readings'><r><id>1</id><name/><last xmlns=''/><more/></r></list>"
        let path = [XMLName("urn:readings", "list"), XMLName("urn:readings", "r")]
        var strict = XMLElementSequence(Pieces(readings), of: Reading.self, path: path, tolerance: .strict)
            .makeAsyncIterator()
        await #expect(throws: XMLError.self) { try await strict.next() }
    }

    @Test func anErrorComesAtItsElementAndEndsTheSequence() async throws {
        var values = XMLElementSequence(Pieces(Self.text), of: Int32.self, path: framedPath).makeAsyncIterator()
        #expect(try await values.next() == 1)
        #expect(try await values.next() == 2)
        do {
            _ = try await values.next()
            Issue.record("“x” is no number")
        } catch let error as XMLError {
            #expect(error.code == .invalidValue)
            #expect(error.offset == 47)
            #expect(error.column == 48)
        }
        #expect(try await values.next() == nil)
    }

    @Test func aRefusedHeadComesBeforeAnyElement() async throws {
        struct Refused: Error {}
        var values = XMLElementSequence(
            Pieces(Self.text), of: Int32.self, path: framedPath, opening: { _ in throw Refused() }
        ).makeAsyncIterator()
        await #expect(throws: Refused.self) { try await values.next() }
        #expect(try await values.next() == nil)
    }

    @Test func anEndThatComesTooEarlyIsAnError() async throws {
        let text = String(Self.text.replacing(">x<", with: ">3<").dropLast(4))
        var count = 0
        await #expect(throws: XMLError(.unexpectedEnd, "")) {
            for try await _ in XMLElementSequence(Pieces(text), of: Int32.self, path: framedPath) { count += 1 }
        }
        #expect(count == 4)
    }

    @Test func noMoreIsAskedForThanIsNeeded() async throws {
        let pieces = Pieces(Self.text, size: 1)
        var values = XMLElementSequence(pieces, of: Int32.self, path: framedPath).makeAsyncIterator()
        #expect(try await values.next() == 1)
        // Up to the end tag of the first element.
        #expect(pieces.asked.withLock { $0 } == 39)
        #expect(try await values.next() == 2)
        #expect(pieces.asked.withLock { $0 } == 47)
    }

    /// What comes of a document, the error last.
    private func lines(_ values: XMLElementSequence<Pieces, Int32>) async -> [String] {
        var lines: [String] = []
        do {
            for try await value in values { lines.append("\(value)") }
        } catch {
            lines.append("\(error)")
        }
        return lines
    }

    /// Elements that stand whole in a piece are read ahead by one reader; an excerpt has a reader of its own.
    @Test(arguments: [1, 7, 64, 1000, 100_000]) func elementsReadAheadAreThoseOfExcerpts(size: Int) async {
        let between = ["", "\r\n  ", "<!-- c -->", "<?p?> ", "<![CDATA[ ]]>", "<p:f>é</p:f>"]
        let start = "<p:r xmlns:p='urn:1'><p:w>"
        let defects: [[UInt8]] = [
            [], [0x83], Array("x".utf8), Array("<p:e>x</p:e>".utf8), Array("<p:e a='' a=''>1</p:e>".utf8),
            Array("<p:e>1</p:f>".utf8), Array("<p:e>1<p:e>2</p:e></p:e>".utf8), Array("<q:e>1</q:e>".utf8),
            Array("<p:e>1".utf8), Array("]]>".utf8), Array("<p:e/>".utf8), Array("<p:e>\u{FFFE}</p:e>".utf8),
            Array("<e xmlns='urn:1' b='>'> 7 </e>".utf8), Array("<p:e xmlns:p='urn:2'>7</p:e>".utf8),
            Array(repeating: UInt8(ascii: ">"), count: 40_000),
        ]
        for gap in between {
            for defect in defects {
                var document = Array(start.utf8)
                for number in 0..<300 {
                    document += Array("<p:e>\(number)</p:e\(number % 9 == 0 ? " " : "")>\(gap)".utf8)
                    if number == 200 { document += defect }
                }
                document += Array("</p:w></p:r>".utf8)
                let ahead = await lines(XMLElementSequence(Pieces(document, size: size), path: framedPath))
                let alone = await lines(
                    XMLElementSequence(Pieces(document, size: size), framer: XMLFramer(path: framedPath)) {
                        try $0.value(Int32.self)
                    })
                #expect(ahead == alone, "\(gap) \(String(decoding: defect, as: UTF8.self))")
                #expect(ahead.count >= 200)
            }
        }
    }

    @Test func cancellationIsThrownAlsoWhenPiecesAreAtHand() async throws {
        let task = Task {
            var values = XMLElementSequence(Pieces(Self.text, size: 1000), of: Int32.self, path: framedPath)
                .makeAsyncIterator()
            let first = try await values.next()
            withUnsafeCurrentTask { $0?.cancel() }
            do {
                _ = try await values.next()
                return "\(first ?? 0), no error"
            } catch {
                return "\(first ?? 0), \(error is CancellationError)"
            }
        }
        #expect(try await task.value == "1, true")
    }
}

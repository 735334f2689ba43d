import SignetXML
import Support

/// A document in pieces: it has the same events for any cuts, and the same as the whole document.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let path = paths[input.number(below: paths.count)]
    let cuts = input.bytes(1 + input.number(below: 6))
    let document = input.rest()

    let whole = Framed([document], path)
    let pieces = Framed(cut(document, cuts), path)
    requireSame(whole, pieces, "in pieces")
    if document.count < 256 { requireSame(whole, Framed(document.map { [$0] }, path), "byte by byte") }

    let trace = Trace(document)
    let refusal = whole.error ?? whole.elements.lazy.compactMap(\.trace.error).first
    if whole.error?.code == .unsupportedEncoding { return 0 }
    require(
        (refusal == nil) == (trace.error == nil),
        "in pieces: \(String(describing: refusal)); as a whole: \(String(describing: trace.error))")
    if let refusal { requirePlace(refusal, in: document) }
    guard trace.error == nil else { return 0 }
    let (elements, rest) = split(trace.events, path)
    require(whole.elements.map(\.trace.events) == elements, "the repeated elements are not those of the document")
    guard let opening = whole.opening, let remainder = whole.remainder ?? whole.opening else {
        fatalError("a document has no opening")
    }
    require(opening.trace.error == nil, "the opening has a defect: \(String(describing: opening.trace.error))")
    require(withoutSpace(remainder.trace.events) == withoutSpace(rest), "the remainder is not that of the document")
    return 0
}

let paths: [[XMLName]] = [
    [XMLName("", "a"), XMLName("", "b")],
    [XMLName("urn:a", "a"), XMLName("urn:a", "b")],
    [XMLName("", "a"), XMLName("urn:b", "a"), XMLName("", "a")],
    [XMLName("urn:a", "e"), XMLName("urn:a", "b"), XMLName("urn:b", "r"), XMLName("", "x")],
    [XMLName("", "a")],
]

func cut(_ document: [UInt8], _ cuts: [UInt8]) -> [[UInt8]] {
    let places = [0] + cuts.map { Int($0) * document.count / 256 }.sorted() + [document.count]
    return zip(places, places.dropFirst()).map { Array(document[$0..<$1]) }
}

func requireSame(_ a: Framed, _ b: Framed, _ how: String) {
    require(isSame(a.error, b.error), "\(how): \(String(describing: b.error)), else \(String(describing: a.error))")
    require(
        a.opening?.text == b.opening?.text && a.elements.map(\.text) == b.elements.map(\.text)
            && a.remainder?.text == b.remainder?.text, "\(how): other events")
}

/// The subtrees at the path, and the remaining events.
func split(_ events: [Event], _ path: [XMLName]) -> (elements: [[Event]], rest: [Event]) {
    var elements: [[Event]] = []
    var rest: [Event] = []
    var open: [XMLName?] = []
    var inside = 0
    for event in events {
        if case .start(let uri, let name, _) = event {
            open.append(path.first { $0.namespace.uri == uri && $0.localName == name })
            if inside > 0 {
                inside += 1
            } else if path.count > 1, open == path.map(Optional.some) {
                inside = 1
                elements.append([])
            }
        }
        if inside > 0 { elements[elements.count - 1].append(event) } else { rest.append(event) }
        if case .end = event {
            open.removeLast()
            inside = max(0, inside - 1)
        }
    }
    return (elements, rest)
}

/// White space between repeated elements is not in the remainder.
func withoutSpace(_ events: [Event]) -> [Event] {
    var trace = Trace()
    for event in events {
        guard case .text(let text) = event else {
            trace.append(event)
            continue
        }
        trace.append(
            .text(
                String(String.UnicodeScalarView(text.unicodeScalars.filter { !" \n\r\t".unicodeScalars.contains($0) })))
        )
    }
    return trace.events
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

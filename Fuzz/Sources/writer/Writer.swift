import SignetXML
import Support

/// A tree made from the input is written, with and without indentation and canonical segments, and read again as the
/// same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let choice = Int(input.byte())
    let node = Node(&input)
    let indentation: XMLIndentation? = [nil, nil, .spaces(2), .tab][choice % 4]
    let prefixes = choice & 4 == 0 ? [] : [("p", "urn:a"), ("n1", "urn:b"), ("q", "urn:a")]
    do throws(XMLError) {
        var writer = XMLWriter(prefixes: prefixes, indentation: indentation)
        var digests: [[UInt8]] = []
        node.write(to: &writer, &digests)
        let (document, segments) = try writer.finishWithSegments()
        let shown = String(decoding: document, as: UTF8.self)
        require(node.isWritable, "what XML cannot carry was written: \(shown)")
        let read = Trace(document)
        require(read.error == nil, "what was written cannot be read: \(String(describing: read.error)) \(shown)")
        var expected = Trace()
        node.events(into: &expected)
        let (found, wanted) =
            indentation == nil
            ? (sorted(read.events), sorted(expected.events))
            : (withoutLayout(sorted(read.events)), withoutLayout(sorted(expected.events)))
        require(found == wanted, "what was written is read as \(found), not \(wanted): \(shown)")
        require(
            segments.map { Array(document[$0.range]) } == digests, "what was digested is not what was written: \(shown)"
        )
        for segment in segments { try requireCanonical(Array(document[segment.range]), segment.inclusiveNamespaces) }
    } catch {
        guard !node.isWritable, error.code == .unwritable else { fatalError("this can be written, and yet \(error)") }
    }
    return 0
}

/// The order of attributes has no meaning; the canonical form has an order of its own.
func sorted(_ events: [Event]) -> [Event] {
    events.map { event in
        guard case .start(let uri, let name, let attributes) = event else { return event }
        return .start(uri: uri, name: name, attributes: attributes.sorted { ($0.uri, $0.name) < ($1.uri, $1.name) })
    }
}

/// Requires that a canonical segment does not change when it is read and written in canonical form again.
func requireCanonical(_ segment: [UInt8], _ list: [String]) throws(XMLError) {
    let shown = String(decoding: segment, as: UTF8.self)
    let fragment: XMLFragment
    do throws(XMLError) { fragment = try XMLFragment(parsing: segment) } catch {
        fatalError("a segment is no document: \(error) \(shown)")
    }
    var writer = XMLWriter()
    var digest: [UInt8] = []
    writer.segment(inclusiveNamespaces: list, into: { digest += $0 }) { $0.wildcard(fragment) }
    let again = try writer.finish()
    require(
        again == segment && digest == segment, "\(shown) is written again as \(String(decoding: again, as: UTF8.self))")
}

/// Indentation adds white space between tags only.
func withoutLayout(_ events: [Event]) -> [Event] {
    events.filter { event in
        guard case .text(let text) = event else { return true }
        return !text.unicodeScalars.allSatisfy { " \n\t".unicodeScalars.contains($0) }
    }
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

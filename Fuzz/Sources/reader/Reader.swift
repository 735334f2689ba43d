import SignetXML
import Support

/// Any bytes as a document, within limits taken from the input: read event by event, skipped, and kept as fragments.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let limits = limits(&input)
    let document = input.rest()

    let bounded = Trace(document, limits: limits)
    requireLimits(bounded, limits)
    if let error = bounded.error { requirePlace(error, in: document) }

    let whole = Trace(document)
    if let error = whole.error { requirePlace(error, in: document) }
    if bounded.error == nil {
        require(whole.error == nil && whole.events == bounded.events, "a wider limit changes what is read")
    }
    // Every way of reading a document checks all of it, in the same order.
    require(isSame(skip(document, limits), bounded.error), "passing over finds another defect than walking through")
    requireStrict(document, whole)
    requireSearch(document, whole)
    requireKept(document, whole)
    return 0
}

func limits(_ input: inout Input) -> XMLLimits {
    var limits = XMLLimits()
    let choice = input.byte()
    let tight = Int(input.byte())
    if choice & 1 != 0 { limits.depth = tight % 8 }
    if choice & 2 != 0 { limits.attributes = tight % 8 }
    if choice & 4 != 0 { limits.namespaces = tight % 8 }
    if choice & 8 != 0 { limits.nameBytes = tight }
    if choice & 16 != 0 { limits.textBytes = tight }
    if choice & 32 != 0 { limits.documentBytes = tight }
    return limits
}

func requireLimits(_ trace: Trace, _ limits: XMLLimits) {
    require(trace.deepest <= limits.depth, "\(trace.deepest) open elements")
    for case .start(let uri, let name, let attributes) in trace.events {
        require(attributes.count <= limits.attributes, "\(attributes.count) attributes")
        require(name.utf8.count <= limits.nameBytes, "a name of \(name.utf8.count) bytes")
        require(uri.utf8.count <= limits.nameBytes, "a namespace name of \(uri.utf8.count) bytes")
        for attribute in attributes {
            require(attribute.name.utf8.count <= limits.nameBytes, "a name of \(attribute.name.utf8.count) bytes")
            require(attribute.value.utf8.count <= limits.textBytes, "a value of \(attribute.value.utf8.count) bytes")
        }
    }
}

func skip(_ document: [UInt8], _ limits: XMLLimits) -> XMLError? {
    XMLReader.read(document, limits: limits) { reader in
        do throws(XMLError) {
            try reader.root()
            try reader.skipElement()
            try reader.finish()
            return nil
        } catch {
            return error
        }
    }
}

/// Requires that refusing comments and instructions changes nothing else.
func requireStrict(_ document: [UInt8], _ trace: Trace) {
    let strict = Trace(document, refusesComments: true)
    if isSame(strict.error, trace.error) {
        return require(strict.events == trace.events, "refusing comments changes what is read")
    }
    guard let error = strict.error, error.code == .unexpected, trace.error.map({ error.offset <= $0.offset }) ?? true
    else {
        fatalError(
            "refusing comments finds \(String(describing: strict.error)), else \(String(describing: trace.error))")
    }
    // In UTF-16 each of these characters has a zero byte.
    let markup = document.dropFirst(error.offset).prefix(8).filter { $0 != 0 }
    require(
        markup.starts(with: "<?".utf8) || markup.starts(with: "<!--".utf8),
        "there is no comment at byte \(error.offset)")
}

/// Requires that a search finds every element of a name at any depth.
func requireSearch(_ document: [UInt8], _ trace: Trace) {
    let wanted = XMLName("", "a")
    let expected = trace.events.filter { if case .start("", "a", _) = $0 { true } else { false } }.count
    let (found, error) = XMLReader.read(document) { reader in
        var found = 0
        do throws(XMLError) {
            while try reader.nextElement(wanted) { found += 1 }
            return (found, XMLError?.none)
        } catch {
            return (found, error)
        }
    }
    require(found == expected, "\(found) elements are found of \(expected)")
    require(isSame(error, trace.error), "a search finds another defect than walking through")
}

/// Requires that a fragment means the same as the document from which it was kept.
func requireKept(_ document: [UInt8], _ trace: Trace) {
    let kept: XMLFragment
    do throws(XMLError) { kept = try XMLFragment(parsing: document) } catch {
        return require(isSame(error, trace.error), "keeping finds another defect than walking through: \(error)")
    }
    require(trace.error == nil, "what is kept has a defect: \(String(describing: trace.error))")
    let again = Trace(kept.bytes)
    require(again.error == nil && again.events == trace.events, "a fragment differs from its document")
    let text = trace.events.reduce(into: "") { if case .text(let piece) = $1 { $0 += piece } }
    require(kept.text == text, "a fragment has another text than its document")
    require((try? XMLFragment(parsing: kept.bytes)) == kept, "a fragment changes when it is read again")

    for child in kept.children {
        require(Trace(child.bytes).error == nil, "a child that was kept is no document")
    }
    let content = kept.content
    guard let moved = try? XMLFragment(XMLName("urn:b", "moved"), content) else { return }
    require(moved.content.text == text, "content has another text in another element")
    require(moved.children.count == kept.children.count, "content has other children in another element")
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

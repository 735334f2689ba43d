import SignetXML
import Support

/// Any bytes as a document that may declare entities, within small limits: the work is bounded, and a kept fragment
/// means the same without the declarations.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    var limits = XMLLimits()
    let choice = input.byte()
    let tight = Int(input.byte())
    if choice & 1 != 0 { limits.entities = tight % 8 }
    if choice & 2 != 0 { limits.expandedBytes = tight * 8 }
    if choice & 4 != 0 { limits.depth = tight % 8 }
    if choice & 8 != 0 { limits.attributes = tight % 8 }
    if choice & 16 != 0 { limits.textBytes = tight }
    let document = input.rest()

    let read = Trace(document, limits: limits, doctype: .internalEntities)
    if let error = read.error { requirePlace(error, in: document) }
    // Values are counted in UTF-8, where a byte of a code page, or two of UTF-16, can take three.
    let longest = document.contains { $0 == 0 || $0 >= 0x80 } ? document.count * 3 : document.count
    require(
        read.size <= longest + limits.expandedBytes,
        "\(document.count) bytes have become \(read.size), \(limits.expandedBytes) more are allowed")
    require(read.deepest <= limits.depth, "\(read.deepest) open elements")

    var wide = XMLLimits()
    wide.expandedBytes = 1 << 14
    let whole = Trace(document, limits: wide, doctype: .internalEntities)
    if read.error == nil, limits.expandedBytes <= wide.expandedBytes {
        require(whole.error == nil && whole.events == read.events, "a wider limit changes what is read")
    }
    let refused = Trace(document, limits: wide)
    if refused.error?.code != .doctypeRefused {
        // Of two errors around a declaration, either may be reported first.
        require(
            refused.error?.code == whole.error?.code || document.contains(UInt8(ascii: "!")),
            "a document without declarations has \(String(describing: whole.error)) where they are allowed, and else "
                + "\(String(describing: refused.error))")
        require(
            (refused.error == nil) == (whole.error == nil) && (refused.error != nil || refused.events == whole.events),
            "a document without declarations is read in another way where they are allowed")
    }
    requireKept(document, wide, whole)
    return 0
}

extension Trace {
    /// The bytes of all texts and values.
    var size: Int {
        events.reduce(0) { size, event in
            switch event {
            case .start(_, _, let attributes): attributes.reduce(size) { $0 + $1.value.utf8.count }
            case .text(let text): size + text.utf8.count
            case .end: size
            }
        }
    }
}

func requireKept(_ document: [UInt8], _ limits: XMLLimits, _ trace: Trace) {
    let kept: XMLFragment
    do throws(XMLError) {
        kept = try XMLReader.read(document, limits: limits, doctype: .internalEntities) {
            (reader) throws(XMLError) in
            try reader.root()
            let fragment = try reader.fragment()
            try reader.finish()
            return fragment
        }
    } catch {
        return require(isSame(error, trace.error), "keeping finds another defect than walking through: \(error)")
    }
    require(trace.error == nil, "what is kept has a defect: \(String(describing: trace.error))")
    let again = Trace(kept.bytes)
    require(
        again.error == nil && again.events == trace.events,
        "a fragment differs from its document: \(String(describing: again.error))")
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

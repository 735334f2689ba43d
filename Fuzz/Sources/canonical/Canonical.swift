import SignetXML
import Support

/// A canonical form is a document whose own canonical form it is, and that of each element can be made alone.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let choice = Int(input.byte())
    let methods = XMLCanonicalization.Method.allCases
    let form = XMLCanonicalization(
        methods[choice & 3 == 3 ? 0 : choice & 3], hasComments: choice & 4 != 0,
        inclusiveNamespaces: choice & 8 != 0 ? ["#default", "a"] : [])
    let place = Int(input.byte())
    let document = input.rest()
    guard let first = try? form.canonicalForm(of: document) else { return 0 }
    guard let second = try? form.canonicalForm(of: first) else { fatalError("the form is not well-formed") }
    require(
        first == second,
        "the form of \(String(decoding: first, as: UTF8.self)) is \(String(decoding: second, as: UTF8.self))")
    // An element of the form, wherever one begins.
    var part: [UInt8] = []
    if let offset = first.indices.dropFirst(place).first(where: { first[$0] == UInt8(ascii: "<") }) {
        guard (try? form.write(elementAt: offset, of: first) { part.append(contentsOf: $0) }) != nil else { return 0 }
        // Alone it has all that it needs, so that it is a document.
        guard let alone = try? form.canonicalForm(of: part) else {
            fatalError("the form of an element is not well-formed")
        }
        require(alone == part, "the form of an element changes when it stands alone")
    }
    return 0
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

import SignetXML
import Support

private let types: [XSDBuiltInType] = [
    .string, .normalizedString, .token, .language, .NMTOKEN, .NMTOKENS, .Name, .NCName, .ID, .IDREF, .IDREFS,
    .ENTITY, .ENTITIES, .QName, .NOTATION, .anyURI, .hexBinary, .base64Binary,
]

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    requireLaws(types, &input)
    return 0
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

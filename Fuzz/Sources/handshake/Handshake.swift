import Support

@testable import SignetTLS

/// What a server sends, after the length of a secret and the secret: it is read the same way in one piece and in two,
/// and within the limits.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let length = input.number(below: 64)
    let secret = HandshakeSecret(input.bytes(length))
    let bytes = input.rest()
    let whole = items([bytes[...]], secret)
    require(whole.count <= TLSHandshakeReader.maximumItems, "more than are kept")
    let middle = bytes.count / 2
    require(whole == items([bytes[..<middle], bytes[middle...]], secret), "others when it comes in two pieces")
    return 0
}

private func items(_ pieces: [ArraySlice<UInt8>], _ secret: HandshakeSecret) -> [TLSHandshakeReader.Item] {
    var reader = TLSHandshakeReader()
    for piece in pieces { reader.read(piece) }
    reader.end()
    reader.open(with: secret)
    return reader.items
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

import HTTPTypes
import SignetHTTP
import SignetTLS
import Support

@testable import SignetEnrollment

/// What an EST server answers: its demands, and a key with certificates in two parts.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let isKey = input.number(below: 2) == 1
    let bytes = input.rest()
    if isKey {
        let response = ClientResponse(
            status: .ok, fields: [.contentType: "multipart/mixed; boundary=limit"], body: bytes)
        guard let origin = try? Endpoint("https://ca.example/").origin else { return 0 }
        do {
            let identity = try GeneratedKey(response, origin).identity()
            require(identity.leaf.der.count < bytes.count, "a certificate is larger than its message")
        } catch { require(!"\(error)".isEmpty, "an error says nothing") }
        return 0
    }
    do {
        let demands = try CSRAttributes(bytes).demands
        let again = try? CSRAttributes(bytes).demands
        require(demands == again, "other demands the second time")
        if let bits = demands.key?.rsaBits { require((2048...4096).contains(bits), "a key of \(bits) bits") }
        let size = demands.extensions.reduce(0) { $0 + $1.value.count }
        require(size <= bytes.count, "extensions are larger than the message")
    } catch { require(!error.message.isEmpty, "an error says nothing") }
    return 0
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

import SignetXML
import Support

private let types: [XSDBuiltInType] = [
    .duration, .dateTime, .time, .date, .gYearMonth, .gYear, .gMonthDay, .gDay, .gMonth,
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

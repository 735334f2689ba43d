/// How much an instance made from a schema holds.
package enum InstanceStyle: Sendable, Hashable, CustomStringConvertible {
    /// Nothing that may be left out.
    case minimal
    /// Everything that may stand there; what may be repeated twice.
    case maximal
    /// By chance; the same number gives the same instance.
    case random(UInt64)

    package var description: String {
        switch self {
        case .minimal: "minimal"
        case .maximal: "maximal"
        case .random(let seed): "random \(seed)"
        }
    }
}

/// Numbers that look like chance and are the same every time (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

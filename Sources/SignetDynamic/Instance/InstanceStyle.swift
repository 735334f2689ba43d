/// How much content a made instance has.
package enum InstanceStyle: Sendable, Hashable, CustomStringConvertible {
    /// No optional content.
    case minimal
    /// All optional content; repeatable content twice.
    case maximal
    /// Random content; the same number gives the same instance.
    case random(UInt64)

    package var description: String {
        switch self {
        case .minimal: "minimal"
        case .maximal: "maximal"
        case .random(let seed): "random \(seed)"
        }
    }
}

/// Pseudorandom numbers that are the same every time (SplitMix64).
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

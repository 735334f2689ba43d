/// Comparisons whose time does not depend on where the difference is.
public enum ConstantTime {
    /// Whether two secrets are equal. The time depends on the length of `presented` only.
    public static func equal(_ presented: [UInt8], _ expected: [UInt8]) -> Bool {
        var difference = presented.count ^ expected.count
        for (index, byte) in presented.enumerated() {
            // After the last expected byte the loop continues, so that its time does not reveal the length.
            let other = index < expected.count ? expected[index] : 0
            difference |= Int(byte ^ other)
        }
        return difference == 0
    }

    /// Whether two secrets are equal as UTF-8.
    public static func equal(_ presented: String, _ expected: String) -> Bool {
        equal(Array(presented.utf8), Array(expected.utf8))
    }
}

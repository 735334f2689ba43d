/// Host names with letters that DNS does not have. Signet never sends them; the error suggests the name in DNS.
enum InternationalHost {
    /// What is wrong with the authority at the beginning of a URL without its scheme; nil when it is ASCII.
    static func problem(in rest: Substring) -> String? {
        let authority = rest.unicodeScalars.prefix { !"/?#".unicodeScalars.contains($0) }
        guard let foreign = authority.first(where: { !$0.isASCII }) else { return nil }
        let number = String(foreign.value, radix: 16, uppercase: true)
        let code = String(repeating: "0", count: max(0, 4 - number.utf8.count)) + number
        let shown = foreign.properties.isAlphabetic ? "“\(foreign)” (U+\(code))" : "U+\(code)"
        let advice = ascii(String(authority)).map { ": write \($0), if that is meant" } ?? ""
        return "its host has the character \(shown), which DNS does not have\(advice)"
    }

    /// The name in ASCII for DNS (RFC 5891 §4.4), followed by the port; nil when that needs more than a change to lower
    /// case.
    private static func ascii(_ authority: String) -> String? {
        var labels: [String] = []
        for label in authority.lowercased().split(separator: ".", omittingEmptySubsequences: false) {
            let scalars = Array(label.unicodeScalars)
            if scalars.allSatisfy(\.isASCII) {
                labels.append(String(label))
                continue
            }
            // Composed, wide and similar characters would have to be mapped first, which this function does not do.
            guard scalars.allSatisfy({ $0.properties.isAlphabetic || $0.isASCII }), !scalars.contains(":"),
                !label.hasPrefix("xn--"), let encoded = punycode(scalars)
            else { return nil }
            labels.append("xn--\(encoded)")
        }
        return labels.joined(separator: ".")
    }

    /// RFC 3492 §6.3, with the numbers of §5.
    private static func punycode(_ label: [Unicode.Scalar]) -> String? {
        let points = label.map { Int($0.value) }
        guard points.count <= 63 else { return nil }
        var output = points.filter { $0 < 0x80 }
        let basic = output.count
        if basic > 0 { output.append(0x2D) }
        var (n, delta, bias, handled) = (0x80, 0, 72, basic)
        while handled < points.count {
            guard let next = points.filter({ $0 >= n }).min() else { return nil }
            // 63 characters below 0x110000: the sum is far below the limit of Int.
            delta += (next - n) * (handled + 1)
            n = next
            for point in points {
                if point < n { delta += 1 }
                guard point == n else { continue }
                var (q, k) = (delta, 36)
                while true {
                    let t = min(max(k - bias, 1), 26)
                    guard q >= t else { break }
                    output.append(digit(t + (q - t) % (36 - t)))
                    (q, k) = ((q - t) / (36 - t), k + 36)
                }
                output.append(digit(q))
                bias = adapted(delta, handled + 1, isFirst: handled == basic)
                (delta, handled) = (0, handled + 1)
            }
            delta += 1
            n += 1
        }
        return String(String.UnicodeScalarView(output.compactMap { Unicode.Scalar($0) }))
    }

    private static func digit(_ value: Int) -> Int { value < 26 ? value + 0x61 : value - 26 + 0x30 }

    /// RFC 3492 §6.1.
    private static func adapted(_ delta: Int, _ count: Int, isFirst: Bool) -> Int {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var k = 0
        while delta > 455 { (delta, k) = (delta / 35, k + 36) }
        return k + 36 * delta / (delta + 38)
    }
}

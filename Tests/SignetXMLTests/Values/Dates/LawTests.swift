import SignetXML
import Testing

/// What must hold for all values, tried on random ones; the seed is printed so that a failure can be had again.
@Suite struct LawTests {
    /// SplitMix64.
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        init(_ test: String) {
            state = .random(in: 0 ... .max)
            print("\(test): seed \(state)")
        }

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }

        mutating func below(_ limit: Int) -> Int { .random(in: 0..<limit, using: &self) }

        mutating func two(_ range: ClosedRange<Int>) -> String {
            let number = Int.random(in: range, using: &self)
            return number < 10 ? "0\(number)" : "\(number)"
        }

        mutating func year() -> String {
            let digits = String(1 + below([3, 2200, 20_000, 999_999_999][below(4)]))
            return (below(3) == 0 ? "-" : "") + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }

        /// Few values, so that equal ones meet often.
        mutating func zone() -> String {
            ["", "", "Z", "-00:00", "+14:00", "-14:00", "+13:00", "-11:00", "+12:00", "-12:00", "+05:30"][below(11)]
        }

        mutating func fraction() -> String {
            switch below(4) {
            case 0: ".\(below(3))"
            case 1: "." + String((0..<(1 + below(40))).map { _ in Character(String(below(10))) })
            case 2: ".999999999999999999\(below(2))"
            default: ""
            }
        }

        mutating func time() -> String {
            below(8) == 0 ? "24:00:00" : "\(two(0...23)):\(two(0...59)):\(two(0...59))\(fraction())"
        }

        /// Days that every month has, and often those around the turn of a month.
        mutating func date() -> String {
            "\(below(2) == 0 ? "2000" : year())-\(two(1...12))-\(below(2) == 0 ? "01" : two(1...28))"
        }

        mutating func duration() -> String {
            let text = ["Y", "M", "D", "T", "H", "M", "S"].map { (unit: String) -> String in
                if unit == "T" { return unit }
                if below(2) == 0 { return "" }
                let number = below([3, 70, 1_000_000][below(3)])
                return "\(number)\(unit == "S" ? fraction() : "")\(unit)"
            }
            let joined = (below(3) == 0 ? "-P" : "P") + text.joined()
            return joined.hasSuffix("T") ? joined + "0S" : joined
        }
    }

    private func check<T: XSDTemporal>(_ type: T.Type, readsBack: Bool = true, _ make: (inout Dice) -> String) throws {
        var dice = Dice(T.typeName)
        var values: [T] = []
        for _ in 0..<40 {
            let text = make(&dice)
            values.append(try #require(T(text), "\(text)"))
        }
        for a in values {
            #expect(T(a.lexicalForm) == a, "\(a)")
            #expect(T(a.lexicalForm)?.lexicalForm == a.lexicalForm, "\(a)")
            let canonical = try #require(T(a.canonicalForm), "\(a.canonicalForm)")
            #expect(canonical.canonicalForm == a.canonicalForm)
            if readsBack { #expect(canonical == a, "\(a)") }
        }
        for a in values {
            for b in values { checkPair(a, b, values) }
        }
    }

    private func checkPair<T: XSDTemporal>(_ a: T, _ b: T, _ values: [T]) {
        let order = a.compare(to: b)
        switch order {
        case .less: #expect(b.compare(to: a) == .greater, "\(a) \(b)")
        case .greater: #expect(b.compare(to: a) == .less, "\(a) \(b)")
        case .equal: #expect(b.compare(to: a) == .equal && a.canonicalForm == b.canonicalForm, "\(a) \(b)")
        case nil: #expect(b.compare(to: a) == nil, "\(a) \(b)")
        }
        if (order == .equal) != (a == b) || (a == b && a.hashValue != b.hashValue) {
            Issue.record("equality, order and hash disagree: \(a) \(b)")
        }
        guard order == .less || order == .equal else { return }
        for c in values {
            let next = b.compare(to: c)
            guard next == .less || next == .equal else { continue }
            let isTransitive = a.compare(to: c) == (order == .equal ? next : .less)
            if !isTransitive { Issue.record("not transitive: \(a) \(b) \(c)") }
        }
    }

    @Test func dateTimes() throws { try check(XSDDateTime.self) { "\($0.date())T\($0.time())\($0.zone())" } }
    @Test func dates() throws { try check(XSDDate.self) { "\($0.date())\($0.zone())" } }
    @Test func times() throws { try check(XSDTime.self, readsBack: false) { "\($0.time())\($0.zone())" } }
    @Test func yearMonths() throws { try check(XSDYearMonth.self) { "\($0.year())-\($0.two(1...12))\($0.zone())" } }
    @Test func years() throws { try check(XSDYear.self) { "\($0.year())\($0.zone())" } }
    @Test func monthDays() throws {
        try check(XSDMonthDay.self) { "--\($0.two(1...12))-\($0.two(1...29))\($0.zone())" }
    }
    @Test func days() throws { try check(XSDDay.self) { "---\($0.two(1...31))\($0.zone())" } }
    @Test func months() throws { try check(XSDMonth.self) { "--\($0.two(1...12))\($0.zone())" } }
    @Test func durations() throws { try check(XSDDuration.self) { $0.duration() } }

    /// A duration added and taken away leads back when it has no months, whatever the fractions.
    @Test func sumsOfSecondsCanBeUndone() throws {
        var dice = Dice("sums")
        for _ in 0..<500 {
            let value = try #require(XSDDateTime.init("\(dice.date())T\(dice.time())\(dice.zone())"))
            let text = "PT\(dice.below(2_000_000_000))\(dice.fraction())S"
            let duration = try #require(XSDDuration(text))
            guard let sum = value.adding(duration) else { continue }
            #expect(sum.adding(-duration) == value, "\(value) \(text)")
            if duration != .zero { #expect(value.compare(to: sum) == .less, "\(value) \(text)") }
        }
    }

    /// The calendar against a plain count of days, over the years in which leap years are exceptional.
    @Test func everyDayFollowsTheOneBefore() throws {
        let day = try #require(XSDDuration.init("P1D"))
        var date = try #require(XSDDate.init("-0005-01-01"))
        let (last, start) = (try #require(XSDDate.init("0405-01-01")), date)
        var count: Int64 = 0
        while date != last {
            let next = try #require(date.adding(day))
            let isSameMonth = next.month == date.month && next.day == date.day + 1
            if !isSameMonth && next.day != 1 { Issue.record("\(next) follows \(date)") }
            date = next
            count += 1
        }
        let years = try #require(start.adding(XSDDuration(years: 409) ?? .zero))
        #expect(years == last)
        // 409 years from 5 BC, 100 of them leap years: -5, -1, 4, 8, … 404 without 100, 200 and 300.
        #expect(count == 409 * 365 + 100)
    }
}

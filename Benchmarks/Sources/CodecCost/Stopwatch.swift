/// Measures how long work takes.
public enum Stopwatch {
    /// Microseconds for one run of `work`: the median of nine measurements that together take so many seconds.
    public static func microseconds(for seconds: Double, _ work: () throws -> Void) throws -> Double {
        for _ in 0..<3 { try work() }
        let clock = ContinuousClock()
        let share = Duration.seconds(seconds / 9)
        var measured: [Double] = []
        for _ in 0..<9 {
            var runs = 0.0
            let begin = clock.now
            var elapsed = Duration.zero
            repeat {
                try work()
                runs += 1
                elapsed = clock.now - begin
            } while elapsed < share
            let (whole, rest) = elapsed.components
            measured.append((Double(whole) * 1e6 + Double(rest) / 1e12) / runs)
        }
        return measured.sorted()[4]
    }
}

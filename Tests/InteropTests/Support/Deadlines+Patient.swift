import Signet

extension Deadlines {
    /// For peers that share a busy machine with a dozen others.
    static var patient: Deadlines {
        var deadlines = Deadlines()
        deadlines.connect = .seconds(120)
        deadlines.read = .seconds(300)
        deadlines.total = .seconds(600)
        return deadlines
    }
}

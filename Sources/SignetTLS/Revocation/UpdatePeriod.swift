/// The time for which an OCSP answer or a revocation list holds (RFC 6960 §4.2.2.1, RFC 5280 §5.1.2.4).
struct UpdatePeriod: Sendable, Hashable {
    /// How far in the future the beginning may lie, in seconds: clocks differ.
    static let leeway: Int64 = 300
    /// For how long, in seconds, what names no next update holds. Such an answer was made when it was asked for.
    static let maximumAge: Int64 = 86_400

    let thisUpdate: Int64
    let nextUpdate: Int64?

    init(thisUpdate: Int64, nextUpdate: Int64?) throws(EncodingError) {
        if let nextUpdate, nextUpdate < thisUpdate { throw EncodingError("an update before the last one") }
        self.thisUpdate = thisUpdate
        self.nextUpdate = nextUpdate
    }

    /// The last second.
    var end: Int64 { nextUpdate ?? thisUpdate + Self.maximumAge }

    /// - Parameter what: the answer or the list, as the beginning of a sentence.
    func check(_ what: String, at now: Int64) throws(RevocationProblem) {
        if thisUpdate - Self.leeway > now {
            throw RevocationProblem(
                .notYetValid,
                "\(what) is of \(UnixTime.text(thisUpdate)); it is \(UnixTime.text(now)) by the local clock. Check the clock."
            )
        }
        if now > end {
            let reason =
                nextUpdate == nil
                ? "is of \(UnixTime.text(thisUpdate)), names no next update and counts for a day only"
                : "should have been replaced by \(UnixTime.text(end))"
            throw RevocationProblem(
                .outdated,
                "\(what) \(reason); it is \(UnixTime.text(now)) by the local clock. The authority must publish a new one, unless the clock is wrong."
            )
        }
    }
}

#if Observability
public import Metrics
public import SignetCredentials
import SignetSOAP
import SignetTLS

/// Reports how much longer the identities in a store are valid, to the metrics system that the program has chosen
/// (SwiftMetrics). An alarm at 14 days finds a renewal that has failed for a while.
///
/// ```swift
/// let metrics = IdentityMetrics()
/// try await metrics.record(store, labels: ["device"])  // as often as the metrics are collected
/// ```
///
/// The meter `signet.identity.remaining` has the dimension `label`; its value is in seconds, below zero after the end, and zero for
/// an identity that is not in the store or cannot be read. Name the labels that must be there: an identity that is gone from the store is
/// otherwise not recorded any more, and its meter keeps the last value.
public struct IdentityMetrics: Sendable {
    private let factory: (any MetricsFactory)?
    /// Seconds since 1970.
    private let now: @Sendable () -> Int64

    /// - Parameter factory: makes the metrics. When nil, the factory of `MetricsSystem` at the time of each call makes
    ///   them.
    public init(factory: (any MetricsFactory)? = nil) { self.init(factory: factory, now: { .now }) }

    init(factory: (any MetricsFactory)?, now: @escaping @Sendable () -> Int64) {
        self.factory = factory
        self.now = now
    }

    /// Records identities of a store.
    ///
    /// - Parameters:
    ///   - store: has the identities.
    ///   - labels: which of them; nil for those that the store has now. An enrollment that has not ended has labels of its own.
    /// - Throws: the first error of the store; all other identities are recorded nevertheless.
    public func record(_ store: any IdentityStore, labels: [String]? = nil) async throws {
        let all: [String]
        if let labels { all = labels } else { all = try await store.labels() }
        var failure: (any Error)?
        for label in all {
            var left: Int64 = 0
            do {
                if let end = try await store.identity(label: label)?.leaf.notAfter {
                    left = end.subtractingReportingOverflow(now()).partialValue
                }
            } catch { failure = failure ?? error }
            Meter(
                label: "signet.identity.remaining", dimensions: [("label", label)],
                factory: factory ?? MetricsSystem.factory
            ).set(left)
        }
        if let failure { throw failure }
    }
}
#endif

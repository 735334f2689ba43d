import SignetDiagnosis
import SignetHTTP

/// Tries what a client will use next at many services before anybody switches: another identity, other trust anchors,
/// or a later date.
///
/// Each service is examined twice, with what the client uses today and with what it will use, so that what will break
/// is told apart from what is broken already. The connections are those of ``Examination``.
package struct Rehearsal: Sendable {
    /// One service, and the two ways to connect to it.
    package struct Subject: Sendable {
        /// What the user calls it.
        package let name: String
        package let today: Examination
        /// Of the same service.
        package let next: Examination

        package init(_ name: String, today: Examination, next: Examination) {
            self.name = name
            self.today = today
            self.next = next
        }
    }

    package var subjects: [Subject]
    /// How many services are examined at the same time.
    package var maximumConcurrent = 4
    /// Gets a line when the examination of a service begins.
    package var progress: @Sendable (String) -> Void = { _ in }

    package init(_ subjects: [Subject]) { self.subjects = subjects }

    /// Examines all services.
    ///
    /// - Returns: what was found, in the order of ``subjects``.
    /// - Throws: `ConnectionConfigurationError`, or `CancellationError`. That a connection fails is no error.
    package func run() async throws -> RehearsalReport {
        try await withThrowingTaskGroup(of: (position: Int, entry: RehearsalReport.Entry).self) { group in
            var waiting = subjects.enumerated().makeIterator()
            func startNext() -> Bool {
                guard let (position, subject) = waiting.next() else { return false }
                progress("Examining \(subject.name), \(position + 1) of \(subjects.count)")
                group.addTask { (position, try await Self.entry(of: subject)) }
                return true
            }
            for _ in 0..<max(1, maximumConcurrent) where !startNext() { break }
            var entries: [(position: Int, entry: RehearsalReport.Entry)] = []
            while let found = try await group.next() {
                entries.append(found)
                _ = startNext()
            }
            return RehearsalReport(
                entries.sorted { $0.position < $1.position }.map(\.entry),
                judgedAt: subjects.lazy.compactMap(\.next.judgedAt).first)
        }
    }

    /// One after the other: a server may count the connections of one address.
    private static func entry(of subject: Subject) async throws -> RehearsalReport.Entry {
        let today = try await subject.today.run()
        let next = try await subject.next.run()
        let endpoint = subject.next.endpoint
        return RehearsalReport.Entry(
            name: subject.name, url: "\(endpoint)", today: Diagnosis(today.facts), next: Diagnosis(next.facts))
    }
}

extension Diagnosis {
    /// One thing that a diagnosis found: what it is, what shows it, why it is so, and who has to do what about it.
    ///
    /// It contains no secret: no password, no credentials, no content of messages. Names, hosts and addresses are in it.
    public struct Finding: Sendable, Hashable, CustomStringConvertible {
        /// How serious a finding is.
        public enum Severity: String, Sendable, Hashable, Codable, CaseIterable {
            /// It can be the reason why a call fails.
            case failure
            /// The call works, and will fail one day, or for others.
            case warning
            /// Good to know.
            case notice
        }

        /// Who has to act.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Party: String, Sendable, Hashable, Codable, CaseIterable {
            /// The user of the client, or the administrator of its machine.
            case us
            /// The operator of the server.
            case them
            /// The operator of a proxy, a firewall or a name service between.
            case network
            /// The client or the server; the two must agree.
            case either
        }

        /// Another finding that the same evidence allows.
        public struct Alternative: Sendable, Hashable, Encodable {
            /// The code of the other finding.
            public let code: Code
            /// The fact that tells the two apart, and how to get it.
            public let difference: String
        }

        /// What was found, for a program to act on.
        public let code: Code
        /// How serious it is.
        public let severity: Severity
        /// Who has to act.
        public let party: Party
        /// What was found, in one sentence.
        public let title: String
        /// The facts that show it, one in each text.
        public let evidence: [String]
        /// Why it is so.
        public let cause: String
        /// What to do next.
        public let nextStep: String
        /// Findings that cannot be told apart from this one from the client's side, the likeliest first.
        public let alternatives: [Alternative]

        /// The title.
        public var description: String { title }
    }
}

typealias Finding = Diagnosis.Finding

extension Diagnosis.Finding: Encodable {
    private enum CodingKeys: String, CodingKey {
        case code, severity, party, title, evidence, cause, nextStep, alternatives
    }
}

extension Diagnosis.Finding {
    /// What was found. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, Encodable, CustomStringConvertible {
        /// The code as text, in lower case with hyphens. It never changes.
        public let description: String
        init(_ description: String) { self.description = description }

        /// Encodes the text.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(description)
        }
    }
}

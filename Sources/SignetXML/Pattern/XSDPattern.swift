/// A regular expression of XML Schema (Part 2 §F), which a whole text must match.
///
/// The time of a match grows with the length of the text, and with the size of the expression, which is limited; no
/// expression makes it grow exponentially. Categories of characters are those of Swift's version of Unicode, which is
/// newer than XML Schema.
public struct XSDPattern: Sendable, CustomStringConvertible {
    /// Why an expression was refused.
    public struct Defect: Error, Sendable, Hashable, CustomStringConvertible {
        public let description: String
    }

    private enum State: Sendable {
        case one(PatternClass, next: Int)
        case fork(Int, Int)
        case end
    }

    /// The greatest number of states of an expression; each repetition of a part counts.
    static var mostStates: Int { 20_000 }

    public let description: String
    private var states: [State] = [.end]
    private var first = 0
    /// Parts added so far; some add no states.
    private var additions = 0

    /// - Throws: ``Defect`` for a text that is not a regular expression of XML Schema, or is too large.
    public init(_ text: String) throws(Defect) {
        description = text
        var parser = PatternParser(text)
        guard let node = parser.parse() else { throw Defect(description: parser.defect ?? "") }
        guard let first = add(node, before: 0) else {
            throw Defect(description: "the expression is too large: its repetitions count as often as they may stand")
        }
        self.first = first
    }

    /// The work for each character of a text: the number of states.
    package var size: Int { states.count }

    // MARK: Building

    private mutating func add(_ state: State) -> Int? {
        guard states.count < Self.mostStates else { return nil }
        states.append(state)
        return states.count - 1
    }

    /// Adds states that match a node and continue with the state `next`; nil when there are too many.
    private mutating func add(_ node: PatternNode, before next: Int) -> Int? {
        additions += 1
        guard additions <= 4 * Self.mostStates else { return nil }
        switch node {
        case .empty: return next
        case .one(let set): return add(.one(set, next: next))
        case .sequence(let nodes):
            var next = next
            for node in nodes.reversed() {
                guard let state = add(node, before: next) else { return nil }
                next = state
            }
            return next
        case .choice(let nodes):
            var first: Int?
            for node in nodes.reversed() {
                guard let state = add(node, before: next) else { return nil }
                if let other = first {
                    guard let fork = add(.fork(state, other)) else { return nil }
                    first = fork
                } else {
                    first = state
                }
            }
            return first ?? next
        case .repeated(let node, let least, let most):
            return repeated(node, least, most, before: next)
        }
    }

    private mutating func repeated(_ node: PatternNode, _ least: Int, _ most: Int?, before end: Int) -> Int? {
        var next = end
        if let most {
            for _ in least..<most {
                guard let state = add(node, before: next), let fork = add(.fork(state, end)) else { return nil }
                next = fork
            }
        } else {
            guard let loop = add(.fork(end, end)), let state = add(node, before: loop) else { return nil }
            states[loop] = .fork(state, end)
            next = loop
        }
        for _ in 0..<least {
            guard let state = add(node, before: next) else { return nil }
            next = state
        }
        return next
    }

    // MARK: Matching

    /// Whether the whole text matches.
    public func matches(_ text: String) -> Bool {
        var present = StateSet(states.count)
        var following = StateSet(states.count)
        enter(first, &present)
        for scalar in text.unicodeScalars {
            following.removeAll()
            for state in present.members {
                if case .one(let set, let next) = states[state], set.contains(scalar) { enter(next, &following) }
            }
            if following.members.isEmpty { return false }
            swap(&present, &following)
        }
        return present.contains(0)
    }

    /// Adds a state and all states that can be reached from it without a character.
    private func enter(_ state: Int, _ set: inout StateSet) {
        set.waiting.append(state)
        while let state = set.waiting.popLast() {
            guard set.insert(state), case .fork(let left, let right) = states[state] else { continue }
            set.waiting.append(right)
            set.waiting.append(left)
        }
    }

    /// The states in which an expression may be.
    private struct StateSet {
        private(set) var members: [Int] = []
        /// The round in which each state was added last.
        private var rounds: [Int]
        private var round = 1
        var waiting: [Int] = []

        init(_ count: Int) { rounds = Array(repeating: 0, count: count) }

        func contains(_ state: Int) -> Bool { rounds[state] == round }

        mutating func insert(_ state: Int) -> Bool {
            guard rounds[state] != round else { return false }
            rounds[state] = round
            members.append(state)
            return true
        }

        mutating func removeAll() {
            members.removeAll(keepingCapacity: true)
            round += 1
        }
    }
}

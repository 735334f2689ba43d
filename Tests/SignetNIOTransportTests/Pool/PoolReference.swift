@testable import SignetNIOTransport

extension PoolStateTests {
    /// What a call gets, in a form that can be compared.
    enum Answer: Hashable {
        case use(Int)
        case open(Int, closing: Int?)
        case wait
        case shutDown

        init(_ lease: Pool.Lease) {
            self =
                switch lease {
                case .use(let id): .use(id)
                case .open(let number, let victim): .open(number, closing: victim)
                case .wait: .wait
                case .shutDown: .shutDown
                }
        }
    }

    /// A waiter, and what it gets.
    struct Served: Hashable {
        let waiter: UInt64
        let answer: Answer

        init(_ waiter: UInt64, _ answer: Answer) {
            self.waiter = waiter
            self.answer = answer
        }

        init(_ handover: Pool.Handover) {
            switch handover {
            case .use(let id, let waiter): self.init(waiter, .use(id))
            case .open(let number, let victim, let waiter): self.init(waiter, .open(number, closing: victim))
            }
        }
    }

    /// The rules of the pool in their simplest form: one list of connections and one queue, searched anew for each
    /// question. It follows the choices of the pool where the rules leave one.
    struct Reference {
        struct Connection {
            let id: Int
            let key: Key
            var capacity: Int
            var users = 1
            var isRetired = false
            /// When it became idle.
            var since = 0
        }

        let limits: Pool.Limits
        var connections: [Connection] = []
        var opening: [(number: Int, key: Key)] = []
        var queue: [(waiter: UInt64, key: Key)] = []
        var expected: [Key: Int] = [:]
        var isSuspended = false
        private var clock = 0

        init(limits: Pool.Limits) { self.limits = limits }

        // MARK: Questions

        func index(of id: Int) -> Int? { connections.firstIndex { $0.id == id } }

        func openCount(of key: Key) -> Int { connections.count { $0.key == key } + opening.count { $0.key == key } }

        private func openCount(at site: String) -> Int {
            connections.count { $0.key.site == site } + opening.count { $0.key.site == site }
        }

        func hasRoom(_ site: String) -> Bool {
            openCount(at: site) < limits.perSite && connections.count + opening.count < limits.total
        }

        /// The right answers to a call beside which `others` with the same key wait.
        func answers(_ key: Key, beside others: Int, number: Int) -> Set<Answer> {
            let shared = connections.filter {
                $0.key == key && $0.users > 0 && $0.users < $0.capacity && !$0.isRetired
            }
            if let most = shared.map(\.users).max() {
                return Set(shared.filter { $0.users == most }.map { .use($0.id) })
            }
            let idle = connections.filter { $0.key == key && $0.users == 0 && $0.capacity > 0 }
            if let youngest = idle.max(by: { $0.since < $1.since }) { return [.use(youngest.id)] }
            let coming = opening.count { $0.key == key } * ((expected[key] ?? 1) - 1)
            if coming > others { return [.wait] }
            if hasRoom(key.site) { return [.open(number, closing: nil)] }
            let isSiteFull = openCount(at: key.site) >= limits.perSite
            let victims = connections.filter { $0.users == 0 && (!isSiteFull || $0.key.site == key.site) }
            guard let oldest = victims.min(by: { $0.since < $1.since }) else { return [.wait] }
            return [.open(number, closing: oldest.id)]
        }

        /// The first waiter that must not wait, and its right answers.
        func next(number: Int) -> (waiter: UInt64, answers: Set<Answer>)? {
            queue.lazy.map { (waiter, key) in
                (waiter, answers(key, beside: queue.count { $0.key == key } - 1, number: number))
            }
            .first { $0.1 != [.wait] }
        }

        // MARK: Changes

        mutating func apply(_ answer: Answer, for key: Key) {
            switch answer {
            case .use(let id):
                if let index = index(of: id) { connections[index].users += 1 }
            case .open(let number, let victim):
                connections.removeAll { $0.id == victim }
                opening.append((number, key))
            case .wait, .shutDown: break
            }
        }

        mutating func giveBack(_ id: Int) -> Int? {
            guard let index = index(of: id), connections[index].users > 0 else { return nil }
            connections[index].users -= 1
            guard connections[index].users == 0 else { return nil }
            clock += 1
            connections[index].since = clock
            guard connections[index].isRetired || isSuspended else { return nil }
            connections.remove(at: index)
            return id
        }

        /// - Returns: those that were idle.
        mutating func retire(where isOld: (Connection) -> Bool) -> Set<Int> {
            let idle = connections.filter { isOld($0) && $0.users == 0 }.map(\.id)
            connections.removeAll { idle.contains($0.id) }
            for index in connections.indices where isOld(connections[index]) { connections[index].isRetired = true }
            return Set(idle)
        }

        /// The pool knows nothing of a key that nothing uses.
        mutating func tidy() {
            expected = expected.filter { key, _ in openCount(of: key) > 0 || queue.contains { $0.key == key } }
        }
    }
}

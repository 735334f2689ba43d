// The values between the legs and their driver. Most calls have one leg, for which none of these values allocates
// memory.

extension AuthenticationLegs {
    /// One peer, both, or neither; the origin comes first.
    package struct Peers: Sendable, Hashable, Sequence, ExpressibleByArrayLiteral {
        var origin = false
        var proxy = false

        package init(arrayLiteral peers: Peer...) {
            for peer in peers {
                switch peer {
                case .origin: origin = true
                case .proxy: proxy = true
                }
            }
        }

        init(origin: Bool, proxy: Bool) { (self.origin, self.proxy) = (origin, proxy) }

        var isEmpty: Bool { !origin && !proxy }

        mutating func insert(_ peer: Peer) {
            if peer == .origin { origin = true } else { proxy = true }
        }

        package func makeIterator() -> Iterator { Iterator(rest: self) }

        package struct Iterator: IteratorProtocol {
            var rest: Peers

            package mutating func next() -> Peer? {
                if rest.origin {
                    rest.origin = false
                    return .origin
                }
                guard rest.proxy else { return nil }
                rest.proxy = false
                return .proxy
            }
        }

        func those(where isIncluded: (Peer) -> Bool) -> Peers {
            Peers(origin: origin && isIncluded(.origin), proxy: proxy && isIncluded(.proxy))
        }
    }

    /// What is known about each peer of an exchange.
    package struct PeerStates: Sendable, Hashable, ExpressibleByDictionaryLiteral {
        private var origin: PeerState?
        private var proxy: PeerState?

        package init(dictionaryLiteral states: (Peer, PeerState)...) {
            for (peer, state) in states { self[peer] = state }
        }

        /// Nil for a peer that the exchange does not have, or about which nothing is known yet.
        package subscript(_ peer: Peer) -> PeerState? {
            get { peer == .origin ? origin : proxy }
            set { if peer == .origin { origin = newValue } else { proxy = newValue } }
        }

        /// Removes the peer's user, so that no handshake begins before the peer asks.
        mutating func deferToken(_ peer: Peer) {
            guard var state = self[peer] else { return }
            state.user = nil
            self[peer] = state
        }

        mutating func endHandshake(with peer: Peer) {
            guard var state = self[peer] else { return }
            state.handshakeEnded()
            self[peer] = state
        }

        mutating func learn(_ others: PeerStates) {
            origin = others.origin ?? origin
            proxy = others.proxy ?? proxy
        }

        func contains(where isTrue: (PeerState) -> Bool) -> Bool {
            origin.map(isTrue) == true || proxy.map(isTrue) == true
        }

        /// - Parameter isIncluded: selects the peers.
        func users(where isIncluded: (PeerState) -> Bool = { _ in true }) -> Set<ConnectionUser> {
            var users: Set<ConnectionUser> = []
            if let origin, let user = origin.user, isIncluded(origin) { users.insert(user) }
            if let proxy, let user = proxy.user, isIncluded(proxy) { users.insert(user) }
            return users
        }
    }

    /// Up to five actions in order.
    package struct Actions: Sendable, Sequence, ExpressibleByArrayLiteral {
        private typealias Places = (Action?, Action?, Action?, Action?, Action?)
        private var places: Places = (nil, nil, nil, nil, nil)

        package init(arrayLiteral actions: Action...) { for action in actions { append(action) } }

        /// One action, without the array that a literal would allocate.
        init(_ action: Action) { places.0 = action }

        /// An exchange never has more actions at a time; a further one would be left out.
        mutating func append(_ action: Action) {
            if places.0 == nil {
                places.0 = action
            } else if places.1 == nil {
                places.1 = action
            } else if places.2 == nil {
                places.2 = action
            } else if places.3 == nil {
                places.3 = action
            } else if places.4 == nil {
                places.4 = action
            }
        }

        static func + (left: Actions, right: Actions) -> Actions {
            var actions = left
            for action in right { actions.append(action) }
            return actions
        }

        static func += (left: inout Actions, right: Actions) { left = left + right }

        package func makeIterator() -> Iterator { Iterator(actions: self) }

        package struct Iterator: IteratorProtocol {
            let actions: Actions
            private var index = 0

            init(actions: Actions) { self.actions = actions }

            package mutating func next() -> Action? {
                defer { index += 1 }
                switch index {
                case 0: return actions.places.0
                case 1: return actions.places.1
                case 2: return actions.places.2
                case 3: return actions.places.3
                case 4: return actions.places.4
                default: return nil
                }
            }
        }
    }
}

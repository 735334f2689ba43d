/// One difference between two versions of a contract.
package struct ContractChange: Sendable, Hashable, CustomStringConvertible {
    /// Where it is, from the outside in, such as `operation Query`, `input`, `order/item`.
    package var path: [String]
    /// What changed, in words.
    package var message: String
    /// Whether callers made for the old contract may fail against a service with the new one.
    package var isBreaking: Bool

    package var description: String {
        "\(isBreaking ? "breaks" : "fine"): \(path.joined(separator: ", ")): \(message)"
    }
}

/// The party that writes a message. It decides which changes break callers.
enum MessageDirection: Hashable {
    /// Callers write it: the new service must still accept every message that the old contract allowed.
    case toService
    /// The service writes it: it must not write anything that the old contract did not allow.
    case toCaller

    func isBreaking(_ change: ValueChange) -> Bool {
        switch change {
        case .narrower: self == .toService
        case .wider: self == .toCaller
        case .other: true
        case .none: false
        }
    }
}

/// How the values that one declaration allows relate to those that another allows.
enum ValueChange: Hashable {
    case none
    /// Some values are no longer allowed.
    case narrower
    /// More values are allowed.
    case wider
    /// Some values are no longer allowed, and other values now are.
    case other

    func and(_ next: ValueChange) -> ValueChange {
        switch (self, next) {
        case (.none, let change), (let change, .none): change
        case (.narrower, .narrower): .narrower
        case (.wider, .wider): .wider
        default: .other
        }
    }
}

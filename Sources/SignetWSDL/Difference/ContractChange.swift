/// Something that two versions of a contract say differently.
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

/// Who writes a message; what that may do differently decides whether callers break.
enum MessageDirection: Hashable {
    /// Callers write it: whatever they wrote must still be accepted.
    case toService
    /// The service writes it: it must write nothing that callers did not have to expect.
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

/// How the values that one declaration lets in relate to those of another.
enum ValueChange: Hashable {
    case none
    /// Some are no longer let in.
    case narrower
    /// More are let in.
    case wider
    /// Some are no longer let in, and others are.
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

import SignetWSDL

/// The members of an object that represent elements, while they wait for their places in a content model.
struct PendingMembers {
    /// A value for one element, and the step that leads to it.
    struct Item {
        var value: DynamicValue
        var step: String
    }

    /// A value for an element that the content model does not name.
    struct WildItem {
        var name: QName
        var item: Item
    }

    let schema: SchemaSet
    private var queues: [QName: ArraySlice<Item>] = [:]
    private var wild: ArraySlice<WildItem> = []
    private(set) var taken = 0

    init(schema: SchemaSet) { self.schema = schema }

    mutating func add(_ name: QName, _ items: [Item]) { queues[name, default: []] += items }

    mutating func addWild(_ name: QName, _ items: [Item]) { wild += items.map { WildItem(name: name, item: $0) } }

    func has(_ name: QName) -> Bool { queues[name]?.isEmpty == false }

    func has(_ wildcard: Wildcard) -> Bool { wild.contains { schema.allows($0.name, wildcard) } }

    mutating func take(_ name: QName) -> Item? {
        guard let item = queues[name]?.popFirst() else { return nil }
        taken += 1
        return item
    }

    mutating func take(_ wildcard: Wildcard) -> WildItem? {
        guard let index = wild.firstIndex(where: { schema.allows($0.name, wildcard) }) else { return nil }
        taken += 1
        return index == wild.startIndex ? wild.popFirst() : wild.remove(at: index)
    }

    /// The key of a member that has found no place; nil when all have.
    var leftover: String? {
        queues.values.compactMap(\.first?.step).min() ?? wild.first?.item.step
    }

    typealias Fit = (covered: Int, lacking: Int)

    /// How well a model fits: how many of its elements are waiting, and how many that it requires are not.
    func fit(_ model: Model) -> Fit {
        var result: Fit
        switch model.term {
        case .element(let alternatives):
            result = alternatives.contains { has($0.name) } ? (1, 0) : (0, 1)
        case .wildcard(let wildcard): result = has(wildcard) ? (1, 0) : (0, 1)
        case .group(.choice, let branches):
            result = best(of: branches)?.fit ?? (0, 0)
        case .group(_, let parts):
            result = parts.reduce((0, 0)) { sum, part in
                let fit = fit(part)
                return (sum.0 + fit.covered, sum.1 + fit.lacking)
            }
        }
        if model.minimum == 0, result.covered == 0 { result.lacking = 0 }
        return result
    }

    /// The branch of a choice to which most of the waiting members belong; among equals, the first that requires
    /// nothing absent.
    func best(of branches: [Model]) -> (model: Model, fit: Fit)? {
        var best: (model: Model, fit: Fit)?
        for branch in branches {
            let fit = fit(branch)
            let isBetter = best.map { ($0.fit.covered, -$0.fit.lacking) < (fit.covered, -fit.lacking) } ?? true
            if isBetter { best = (branch, fit) }
        }
        return best
    }
}

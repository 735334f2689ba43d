/// A structure that is compared by its fields alone, even if its type has an equality of its own.
struct XMLCompared<Value: XMLFielded>: Sendable, Hashable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (left: Self, right: Self) -> Bool { left.value == right.value }
    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension Nillable {
    func map<Other>(_ change: (Wrapped) -> Other) -> Nillable<Other> { Nillable<Other>(value.map(change)) }
}

// Written here and not synthesized, as for structures. What an alternative writes identifies it: its value is collected
// here instead of becoming text.
extension XMLChoice {
    /// Two are equal when they are the same alternative with equal values.
    public static func == (left: Self, right: Self) -> Bool {
        XMLFieldCollector.areEqual {
            left.encode(to: &$0)
        } and: {
            right.encode(to: &$0)
        }
    }

    public func hash(into hasher: inout Hasher) {
        XMLFieldCollector.hash(into: &hasher) { encode(to: &$0) }
    }
}

/// Collects the content of one choice from a writer that writes none of it.
///
/// Content that handwritten code writes in another way is compared as bytes.
final class XMLFieldCollector {
    /// The parts of a value that have no number among its elements.
    enum Part {
        static let text = -1
        static let any = -2
    }

    struct Null: Hashable {}

    // Each value is an object, because checking the type of a class takes one comparison, and that of an existential a
    // search.
    private class Kept {
        let index: Int
        init(_ index: Int) { self.index = index }
    }

    private final class KeptValue<T: Hashable>: Kept {
        let value: T

        init(_ index: Int, _ value: T) {
            self.value = value
            super.init(index)
        }
    }

    private enum Purpose {
        case hashing, keeping, comparing
    }

    private let purpose: Purpose
    private var hasher = Hasher()
    private var kept: [Kept]
    private var next = 0
    private var isEqual = true

    private init(_ purpose: Purpose, _ kept: [Kept] = []) {
        self.purpose = purpose
        self.kept = kept
    }

    func take<T: Hashable>(_ index: Int, _ value: T) {
        switch purpose {
        case .hashing:
            hasher.combine(index)
            hasher.combine(value)
        case .keeping: kept.append(KeptValue(index, value))
        case .comparing:
            guard isEqual else { return }
            guard next < kept.count, let other = kept[next] as? KeptValue<T> else { return isEqual = false }
            isEqual = other.index == index && other.value == value
            next += 1
        }
    }

    static func areEqual(_ left: (inout XMLWriter) -> Void, and right: (inout XMLWriter) -> Void) -> Bool {
        let one = XMLFieldCollector(.keeping)
        one.kept.reserveCapacity(16)
        let written = one.bytes(left)
        let other = XMLFieldCollector(.comparing, one.kept)
        return other.bytes(right) == written && other.isEqual && other.next == other.kept.count
    }

    static func hash(into hasher: inout Hasher, _ write: (inout XMLWriter) -> Void) {
        let collector = XMLFieldCollector(.hashing)
        let written = collector.bytes(write)
        hasher.combine(collector.hasher.finalize())
        hasher.combine(written)
    }

    private func bytes(_ write: (inout XMLWriter) -> Void) -> [UInt8] {
        var writer = XMLWriter(handingFieldsTo: self)
        write(&writer)
        return writer.bytesWritten
    }
}

extension XMLWriter {
    /// Whether fields are collected instead of written.
    @usableFromInline var isCollected: Bool { collector != nil }

    /// Passes a value to the collector, if there is one.
    @usableFromInline func handOver<T: Hashable>(_ index: Int, _ value: T) { collector?.take(index, value) }
}

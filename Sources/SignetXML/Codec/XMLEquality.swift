/// A structure that is compared by its fields alone, whether or not more is known of its type.
struct XMLCompared<Value: XMLFielded>: Sendable, Hashable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (left: Self, right: Self) -> Bool { left.value == right.value }
    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension Nillable {
    func map<Other>(_ change: (Wrapped) -> Other) -> Nillable<Other> { Nillable<Other>(value.map(change)) }
}

// Not made by the compiler, as for structures. What an alternative writes says the same: its value is handed over here instead of
// becoming text.
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

/// Takes what one choice holds from a writer that writes none of it.
///
/// What is written otherwise, by code that was written by hand, is compared as bytes.
final class XMLFieldCollector {
    /// The parts of a value that have no number among its elements.
    enum Part {
        static let text = -1
        static let any = -2
    }

    struct Null: Hashable {}

    // An object each: to tell the type of a class takes a comparison, that of an existential a search.
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
    /// Whether fields are handed over instead of being written.
    @usableFromInline var isCollected: Bool { collector != nil }

    /// Hands a value over to who wants values instead of text, if there is one.
    @usableFromInline func handOver<T: Hashable>(_ index: Int, _ value: T) { collector?.take(index, value) }
}

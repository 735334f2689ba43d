/// Keeps a value on the heap, because it is large or contains values of its own type. Generated code stores properties
/// in it.
public struct XMLBox<Value: Sendable>: Sendable {
    @usableFromInline final class Held: Sendable {
        @usableFromInline let value: Value
        @inlinable init(_ value: Value) { self.value = value }
    }

    @usableFromInline var held: Held?

    /// Allocates memory for a value, and none for nil.
    // Inlined, so that properties which use it call no function that might unwind: one such call costs the whole file
    // its unwind tables.
    @inlinable public init(_ value: Value? = nil) {
        if let value { held = Held(value) }
    }

    /// The value; nil when the element is absent. Setting it allocates new memory, so that copies of the box keep their
    /// value.
    @inlinable public var value: Value? {
        get { held?.value }
        set { self = Self(newValue) }
    }
}

extension XMLBox: Equatable where Value: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        left.held === right.held || left.held?.value == right.held?.value
    }
}

extension XMLBox: Hashable where Value: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

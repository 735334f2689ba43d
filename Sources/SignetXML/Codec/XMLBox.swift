/// Keeps a value on the heap: one that holds others of its type, or is large. Generated code stores properties in it.
public struct XMLBox<Value: Sendable>: Sendable {
    @usableFromInline final class Held: Sendable {
        @usableFromInline let value: Value
        @inlinable init(_ value: Value) { self.value = value }
    }

    @usableFromInline var held: Held?

    /// Allocates memory for a value, and none for nil.
    // Inlined, so that properties which use it call nothing that might unwind: one function that does costs all of its file the
    // tables for it.
    @inlinable public init(_ value: Value? = nil) {
        if let value { held = Held(value) }
    }

    /// Nil where the element is absent. Setting it allocates anew, so that copies of the box keep the value they have.
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

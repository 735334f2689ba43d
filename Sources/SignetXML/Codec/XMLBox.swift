/// Keeps a value on the heap: one that holds others of its type, or is large. Generated code uses it for private properties.
public struct XMLBox<Value: Sendable & Hashable>: Sendable, Hashable {
    // The least that lies on the heap and is copied when it is changed.
    private var values: [Value]

    public init(_ value: Value? = nil) { values = value.map { [$0] } ?? [] }

    public var value: Value? {
        get { values.first }
        set { values = newValue.map { [$0] } ?? [] }
    }
}

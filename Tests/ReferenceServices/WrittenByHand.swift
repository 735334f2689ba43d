@_spi(Generated) import SignetSOAP

/// Structures that are written by hand, in the ways in which the generator writes none.
package enum WrittenByHand {
    /// Generic, with what lies behind what is not aligned.
    struct Several<First: XMLValue, Second: XMLFielded & Hashable>: XMLStructure {
        var flag: Bool
        var first: First
        var maybe: First?
        var null: Nillable<First>?
        var list: [First]
        var boxed: XMLBox<Second>
        var small: Int8
        var second: Second?
        var seconds: [Nillable<Second>]

        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names("urn:hand", elements: "flag first maybe? null? list* boxed? small second? seconds*")
            fields.field(&x.flag)
            fields.field(&x.first)
            fields.field(&x.maybe)
            fields.field(&x.null)
            fields.field(&x.list)
            fields.boxedOptionalStructure(&x.boxed)
            fields.field(&x.small)
            fields.field(&x.second)
            fields.field(&x.seconds)
        }
    }

    /// Hands its properties over in another order than it declares them in, and not all of them.
    struct Reordered: XMLStructure {
        private var unread = [1]
        var third: Int16 = 0
        var first: Bool?
        var second = ""

        init(_decoding: Void) {}

        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:hand"], elements: "first? second", attributes: "third")
            fields.field(&x.first)
            fields.field(&x.second)
            fields.field(&x.third)
        }
    }

    /// A property wrapper that stores its value: the property lies where the wrapper does.
    @propertyWrapper struct Stored<Value: Sendable>: Sendable {
        var wrappedValue: Value
    }

    struct Wrapped: XMLStructure {
        @Stored var first: Int8
        @Stored var second: String

        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names("urn:hand", elements: "first second")
            fields.field(&x.first)
            fields.field(&x.second)
        }

        /// What a wrapper is stored in is private.
        static func compare(_ places: inout PropertyPlaces) { places.compare(Self.self, \._first, \._second) }
    }

    package static func compare(_ places: inout PropertyPlaces) {
        compare(&places, Bool.self, Reordered.self)
        compare(&places, String.self, Wrapped.self)
        compare(&places, XSDDecimal.self, Several<Int64, Reordered>.self)
        compare(&places, XSDDateTime.self, Several<UInt8, Wrapped>.self)
        places.compare(Reordered.self, \.first, \.second, \.third)
        Wrapped.compare(&places)
    }

    private static func compare<First: XMLValue, Second: XMLFielded & Hashable>(
        _ places: inout PropertyPlaces, _ first: First.Type, _ second: Second.Type
    ) {
        places.compare(
            Several<First, Second>.self, \.flag, \.first, \.maybe, \.null, \.list, \.boxed, \.small, \.second, \.seconds
        )
    }
}

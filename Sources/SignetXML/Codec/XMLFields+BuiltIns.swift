// The methods ``XMLFields/value(_:)`` and the like for the types of most properties: calls without generics compile
// faster, and the code behind them is specialized for the type.

// MARK: String

extension XMLFields {
    /// Hands over a `String`, which is required.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func string(_ x: inout String) {
        add(&x, XMLSpecialCoding(ValueShape<String>.self))
    }

    /// Hands over a `String`, which may be absent.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalString(_ x: inout String?) {
        add(&x, XMLSpecialCoding(OptionalValueShape<String>.self))
    }

    /// Hands over a `String`, which is required and may be nil (`xsi:nil="true"`).
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func nillableString(_ x: inout String?) {
        add(&x, XMLSpecialCoding(NillableValueShape<String>.self))
    }

    /// Hands over a `String`, which may be absent, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalNillableString(
        _ x: inout Nillable<String>?
    ) {
        add(&x, XMLSpecialCoding(OptionalNillableValueShape<String>.self))
    }

    /// Hands over a list; each item is a `String`.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func strings(_ x: inout [String]) {
        add(&x, XMLSpecialCoding(ValuesShape<String>.self))
    }
}

// MARK: Bool

extension XMLFields {
    /// Hands over a `Bool`, which is required.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func bool(_ x: inout Bool) {
        add(&x, XMLSpecialCoding(ValueShape<Bool>.self))
    }

    /// Hands over a `Bool`, which may be absent.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalBool(_ x: inout Bool?) {
        add(&x, XMLSpecialCoding(OptionalValueShape<Bool>.self))
    }

    /// Hands over a `Bool`, which is required and may be nil (`xsi:nil="true"`).
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func nillableBool(_ x: inout Bool?) {
        add(&x, XMLSpecialCoding(NillableValueShape<Bool>.self))
    }

    /// Hands over a `Bool`, which may be absent, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalNillableBool(
        _ x: inout Nillable<Bool>?
    ) {
        add(&x, XMLSpecialCoding(OptionalNillableValueShape<Bool>.self))
    }

    /// Hands over a list; each item is a `Bool`.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func bools(_ x: inout [Bool]) {
        add(&x, XMLSpecialCoding(ValuesShape<Bool>.self))
    }
}

// MARK: Int32

extension XMLFields {
    /// Hands over an `Int32`, which is required.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func int32(_ x: inout Int32) {
        add(&x, XMLSpecialCoding(ValueShape<Int32>.self))
    }

    /// Hands over an `Int32`, which may be absent.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalInt32(_ x: inout Int32?) {
        add(&x, XMLSpecialCoding(OptionalValueShape<Int32>.self))
    }

    /// Hands over an `Int32`, which is required and may be nil (`xsi:nil="true"`).
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func nillableInt32(_ x: inout Int32?) {
        add(&x, XMLSpecialCoding(NillableValueShape<Int32>.self))
    }

    /// Hands over an `Int32`, which may be absent, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalNillableInt32(
        _ x: inout Nillable<Int32>?
    ) {
        add(&x, XMLSpecialCoding(OptionalNillableValueShape<Int32>.self))
    }

    /// Hands over a list; each item is an `Int32`.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func int32s(_ x: inout [Int32]) {
        add(&x, XMLSpecialCoding(ValuesShape<Int32>.self))
    }
}

// MARK: Int64

extension XMLFields {
    /// Hands over an `Int64`, which is required.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func int64(_ x: inout Int64) {
        add(&x, XMLSpecialCoding(ValueShape<Int64>.self))
    }

    /// Hands over an `Int64`, which may be absent.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalInt64(_ x: inout Int64?) {
        add(&x, XMLSpecialCoding(OptionalValueShape<Int64>.self))
    }

    /// Hands over an `Int64`, which is required and may be nil (`xsi:nil="true"`).
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func nillableInt64(_ x: inout Int64?) {
        add(&x, XMLSpecialCoding(NillableValueShape<Int64>.self))
    }

    /// Hands over an `Int64`, which may be absent, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalNillableInt64(
        _ x: inout Nillable<Int64>?
    ) {
        add(&x, XMLSpecialCoding(OptionalNillableValueShape<Int64>.self))
    }

    /// Hands over a list; each item is an `Int64`.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func int64s(_ x: inout [Int64]) {
        add(&x, XMLSpecialCoding(ValuesShape<Int64>.self))
    }
}

// MARK: Double

extension XMLFields {
    /// Hands over a `Double`, which is required.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func double(_ x: inout Double) {
        add(&x, XMLSpecialCoding(ValueShape<Double>.self))
    }

    /// Hands over a `Double`, which may be absent.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalDouble(_ x: inout Double?) {
        add(&x, XMLSpecialCoding(OptionalValueShape<Double>.self))
    }

    /// Hands over a `Double`, which is required and may be nil (`xsi:nil="true"`).
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func nillableDouble(_ x: inout Double?) {
        add(&x, XMLSpecialCoding(NillableValueShape<Double>.self))
    }

    /// Hands over a `Double`, which may be absent, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalNillableDouble(
        _ x: inout Nillable<Double>?
    ) {
        add(&x, XMLSpecialCoding(OptionalNillableValueShape<Double>.self))
    }

    /// Hands over a list; each item is a `Double`.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func doubles(_ x: inout [Double]) {
        add(&x, XMLSpecialCoding(ValuesShape<Double>.self))
    }
}

// MARK: XSDDecimal

extension XMLFields {
    /// Hands over an `XSDDecimal`, which is required.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func decimal(_ x: inout XSDDecimal) {
        add(&x, XMLSpecialCoding(ValueShape<XSDDecimal>.self))
    }

    /// Hands over an `XSDDecimal`, which may be absent.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalDecimal(_ x: inout XSDDecimal?)
    {
        add(&x, XMLSpecialCoding(OptionalValueShape<XSDDecimal>.self))
    }

    /// Hands over an `XSDDecimal`, which is required and may be nil (`xsi:nil="true"`).
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func nillableDecimal(_ x: inout XSDDecimal?)
    {
        add(&x, XMLSpecialCoding(NillableValueShape<XSDDecimal>.self))
    }

    /// Hands over an `XSDDecimal`, which may be absent, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalNillableDecimal(
        _ x: inout Nillable<XSDDecimal>?
    ) {
        add(&x, XMLSpecialCoding(OptionalNillableValueShape<XSDDecimal>.self))
    }

    /// Hands over a list; each item is an `XSDDecimal`.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func decimals(_ x: inout [XSDDecimal]) {
        add(&x, XMLSpecialCoding(ValuesShape<XSDDecimal>.self))
    }
}

// MARK: XSDInteger

extension XMLFields {
    /// Hands over an `XSDInteger`, which is required.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func integer(_ x: inout XSDInteger) {
        add(&x, XMLSpecialCoding(ValueShape<XSDInteger>.self))
    }

    /// Hands over an `XSDInteger`, which may be absent.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalInteger(_ x: inout XSDInteger?)
    {
        add(&x, XMLSpecialCoding(OptionalValueShape<XSDInteger>.self))
    }

    /// Hands over an `XSDInteger`, which is required and may be nil (`xsi:nil="true"`).
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func nillableInteger(_ x: inout XSDInteger?)
    {
        add(&x, XMLSpecialCoding(NillableValueShape<XSDInteger>.self))
    }

    /// Hands over an `XSDInteger`, which may be absent, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalNillableInteger(
        _ x: inout Nillable<XSDInteger>?
    ) {
        add(&x, XMLSpecialCoding(OptionalNillableValueShape<XSDInteger>.self))
    }

    /// Hands over a list; each item is an `XSDInteger`.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func integers(_ x: inout [XSDInteger]) {
        add(&x, XMLSpecialCoding(ValuesShape<XSDInteger>.self))
    }
}

// MARK: XSDDate

extension XMLFields {
    /// Hands over an `XSDDate`, which is required.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func date(_ x: inout XSDDate) {
        add(&x, XMLSpecialCoding(ValueShape<XSDDate>.self))
    }

    /// Hands over an `XSDDate`, which may be absent.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalDate(_ x: inout XSDDate?) {
        add(&x, XMLSpecialCoding(OptionalValueShape<XSDDate>.self))
    }

    /// Hands over an `XSDDate`, which is required and may be nil (`xsi:nil="true"`).
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func nillableDate(_ x: inout XSDDate?) {
        add(&x, XMLSpecialCoding(NillableValueShape<XSDDate>.self))
    }

    /// Hands over an `XSDDate`, which may be absent, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalNillableDate(
        _ x: inout Nillable<XSDDate>?
    ) {
        add(&x, XMLSpecialCoding(OptionalNillableValueShape<XSDDate>.self))
    }

    /// Hands over a list; each item is an `XSDDate`.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func dates(_ x: inout [XSDDate]) {
        add(&x, XMLSpecialCoding(ValuesShape<XSDDate>.self))
    }
}

// MARK: XSDDateTime

extension XMLFields {
    /// Hands over an `XSDDateTime`, which is required.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func dateTime(_ x: inout XSDDateTime) {
        add(&x, XMLSpecialCoding(ValueShape<XSDDateTime>.self))
    }

    /// Hands over an `XSDDateTime`, which may be absent.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalDateTime(
        _ x: inout XSDDateTime?
    ) {
        add(&x, XMLSpecialCoding(OptionalValueShape<XSDDateTime>.self))
    }

    /// Hands over an `XSDDateTime`, which is required and may be nil (`xsi:nil="true"`).
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func nillableDateTime(
        _ x: inout XSDDateTime?
    ) {
        add(&x, XMLSpecialCoding(NillableValueShape<XSDDateTime>.self))
    }

    /// Hands over an `XSDDateTime`, which may be absent, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalNillableDateTime(
        _ x: inout Nillable<XSDDateTime>?
    ) {
        add(&x, XMLSpecialCoding(OptionalNillableValueShape<XSDDateTime>.self))
    }

    /// Hands over a list; each item is an `XSDDateTime`.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func dateTimes(_ x: inout [XSDDateTime]) {
        add(&x, XMLSpecialCoding(ValuesShape<XSDDateTime>.self))
    }
}

// MARK: XSDBase64Binary

extension XMLFields {
    /// Hands over an `XSDBase64Binary`, which is required.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func base64Binary(
        _ x: inout XSDBase64Binary
    ) {
        add(&x, XMLSpecialCoding(ValueShape<XSDBase64Binary>.self))
    }

    /// Hands over an `XSDBase64Binary`, which may be absent.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalBase64Binary(
        _ x: inout XSDBase64Binary?
    ) {
        add(&x, XMLSpecialCoding(OptionalValueShape<XSDBase64Binary>.self))
    }

    /// Hands over an `XSDBase64Binary`, which is required and may be nil (`xsi:nil="true"`).
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func nillableBase64Binary(
        _ x: inout XSDBase64Binary?
    ) {
        add(&x, XMLSpecialCoding(NillableValueShape<XSDBase64Binary>.self))
    }

    /// Hands over an `XSDBase64Binary`, which may be absent, and may be nil.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func optionalNillableBase64Binary(
        _ x: inout Nillable<XSDBase64Binary>?
    ) {
        add(&x, XMLSpecialCoding(OptionalNillableValueShape<XSDBase64Binary>.self))
    }

    /// Hands over a list; each item is an `XSDBase64Binary`.
    @_spi(Generated) @_semantics("optimize.no.crossmodule") public mutating func base64Binarys(
        _ x: inout [XSDBase64Binary]
    ) {
        add(&x, XMLSpecialCoding(ValuesShape<XSDBase64Binary>.self))
    }
}

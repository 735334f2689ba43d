// What ``XMLFields/value(_:)`` and the like do, for the types that most properties have: a call without generics compiles faster, and
// what it leads to is compiled for the type.

// MARK: String

extension XMLFields {
    @_semantics("optimize.no.crossmodule") public mutating func string(_ x: inout String) {
        add(&x, XMLDirectCoding(ValueShape<String>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalString(_ x: inout String?) {
        add(&x, XMLDirectCoding(OptionalValueShape<String>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func nillableString(_ x: inout String?) {
        add(&x, XMLDirectCoding(NillableValueShape<String>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalNillableString(_ x: inout Nillable<String>?) {
        add(&x, XMLDirectCoding(OptionalNillableValueShape<String>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func strings(_ x: inout [String]) {
        add(&x, XMLDirectCoding(ValuesShape<String>.self))
    }
}

// MARK: Bool

extension XMLFields {
    @_semantics("optimize.no.crossmodule") public mutating func bool(_ x: inout Bool) {
        add(&x, XMLDirectCoding(ValueShape<Bool>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalBool(_ x: inout Bool?) {
        add(&x, XMLDirectCoding(OptionalValueShape<Bool>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func nillableBool(_ x: inout Bool?) {
        add(&x, XMLDirectCoding(NillableValueShape<Bool>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalNillableBool(_ x: inout Nillable<Bool>?) {
        add(&x, XMLDirectCoding(OptionalNillableValueShape<Bool>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func bools(_ x: inout [Bool]) {
        add(&x, XMLDirectCoding(ValuesShape<Bool>.self))
    }
}

// MARK: Int32

extension XMLFields {
    @_semantics("optimize.no.crossmodule") public mutating func int32(_ x: inout Int32) {
        add(&x, XMLDirectCoding(ValueShape<Int32>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalInt32(_ x: inout Int32?) {
        add(&x, XMLDirectCoding(OptionalValueShape<Int32>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func nillableInt32(_ x: inout Int32?) {
        add(&x, XMLDirectCoding(NillableValueShape<Int32>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalNillableInt32(_ x: inout Nillable<Int32>?) {
        add(&x, XMLDirectCoding(OptionalNillableValueShape<Int32>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func int32s(_ x: inout [Int32]) {
        add(&x, XMLDirectCoding(ValuesShape<Int32>.self))
    }
}

// MARK: Int64

extension XMLFields {
    @_semantics("optimize.no.crossmodule") public mutating func int64(_ x: inout Int64) {
        add(&x, XMLDirectCoding(ValueShape<Int64>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalInt64(_ x: inout Int64?) {
        add(&x, XMLDirectCoding(OptionalValueShape<Int64>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func nillableInt64(_ x: inout Int64?) {
        add(&x, XMLDirectCoding(NillableValueShape<Int64>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalNillableInt64(_ x: inout Nillable<Int64>?) {
        add(&x, XMLDirectCoding(OptionalNillableValueShape<Int64>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func int64s(_ x: inout [Int64]) {
        add(&x, XMLDirectCoding(ValuesShape<Int64>.self))
    }
}

// MARK: Double

extension XMLFields {
    @_semantics("optimize.no.crossmodule") public mutating func double(_ x: inout Double) {
        add(&x, XMLDirectCoding(ValueShape<Double>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalDouble(_ x: inout Double?) {
        add(&x, XMLDirectCoding(OptionalValueShape<Double>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func nillableDouble(_ x: inout Double?) {
        add(&x, XMLDirectCoding(NillableValueShape<Double>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalNillableDouble(_ x: inout Nillable<Double>?) {
        add(&x, XMLDirectCoding(OptionalNillableValueShape<Double>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func doubles(_ x: inout [Double]) {
        add(&x, XMLDirectCoding(ValuesShape<Double>.self))
    }
}

// MARK: XSDDecimal

extension XMLFields {
    @_semantics("optimize.no.crossmodule") public mutating func decimal(_ x: inout XSDDecimal) {
        add(&x, XMLDirectCoding(ValueShape<XSDDecimal>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalDecimal(_ x: inout XSDDecimal?) {
        add(&x, XMLDirectCoding(OptionalValueShape<XSDDecimal>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func nillableDecimal(_ x: inout XSDDecimal?) {
        add(&x, XMLDirectCoding(NillableValueShape<XSDDecimal>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalNillableDecimal(
        _ x: inout Nillable<XSDDecimal>?
    ) {
        add(&x, XMLDirectCoding(OptionalNillableValueShape<XSDDecimal>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func decimals(_ x: inout [XSDDecimal]) {
        add(&x, XMLDirectCoding(ValuesShape<XSDDecimal>.self))
    }
}

// MARK: XSDInteger

extension XMLFields {
    @_semantics("optimize.no.crossmodule") public mutating func integer(_ x: inout XSDInteger) {
        add(&x, XMLDirectCoding(ValueShape<XSDInteger>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalInteger(_ x: inout XSDInteger?) {
        add(&x, XMLDirectCoding(OptionalValueShape<XSDInteger>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func nillableInteger(_ x: inout XSDInteger?) {
        add(&x, XMLDirectCoding(NillableValueShape<XSDInteger>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalNillableInteger(
        _ x: inout Nillable<XSDInteger>?
    ) {
        add(&x, XMLDirectCoding(OptionalNillableValueShape<XSDInteger>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func integers(_ x: inout [XSDInteger]) {
        add(&x, XMLDirectCoding(ValuesShape<XSDInteger>.self))
    }
}

// MARK: XSDDate

extension XMLFields {
    @_semantics("optimize.no.crossmodule") public mutating func date(_ x: inout XSDDate) {
        add(&x, XMLDirectCoding(ValueShape<XSDDate>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalDate(_ x: inout XSDDate?) {
        add(&x, XMLDirectCoding(OptionalValueShape<XSDDate>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func nillableDate(_ x: inout XSDDate?) {
        add(&x, XMLDirectCoding(NillableValueShape<XSDDate>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalNillableDate(_ x: inout Nillable<XSDDate>?) {
        add(&x, XMLDirectCoding(OptionalNillableValueShape<XSDDate>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func dates(_ x: inout [XSDDate]) {
        add(&x, XMLDirectCoding(ValuesShape<XSDDate>.self))
    }
}

// MARK: XSDDateTime

extension XMLFields {
    @_semantics("optimize.no.crossmodule") public mutating func dateTime(_ x: inout XSDDateTime) {
        add(&x, XMLDirectCoding(ValueShape<XSDDateTime>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalDateTime(_ x: inout XSDDateTime?) {
        add(&x, XMLDirectCoding(OptionalValueShape<XSDDateTime>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func nillableDateTime(_ x: inout XSDDateTime?) {
        add(&x, XMLDirectCoding(NillableValueShape<XSDDateTime>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalNillableDateTime(
        _ x: inout Nillable<XSDDateTime>?
    ) {
        add(&x, XMLDirectCoding(OptionalNillableValueShape<XSDDateTime>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func dateTimes(_ x: inout [XSDDateTime]) {
        add(&x, XMLDirectCoding(ValuesShape<XSDDateTime>.self))
    }
}

// MARK: XSDBase64Binary

extension XMLFields {
    @_semantics("optimize.no.crossmodule") public mutating func base64Binary(_ x: inout XSDBase64Binary) {
        add(&x, XMLDirectCoding(ValueShape<XSDBase64Binary>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalBase64Binary(_ x: inout XSDBase64Binary?) {
        add(&x, XMLDirectCoding(OptionalValueShape<XSDBase64Binary>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func nillableBase64Binary(_ x: inout XSDBase64Binary?) {
        add(&x, XMLDirectCoding(NillableValueShape<XSDBase64Binary>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func optionalNillableBase64Binary(
        _ x: inout Nillable<XSDBase64Binary>?
    ) {
        add(&x, XMLDirectCoding(OptionalNillableValueShape<XSDBase64Binary>.self))
    }

    @_semantics("optimize.no.crossmodule") public mutating func base64Binarys(_ x: inout [XSDBase64Binary]) {
        add(&x, XMLDirectCoding(ValuesShape<XSDBase64Binary>.self))
    }
}

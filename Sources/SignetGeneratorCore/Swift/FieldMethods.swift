/// The shape of a property: how it holds its values.
enum FieldShape: CaseIterable {
    case required, optional, nillable, optionalNillable, repeated, nillableRepeated

    init(_ occurrence: BoundField.Occurrence, isNillable: Bool) {
        self =
            switch (occurrence, isNillable) {
            case (.required, false): .required
            case (.required, true): .nillable
            case (.optional, false): .optional
            case (.optional, true): .optionalNillable
            case (.repeated, false): .repeated
            case (.repeated, true): .nillableRepeated
            }
    }
}

/// The methods of the runtime's `XMLFields` for one kind of value, through which generated code passes its properties.
/// `XMLWriter` has methods of the same names for the values of choices.
enum FieldMethods: String, CaseIterable {
    case value, structure, choice, fragment
    /// Without generics, for the types that most properties have.
    case string, bool, int32, int64, double, decimal, integer, date, dateTime, base64Binary
    /// Strings of types that change white space.
    case collapsed, replaced
    /// A structure in an `XMLBox`.
    case boxedStructure
    /// Elements without an element of their own around them.
    case group, boxedGroup
    /// A value in an `XMLDerived`.
    case derived
    case anyAttributes
    /// The items of an array of SOAP's encoding, each of which may be nil.
    case items

    /// The shapes of properties for which a method exists.
    var shapes: [FieldShape] {
        switch self {
        case .value, .structure, .collapsed, .replaced, .derived: FieldShape.allCases
        case .choice, .fragment: [.required, .optional, .repeated]
        // A required one is stored inline, without a box.
        case .group: [.optional, .repeated]
        case .string, .bool, .int32, .int64, .double, .decimal, .integer, .date, .dateTime, .base64Binary:
            [.required, .optional, .nillable, .optionalNillable, .repeated]
        case .boxedStructure: [.optional, .nillable, .optionalNillable]
        case .boxedGroup: [.optional]
        case .anyAttributes, .items: [.repeated]
        }
    }

    /// The name of the method for properties of this shape.
    func name(_ shape: FieldShape) -> String {
        switch self {
        // These methods are overloaded: the property's type selects one.
        case .collapsed, .replaced, .derived: shape == .nillable ? "nillable\(rawValue.inTitleCase)" : rawValue
        case .group, .boxedGroup, .anyAttributes, .items: rawValue
        case .boxedStructure: "boxed\(Self.structure.name(shape).inTitleCase)"
        default:
            switch shape {
            case .required: rawValue
            case .optional: "optional\(rawValue.inTitleCase)"
            case .nillable: "nillable\(rawValue.inTitleCase)"
            case .optionalNillable: "optionalNillable\(rawValue.inTitleCase)"
            case .repeated: "\(rawValue)s"
            case .nillableRepeated: "nillable\(rawValue.inTitleCase)s"
            }
        }
    }
}

extension FieldPlan.Content {
    /// The methods for every value of this kind.
    var fieldMethods: FieldMethods {
        switch self {
        case .value: .value
        case .structure: .structure
        case .choice: .choice
        case .fragment: .fragment
        }
    }
}

@_spi(Generated) public import SignetXML

/// The ways in which a document can be read. Each has to come to the same judgement.
public enum HostileReading: String, CaseIterable, Sendable {
    /// Every token with all that it says.
    case pull
    /// The root, passed over.
    case skip
    /// Kept as it was written.
    case fragment
    /// Kept without its name.
    case any
    /// By the table of a type, as generated code reads.
    case structure
    /// Inside another element: every token; as a value, a structure, kept in both ways, and as what no field names.
    case nestedPull, nestedValue, nestedStructure, nestedAny, nestedFragment, nestedUnknown

    public var isNested: Bool { rawValue.hasPrefix("nested") }

    /// Whether elements and texts that the type has no place for may be refused first.
    public var hasShape: Bool { [.structure, .nestedValue, .nestedStructure].contains(self) }

    /// What stands before a document that is read inside another.
    public static let before = Array("<r>".utf8)
    // As much behind it that the reader may look for tags it predicts.
    private static let after = Array("</r><!-- 0123456789012345678901234567890123456789 -->".utf8)

    public func read(
        _ bytes: [UInt8], limits: XMLLimits = .init(), charset: String? = nil, doctype: XMLDoctype = .refused
    ) throws(XMLError) {
        let bytes = isNested ? Self.before + bytes + Self.after : bytes
        try XMLReader.read(bytes, limits: limits, charset: charset, doctype: doctype) {
            (reader) throws(XMLError) in
            switch self {
            case .pull, .nestedPull: try Self.pull(&reader)
            case .skip:
                try reader.root()
                try reader.skipElement()
                try reader.finish()
            case .fragment:
                try reader.root()
                _ = try reader.fragment()
                try reader.finish()
            case .any: try Self.structure(XMLAny.self, &reader)
            case .structure: try Self.structure(HostileNode.self, &reader)
            case .nestedValue: try Self.structure(HostileValues.self, &reader)
            case .nestedStructure: try Self.structure(HostileNode.self, &reader)
            case .nestedAny: try Self.structure(HostileAnyList.self, &reader)
            case .nestedFragment: try Self.structure(HostileRest.self, &reader)
            case .nestedUnknown: try Self.structure(HostileNothing.self, &reader)
            }
        }
    }

    private static func pull(_ reader: inout XMLReader) throws(XMLError) {
        while true {
            switch try reader.next() {
            case .startElement: _ = reader.allAttributes()
            case .text: _ = try reader.currentText()
            case .endElement: continue
            case .endOfDocument: return
            }
        }
    }

    private static func structure<T: XMLStructure>(_ type: T.Type, _ reader: inout XMLReader) throws(XMLError) {
        try reader.root()
        _ = try reader.structure(type)
        try reader.finish()
    }
}

/// A type like those that the generator makes: itself inside itself, simple values, anything else.
struct HostileNode: XMLStructure {
    var a: [HostileNode] = []
    var b: [String] = []
    var rest: [XMLFragment] = []
    var attribute: String?
    var attributes: [XMLAnyAttribute] = []

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([""], elements: "a* b* #any*", attributes: "b?", anyAttribute: true)
        fields.field(&x.a)
        fields.field(&x.b)
        fields.field(&x.rest)
        fields.field(&x.attribute)
        fields.anyAttributes(&x.attributes)
    }
}

/// Simple values.
struct HostileValues: XMLStructure {
    var values: [String] = []

    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([""], elements: "a*")
        fields.field(&x.values)
    }
}

/// Elements kept without their names.
struct HostileAnyList: XMLStructure {
    var values: [XMLAny] = []

    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([""], elements: "a*")
        fields.field(&x.values)
    }
}

/// Elements of any name, kept.
struct HostileRest: XMLStructure {
    var values: [XMLFragment] = []

    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([""], elements: "#any*")
        fields.field(&x.values)
    }
}

/// No field that any document fills.
struct HostileNothing: XMLStructure {
    var nothing: String?

    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names([""], elements: "nothing?")
        fields.field(&x.nothing)
    }
}

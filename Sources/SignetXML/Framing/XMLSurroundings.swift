/// The open elements and the namespace declarations in scope at a position of a document.
///
/// Names are stored as ranges in a run of bytes, which the owner of the surroundings keeps too.
struct XMLSurroundings: Sendable {
    /// A range of the run of bytes, and a number: for an element the number of declarations in scope around it, for a
    /// declaration its namespace.
    private struct Name: Sendable {
        var offset: Int
        var length: Int
        var number: Int
    }

    private var elements: [Name] = []
    private var declarations: [Name] = []
    private var foreign: [String] = []
    private var foreignNumbers: [ExactText: Int32] = [:]
    /// The state of the program's namespaces to which the numbers belong.
    private(set) var generation = 0
    private(set) var rootSeen = false

    /// The number of open elements.
    var depth: Int { elements.count }

    init() {}

    /// Makes the surroundings of a reader's current position; its names begin at `base`.
    init(of reader: borrowing XMLReader, base: UnsafePointer<UInt8>) {
        elements = reader.frames.map { Name(offset: $0.name - base, length: $0.length, number: $0.bindings) }
        declarations = reader.bindings.map {
            Name(offset: $0.prefix - base, length: $0.length, number: Int($0.namespace))
        }
        generation = reader.generation
        rootSeen = reader.rootSeen
        (foreign, foreignNumbers) = (reader.foreign, reader.foreignNumbers)
        // Names that have gone out of scope are dropped from time to time, so that no document makes the list grow.
        guard foreign.count > 2 * declarations.count + 16 else { return }
        (foreign, foreignNumbers) = ([], [:])
        for index in declarations.indices where declarations[index].number < 0 {
            let uri = reader.uri(of: Int32(truncatingIfNeeded: declarations[index].number))
            let number = foreignNumbers[ExactText(uri)] ?? -1 - Int32(truncatingIfNeeded: foreign.count)
            if foreignNumbers.updateValue(number, forKey: ExactText(uri)) == nil { foreign.append(uri) }
            declarations[index].number = Int(number)
        }
    }

    /// Puts a reader into these surroundings.
    func enter(_ reader: inout XMLReader, base: UnsafePointer<UInt8>) {
        reader.frames = elements.map {
            XMLReader.Frame(name: base + $0.offset, length: $0.length, bindings: $0.number)
        }
        reader.bindings = declarations.map {
            XMLReader.Binding(
                prefix: base + $0.offset, length: $0.length, namespace: Int32(truncatingIfNeeded: $0.number))
        }
        reader.foreign = foreign
        reader.foreignNumbers = foreignNumbers
        reader.generation = generation
        reader.rootSeen = rootSeen
    }

    /// The same surroundings, with the names in a run of bytes of their own.
    func alone(from bytes: [UInt8]) -> (surroundings: XMLSurroundings, names: [UInt8]) {
        var (moved, names) = (self, [UInt8]())
        func move(_ name: inout Name) {
            let offset = names.count
            names.append(contentsOf: bytes[name.offset..<(name.offset + name.length)])
            name.offset = offset
        }
        for index in moved.elements.indices { move(&moved.elements[index]) }
        for index in moved.declarations.indices { move(&moved.declarations[index]) }
        return (moved, names)
    }

    /// The namespace declarations in scope, outermost first.
    func declarations(in bytes: [UInt8]) -> [(prefix: String, uri: String)] {
        declarations.map { declaration in
            let prefix = bytes[declaration.offset..<(declaration.offset + declaration.length)]
            let index = -1 - declaration.number
            let uri =
                foreign.indices.contains(index)
                ? foreign[index] : XMLNamespace.uri(of: Int32(truncatingIfNeeded: declaration.number))
            return (String(decoding: prefix, as: UTF8.self), uri)
        }
    }

    /// The open elements for error messages, in the same form as those of a reader.
    func path(in bytes: [UInt8]) -> String {
        var names = elements.prefix(16).map { name in
            String(decoding: bytes[name.offset..<(name.offset + min(name.length, 80))], as: UTF8.self)
        }
        if elements.count > 16 { names.append("…") }
        return names.joined(separator: "/")
    }

    /// The names of the open elements, innermost first, as end tags.
    func endTags(in bytes: [UInt8]) -> [UInt8] {
        elements.reversed().flatMap { name in
            Array("</".utf8) + bytes[name.offset..<(name.offset + name.length)] + [UInt8(ascii: ">")]
        }
    }
}

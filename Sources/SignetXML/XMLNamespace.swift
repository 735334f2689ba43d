import Synchronization

/// A namespace name known to the program, reduced to a small number so that readers compare integers.
///
/// Only namespaces that the program names are kept; those from documents are not, so that no sender can fill the
/// memory.
public struct XMLNamespace: Sendable, Hashable, CustomStringConvertible {
    package let id: Int32

    /// Makes the namespace with this name; the empty name means “no namespace”.
    public init(_ uri: String) { id = Self.registry.withLock { $0.intern(uri) } }

    private init(id: Int32) { self.id = id }

    /// The namespace name.
    public var uri: String { Self.uri(of: id) }
    public var description: String { uri }

    // These are known from the start, so that a document read before they are first named gets the same numbers.
    /// No namespace.
    public static let none = XMLNamespace(id: 0)
    /// `http://www.w3.org/XML/1998/namespace`, bound to the prefix `xml` everywhere.
    public static let xml = XMLNamespace(id: 1)
    /// `http://www.w3.org/2001/XMLSchema-instance`, the home of `xsi:nil` and `xsi:type`.
    public static let schemaInstance = XMLNamespace(id: 2)
    /// `http://www.w3.org/2000/xmlns/`, the namespace of the declarations themselves, which no document declares.
    static let declarations = XMLNamespace(id: 3)

    /// The namespace with this name if the program has named it before.
    package static func known(_ uri: String) -> XMLNamespace? {
        var uri = uri
        return uri.withUTF8(known)
    }

    /// The namespace whose name is written in these bytes, if the program has named it before. It makes no string.
    static func known(_ bytes: UnsafeBufferPointer<UInt8>) -> XMLNamespace? {
        registry.withLock { $0.number(of: bytes) }.map(XMLNamespace.init(id:))
    }

    static func uri(of id: Int32) -> String {
        registry.withLock { $0.uris.indices.contains(Int(id)) ? $0.uris[Int(id)] : "" }
    }

    private struct Registry {
        private(set) var uris: [String] = []
        /// The numbers by the bytes of the names; a hash finds them without a copy of the bytes.
        private var numbers: [Int: [(bytes: [UInt8], id: Int32)]] = [:]

        init() {
            for uri in [
                "", "http://www.w3.org/XML/1998/namespace", "http://www.w3.org/2001/XMLSchema-instance",
                "http://www.w3.org/2000/xmlns/",
            ] { add(uri) }
        }

        func number(of bytes: UnsafeBufferPointer<UInt8>) -> Int32? {
            guard let names = numbers[Self.hash(bytes)] else { return nil }
            for name in names where name.bytes.count == bytes.count {
                let isSame = name.bytes.withUnsafeBufferPointer { known in
                    guard let known = known.baseAddress, let bytes = bytes.baseAddress else { return true }
                    return XMLReader.same(known, bytes, name.bytes.count)
                }
                if isSame { return name.id }
            }
            return nil
        }

        mutating func intern(_ uri: String) -> Int32 {
            var uri = uri
            if let id = uri.withUTF8({ number(of: $0) }) { return id }
            let id = add(uri)
            XMLNamespace.counter.store(uris.count, ordering: .releasing)
            return id
        }

        @discardableResult private mutating func add(_ uri: String) -> Int32 {
            let (id, bytes) = (Int32(uris.count), Array(uri.utf8))
            numbers[bytes.withUnsafeBufferPointer(Self.hash), default: []].append((bytes, id))
            uris.append(uri)
            return id
        }

        private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
            var hasher = Hasher()
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
            return hasher.finalize()
        }
    }

    private static let registry = Mutex(Registry())
    private static let counter = Atomic<Int>(0)

    /// Changes whenever the program names another namespace.
    static var generation: Int { counter.load(ordering: .acquiring) }
}

/// An expanded name: a namespace and a local part (Namespaces in XML 1.0 §2.1).
public struct XMLName: Sendable, Hashable, CustomStringConvertible {
    /// The namespace; ``XMLNamespace/none`` for a name in no namespace.
    public var namespace: XMLNamespace
    /// The name without prefix. It is not checked here: a writer refuses one for which ``isNCName(_:)`` is false.
    public var localName: String

    /// Makes a name in a namespace that already exists, such as ``XMLNamespace/xml``: nothing is looked up.
    public init(_ namespace: XMLNamespace, _ localName: String) {
        self.namespace = namespace
        self.localName = localName
    }

    /// Makes a name in the namespace with this name, empty for none. The program keeps the namespace name until it
    /// ends: never take one from a document.
    public init(_ namespace: String, _ localName: String) {
        self.init(XMLNamespace(namespace), localName)
    }

    /// The attribute that states the type of an element (XML Schema Part 1 §2.6.1).
    static let schemaType = XMLName(.schemaInstance, "type")

    public var description: String { namespace == .none ? localName : "{\(namespace)}\(localName)" }

    /// Whether a text is a name without a colon (Namespaces in XML 1.0, production 4).
    public static func isNCName(_ text: String) -> Bool {
        // Nearly all names are ASCII, and in memory as UTF-8.
        let isASCIIName: Bool? = text.utf8.withContiguousStorageIfAvailable { bytes in
            let classes = XMLCharacters.classes
            guard let first = bytes.first, classes[Int(first)] & XMLCharacters.nameStart != 0 else { return false }
            return bytes.allSatisfy { classes[Int($0)] & XMLCharacters.name != 0 }
        }
        return isASCIIName == true || isNCNameBeyondASCII(text)
    }

    private static func isNCNameBeyondASCII(_ text: String) -> Bool {
        var isFirst = true
        for scalar in text.unicodeScalars {
            let wanted = isFirst ? XMLCharacters.nameStart : XMLCharacters.name
            let fits =
                scalar.value < 0x80
                ? XMLCharacters.classes[Int(scalar.value)] & wanted != 0
                : XMLCharacters.isNameScalar(scalar.value, start: isFirst)
            guard fits else { return false }
            isFirst = false
        }
        return !isFirst
    }
}

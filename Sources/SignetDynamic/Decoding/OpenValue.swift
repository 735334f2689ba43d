import SignetWSDL

/// An element whose value becomes a member.
struct Child {
    var tree: XMLTree
    var declaration: ElementDeclaration
    var key: String
    var isRepeated: Bool
    /// Whether the enclosing type declares the element.
    var isDeclared = false
    /// Whether the element is nil, and may be absent.
    var isOptional = false
}

/// An unfinished value, and the elements that are still to become its members.
struct OpenValue {
    var members = MemberList()
    /// The value when it is not an object.
    var replacement: DynamicValue?
    var children: ArraySlice<Child> = []
    /// The items of an array, which have no names.
    private var items: [DynamicValue]?
    /// The number of items in each dimension of the array.
    private var sizes: [Int] = []

    var value: DynamicValue {
        if let items { return .array(Self.rows(of: items[...], sizes[...])) }
        return replacement ?? .object(members.members)
    }

    /// The items of an array, grouped into an array of their own for each dimension except the last.
    private static func rows(of items: ArraySlice<DynamicValue>, _ sizes: ArraySlice<Int>) -> [DynamicValue] {
        guard sizes.count > 1, let count = sizes.first, count > 0, items.count % count == 0 else { return Array(items) }
        let length = items.count / count
        return (0..<count).map { row in
            let start = items.startIndex + row * length
            return .array(rows(of: items[start..<start + length], sizes.dropFirst()))
        }
    }

    mutating func begin(_ array: SOAPArray, _ tree: XMLTree) {
        if tree.isNil {
            replacement = .null
            return
        }
        items = []
        sizes = tree.sizes.count <= SOAPArray.maximumDimensions ? tree.sizes : []
        children = tree.elements.map { Child(tree: $0, declaration: array.item, key: "", isRepeated: false) }[...]
    }

    mutating func add(_ value: DynamicValue, of child: Child) {
        guard items == nil else { return items?.append(value) ?? () }
        members.add(child.key, value, isRepeated: child.isRepeated)
    }

    mutating func add(_ name: String, _ value: DynamicValue) { members.add(name, value, isRepeated: false) }
}

/// Values by names, in the order in which the names first occur.
struct MemberList {
    private var names: [String] = []
    private var values: [[DynamicValue]] = []
    private var places: [String: Int] = [:]
    private var repeated: Set<String> = []

    var isEmpty: Bool { names.isEmpty }

    /// Adds a value. The second value of a name makes an array; `isRepeated` makes one from the start.
    mutating func add(_ name: String, _ value: DynamicValue, isRepeated: Bool) {
        if isRepeated { repeated.insert(name) }
        if let place = places[name] {
            values[place].append(value)
        } else {
            places[name] = names.count
            names.append(name)
            values.append([value])
        }
    }

    var members: [DynamicValue.Member] {
        zip(names, values).map { name, values in
            let isArray = values.count > 1 || repeated.contains(name)
            return .init(name, isArray ? .array(values) : values.first ?? .null)
        }
    }
}

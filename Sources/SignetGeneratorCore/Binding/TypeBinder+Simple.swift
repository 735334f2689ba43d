import SignetWSDL

extension TypeBinder {
    mutating func bindBuiltIn(_ name: String, at location: SourceLocation) -> BoundReference? {
        if let item = BuiltInType.listItem(name) { return .list(.builtIn(item)) }
        guard let type = BuiltInType(schemaName: name) else {
            fail("‘xs:\(name)’ is no type of XML Schema", at: location)
            return nil
        }
        return .builtIn(type)
    }

    /// Binds a simple type: an enumeration of strings and a union become an enum; any other type is bound like its
    /// base.
    mutating func bind(_ type: SimpleType, _ key: TypeKey) -> BoundReference? {
        guard let reference = bindValue(type, key) else { return nil }
        guard case .builtIn(.string) = reference, let space = whiteSpace(of: type) else {
            return reference
        }
        return .builtIn(space == "collapse" ? .token : space == "replace" ? .normalized : .string)
    }

    /// Follows each type once: all types on the way have the same binding.
    private mutating func bindValue(_ type: SimpleType, _ key: TypeKey) -> BoundReference? {
        var passed: Set<TypeKey> = []
        let bound = followValue(type, key, &passed)
        guard let bound else { return nil }
        for key in passed where key.root == .type && key.path.isEmpty { boundValues[key.name] = bound }
        return bound
    }

    private mutating func followValue(
        _ type: SimpleType, _ key: TypeKey, _ passed: inout Set<TypeKey>
    ) -> BoundReference? {
        var type = type
        var key = key
        while passed.insert(key).inserted {
            if key.root == .type, key.path.isEmpty, let known = boundValues[key.name] {
                if let declaration = known.declaration { users[declaration, default: []].insert(current) }
                return known
            }
            let base: TypeReference
            switch type.variety {
            case .list(let item): return bindList(of: item, type, key)
            case .union(let members): return bindUnion(of: members, type, key)
            case .restriction(let restricted, _): base = restricted
            }
            if !type.enumeration.isEmpty, isString(type) {
                let bound = BoundType(
                    content: .enumeration(type.enumeration), documentation: type.documentation, location: type.location)
                return enter(bound, key)
            }
            spend()
            if isExhausted { return nil }
            switch base {
            case .unspecified: return bindBuiltIn("anySimpleType", at: type.location)
            case .anonymous(.simple(let inner)):
                type = inner
                key = key.nested("base")
            case .named(let name) where name.namespace == Namespaces.schema && BuiltInType.isKnown(name.localName):
                return bindBuiltIn(name.localName, at: type.location)
            case .named(let name):
                guard case .simple(let inner) = schema.types[name] else {
                    fail("the simple type \(name) is not there\(hint(missingType: name))", at: type.location)
                    return nil
                }
                type = inner
                key = TypeKey(root: .type, name: name)
            case .anonymous(.complex):
                fail("a simple type restricts a complex one", at: type.location)
                return nil
            }
        }
        fail("the simple type ‘\(key.name.localName)’ is derived from itself", at: type.location)
        return nil
    }

    // MARK: Lists and unions

    private mutating func bindList(of item: TypeReference, _ type: SimpleType, _ key: TypeKey) -> BoundReference? {
        guard key.path.count < Self.simpleDepth else { return tooDeep(type) }
        guard let reference = bindSimple(item, key.nested("item"), type) else { return nil }
        // XML Schema does not allow a list of lists; its text is kept.
        if case .list = reference { return .builtIn(.string) }
        // White space separates the items of a list, so an item contains no white space.
        if case .builtIn(let item) = reference, item.isString { return .list(.builtIn(.string)) }
        return .list(reference)
    }

    private mutating func bindUnion(of members: [TypeReference], _ type: SimpleType, _ key: TypeKey) -> BoundReference?
    {
        guard key.path.count < Self.simpleDepth else { return tooDeep(type) }
        var kinds: [BoundReference] = []
        var known: Set<BoundReference> = []
        var spaces: Set<BoundReference> = []
        for (number, member) in members.enumerated() {
            guard let reference = bindSimple(member, key.nested("member\(number + 1)"), type) else { return nil }
            var found = [reference]
            // A union inside a union is replaced by its members.
            if case .declared(let inner) = reference, case .union(let members) = result.types[inner]?.content {
                found = members
            }
            spaces.insert(reference)
            spend(found.count)
            if isExhausted { return nil }
            for kind in found.map(\.withoutWhiteSpace) where known.insert(kind).inserted { kinds.append(kind) }
        }
        if kinds.isEmpty { return .builtIn(.string) }
        // When all members are bound to the same type, the union is too.
        if kinds == [.builtIn(.string)] {
            return spaces.first.flatMap { spaces.count == 1 ? $0 : nil } ?? .builtIn(.string)
        }
        if kinds.count == 1 { return kinds[0] }
        return enter(
            BoundType(content: .union(kinds), documentation: type.documentation, location: type.location), key)
    }

    private mutating func bindSimple(
        _ reference: TypeReference, _ key: TypeKey, _ type: SimpleType
    ) -> BoundReference? {
        if case .unspecified = reference { return .builtIn(.string) }
        guard openSimple.count < Self.simpleDepth else { return tooDeep(type) }
        if case .named(let name) = reference {
            // Each type is followed once: nested unions multiply the work.
            if let known = known(name) { return known }
            // A simple type that contains itself is invalid.
            guard openSimple.insert(name).inserted else {
                fail("the simple type ‘\(name.localName)’ is made of itself", at: type.location)
                return nil
            }
            defer { openSimple.remove(name) }
            let bound = bind(reference, anonymous: key, at: type.location)
            boundSimple[name] = bound
            return bound
        }
        return bind(reference, anonymous: key, at: type.location)
    }

    /// The maximum nesting of lists and unions.
    static var simpleDepth: Int { 256 }

    private mutating func tooDeep(_ type: SimpleType) -> BoundReference? {
        fail("a simple type is nested too deeply", at: type.location)
        return nil
    }
}

extension BoundReference {
    /// The binding of the same value when white space is already collapsed.
    fileprivate var withoutWhiteSpace: BoundReference {
        if case .builtIn(let type) = self, type.isString { return .builtIn(.string) }
        return self
    }
}

extension XMLReader {
    /// Records the declaration whose value is the attribute read last (Namespaces in XML §3).
    mutating func declare(prefix: UnsafePointer<UInt8>, length: Int) -> Bool {
        guard let attribute = attributes.last else { return false }
        // References make a value shorter, but only by a limited factor.
        guard attribute.valueLength / 16 <= limits.nameBytes else { return longNamespace(attribute) }
        if declareKnown(attribute, prefix: prefix, length: length) { return true }
        let uri = attributeValue(attribute)
        let isXML = length == 3 && starts(with: "xml", at: prefix)
        if length == 5 && starts(with: "xmlns", at: prefix) {
            fail(.namespace, "the prefix “xmlns” must not be declared.", at: attribute.name)
        } else if isXML != (uri == "http://www.w3.org/XML/1998/namespace") {
            fail(.namespace, "the prefix “xml” and its namespace belong to each other only.", at: attribute.name)
        } else if uri == "http://www.w3.org/2000/xmlns/" {
            fail(.namespace, "the namespace of “xmlns” must not be declared.", at: attribute.name)
        } else if uri.isEmpty && length > 0 {
            fail(.namespace, "a prefix cannot be bound to no namespace.", at: attribute.name)
        } else if uri.utf8.count > limits.nameBytes {
            return longNamespace(attribute)
        } else if bindings.count >= limits.namespaces {
            fail(
                .tooManyNamespaces, "more than \(limits.namespaces) namespaces are in scope (XMLLimits.namespaces).",
                at: attribute.name)
        }
        guard !hasFailed else { return false }
        bindings.append(Binding(prefix: prefix, length: length, namespace: number(of: uri)))
        return true
    }

    /// Records a declaration of the most common kind: of a namespace that the program knows, written without
    /// references.
    private mutating func declareKnown(_ attribute: Attribute, prefix: UnsafePointer<UInt8>, length: Int) -> Bool {
        guard attribute.isPlain, attribute.valueLength <= limits.nameBytes, bindings.count < limits.namespaces,
            // Prefixes that begin with these letters are reserved.
            !(length >= 3 && starts(with: "xml", at: prefix)),
            let known = XMLNamespace.known(
                UnsafeBufferPointer(start: attribute.value, count: attribute.valueLength)),
            known != .none, known != .xml, known != .declarations
        else { return false }
        if foreign.isEmpty { generation = XMLNamespace.generation }
        bindings.append(Binding(prefix: prefix, length: length, namespace: known.id))
        return true
    }

    private mutating func longNamespace(_ attribute: Attribute) -> Bool {
        fail(
            .nameTooLong, "a namespace name is longer than \(limits.nameBytes) bytes (XMLLimits.nameBytes).",
            at: attribute.name)
        return false
    }

    /// The number of a namespace: that of ``XMLNamespace`` when the program knows it, otherwise a negative number of
    /// this document.
    private mutating func number(of uri: String) -> Int32 {
        if foreign.isEmpty { generation = XMLNamespace.generation }
        if let known = XMLNamespace.known(uri) { return known.id }
        if let number = foreignNumbers[ExactText(uri)] { return number }
        if freeNumbers.isEmpty && foreign.count >= 16 + 2 * bindings.count { forgetNamespaces() }
        let number = freeNumbers.popLast() ?? -1 - Int32(truncatingIfNeeded: foreign.count)
        let index = -1 - Int(number)
        if index < foreign.count { foreign[index] = uri } else { foreign.append(uri) }
        foreignNumbers[ExactText(uri)] = number
        return number
    }

    /// Frees the numbers that no declaration in scope uses, so that no document fills the memory with names.
    ///
    /// Called only while a start tag is read: the tag before it can no longer be queried, and the names in this tag get
    /// their numbers after all its declarations are known.
    private mutating func forgetNamespaces() {
        let used = Set(bindings.map(\.namespace))
        for (index, uri) in foreign.enumerated() {
            let number = -1 - Int32(truncatingIfNeeded: index)
            guard !used.contains(number) else { continue }
            foreignNumbers[ExactText(uri)] = nil
            foreign[index] = ""
            freeNumbers.append(number)
        }
    }

    /// Renumbers namespaces that the program has named since the document used them: the first use of a type prepares
    /// its table while its message is already being read.
    mutating func adoptNamespaces() {
        guard !foreign.isEmpty, generation != XMLNamespace.generation else { return }
        generation = XMLNamespace.generation
        for (index, uri) in foreign.enumerated() {
            guard let known = XMLNamespace.known(uri) else { continue }
            let old = -1 - Int32(truncatingIfNeeded: index)
            for i in bindings.indices where bindings[i].namespace == old { bindings[i].namespace = known.id }
            for i in attributes.indices where attributes[i].namespace == old { attributes[i].namespace = known.id }
            if elementNamespace == old { elementNamespace = known.id }
        }
        prediction.forget()
    }

    /// Whether a number means this namespace, also when the program named it later than the document.
    func stands(_ number: Int32, for namespace: XMLNamespace) -> Bool {
        number == namespace.id
            || (number < 0 && number != Self.declarations && uri(of: number).isExactly(namespace.uri))
    }

    /// The namespace name of a number.
    func uri(of number: Int32) -> String {
        if number == 0 { return "" }
        if number > 0 { return XMLNamespace.uri(of: number) }
        let index = -1 - Int(number)
        return foreign.indices.contains(index) ? foreign[index] : ""
    }

    /// The namespace to which a prefix is bound here; nil when it is not declared.
    @inline(__always) func lookup(_ prefix: UnsafePointer<UInt8>, _ length: Int) -> Int32? {
        for binding in bindings.reversed() where binding.length == length && same(binding.prefix, prefix, length) {
            return binding.namespace
        }
        if length == 0 { return 0 }
        // The prefix may be outside the document.
        let xml: StaticString = "xml"
        return length == 3 && same(prefix, xml.utf8Start, 3) ? XMLNamespace.xml.id : nil
    }

    /// The namespace name to which a prefix in the value just read is bound: empty for no namespace, nil when the
    /// prefix is not declared. The empty prefix means the default namespace.
    public func namespaceURI(forValuePrefix prefix: Span<UInt8>) -> String? {
        prefix.withUnsafeBufferPointer { bytes in
            let name = bytes.baseAddress ?? start
            // The declarations of an element that was read to its end tag are out of scope.
            if closed.end == p {
                for binding in closed.bindings.reversed()
                where binding.length == bytes.count && same(binding.prefix, name, bytes.count) {
                    return uri(of: binding.namespace)
                }
            }
            guard let number = lookup(name, bytes.count) else { return nil }
            return uri(of: number)
        }
    }

    /// Resolves the element's name and its attributes' names after all declarations of the tag are known.
    mutating func resolve(_ name: ScannedName) -> Bool {
        let prefixLength = name.colon ?? 0
        guard let namespace = lookup(name.start, prefixLength) else { return undeclared(name.start, prefixLength) }
        elementNamespace = namespace
        let skipped = name.colon.map { $0 + 1 } ?? 0
        localName = name.start + skipped
        localLength = name.length - skipped
        guard !attributes.isEmpty else { return true }
        for index in attributes.indices where attributes[index].prefixLength > 0 {
            let attribute = attributes[index]
            if attribute.prefixLength == 5 && starts(with: "xmlns", at: attribute.name) {
                attributes[index].namespace = Self.declarations
            } else {
                guard let namespace = lookup(attribute.name, attribute.prefixLength) else {
                    return undeclared(attribute.name, attribute.prefixLength)
                }
                attributes[index].namespace = namespace
            }
        }
        return attributesAreDistinct()
    }

    /// The number for the namespace of `xmlns`, which no document can name.
    static var declarations: Int32 { Int32.min }

    private mutating func undeclared(_ prefix: UnsafePointer<UInt8>, _ length: Int) -> Bool {
        fail(.namespace, "nothing declares the prefix “\(string(prefix, min(length, 80)))”.", at: prefix)
        return false
    }

    /// No two attributes of an element may have the same expanded name (Namespaces in XML §6.3).
    mutating func attributesAreDistinct() -> Bool {
        guard attributes.count > 1 else { return true }
        if attributes.count > 12 {
            // Compared as bytes, because Swift's strings are equal when they differ only in how characters are
            // composed.
            var seen = Set<[UInt8]>(minimumCapacity: attributes.count)
            for attribute in attributes {
                var key = Array(UnsafeBufferPointer(start: attribute.localName, count: attribute.localLength))
                withUnsafeBytes(of: attribute.namespace) { key.append(contentsOf: $0) }
                guard seen.insert(key).inserted else { return repeated(attribute) }
            }
            return true
        }
        for i in 1..<attributes.count {
            for j in 0..<i
            where attributes[i].namespace == attributes[j].namespace
                && attributes[i].localLength == attributes[j].localLength
                && same(attributes[i].localName, attributes[j].localName, attributes[i].localLength)
            {
                return repeated(attributes[i])
            }
        }
        return true
    }

    private mutating func repeated(_ attribute: Attribute) -> Bool {
        let name = string(attribute.localName, min(attribute.localLength, 80))
        fail(.malformed, "the attribute “\(name)” stands twice in one tag.", at: attribute.name)
        return false
    }
}

/// Reads content without an element of its own: sequences and choices.
extension XMLReader {
    /// The surroundings of a group that is about to be read.
    struct Entered {
        var container: XMLTable?
        /// Where the name of the enclosing element begins in the document.
        var element: UnsafePointer<UInt8>?
        var mayRepeat = false
    }

    /// The alternative of a choice that is being read.
    @usableFromInline package struct Alternative {
        var field: UnsafePointer<XMLTable.Field>?
        var group: XMLTable?
        var namespaces: XMLWildcard?
        var entered = Entered()
    }

    // MARK: Choices

    @usableFromInline mutating func choices<T: XMLChoice>(_ x: inout [T]) {
        if let value = alternative(of: T.self) { x.append(value) }
    }

    @inlinable mutating func alternative<T: XMLChoice>(of type: T.Type) -> T? {
        guard let index = takeRoute(T.xmlTable) else { return nil }
        return T.decode(index, from: &self)
    }

    /// The number of the item that takes the element whose start tag was read last.
    @usableFromInline package mutating func takeRoute(_ table: XMLTable) -> Int? {
        guard let index = route.popLast() else {
            fail(.unexpected, "a group is read where the table of its type has none.")
            return nil
        }
        alternative.entered = entered
        alternative.field = nil
        guard index < table.elements.count else { return index }
        let field = table.elements[index]
        leaf.field = table.field(index)
        if field.occurrence == .repeated {
            entered.mayRepeat = true
            alternative.field = leaf.field
            alternative.group = field.kind == .group ? table.groups[Int(field.group)] : nil
            alternative.namespaces =
                table.details.wildcards.first { $0.item == index && field.kind == .wildcard }?.namespaces
        }
        return index
    }

    // MARK: Sequences

    @usableFromInline package mutating func beginGroup() -> Progress {
        var progress = Progress()
        progress.container = entered.container
        progress.element = entered.element
        progress.mayRepeat = entered.mayRepeat
        return progress
    }

    /// Moves to the next element of a group and returns its number; nil when the group ends.
    @usableFromInline package mutating func nextMember(_ table: XMLTable, _ progress: inout Progress) -> Int? {
        nextMember(table, &progress, of: nil)
    }

    /// The same; it also reads members of `structure` whose elements are written plainly.
    @inline(__always) mutating func nextMember(
        _ table: XMLTable, _ progress: inout Progress, of structure: UnsafeMutableRawPointer?
    ) -> Int? {
        guard !hasFailed else { return nil }
        if progress.stage == .attributes {
            // The first start tag of the group has been read already.
            progress.stage = .children
            guard let index = takeRoute(table), index < table.elements.count else { return nil }
            _ = accept(index, table, &progress)
            return index
        }
        leaf.value = nil
        return nextElement(table, &progress, of: structure)
    }

    // MARK: Alternatives that repeat

    /// Moves to the next element of the same alternative; false when it does not repeat here.
    @usableFromInline package mutating func nextRepetition(_ alternative: Alternative) -> Bool {
        guard !hasFailed, let place = alternative.field else { return false }
        let field = place.pointee
        leaf.field = place
        let isMixed = alternative.entered.container?.isMixed == true
        if held.isEmpty, !selfClosed, !isMixed {
            while p < end && XMLCharacters.isSpace(p[0]) { p += 1 }
            if takeStartTag(place) || alternative.group.map({ takeGroup($0) }) == true {
                enterAgain(alternative)
                return true
            }
        }
        while true {
            let token = nextToken(isMixed: isMixed)
            guard token == .start else {
                hold(token)
                return false
            }
            takeFramed()
            if repeats(alternative, field) {
                enterAgain(alternative)
                return true
            }
            if let container = alternative.entered.container,
                !knows(container, anyNamespace: false) && !knows(container, anyNamespace: true)
            {
                passOverUnknown(in: alternative.entered.element)
                continue
            }
            hold(.start)
            return false
        }
    }

    private mutating func enterAgain(_ alternative: Alternative) {
        entered = alternative.entered
        entered.mayRepeat = true
    }

    private mutating func repeats(_ alternative: Alternative, _ field: XMLTable.Field) -> Bool {
        if let group = alternative.group {
            guard knows(group, anyNamespace: false) else { return false }
            route.removeAll(keepingCapacity: true)
            noteRoute(group, false)
            return true
        }
        if let namespaces = alternative.namespaces { return namespaces.accepts(elementNamespace) }
        return field.namespace == elementNamespace && field.length == localLength
            && same(field.name, localName, localLength)
    }
}

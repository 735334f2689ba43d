/// Finds the item for an element that is not where it is expected.
extension XMLReader {
    private enum Placement {
        case item(Int)
        /// The item has all the elements that it may have.
        case full(Int)
        case nowhere
    }

    /// Moves to the next element, however its tag is written and wherever it belongs.
    mutating func nextUnexpected(_ table: XMLTable, _ progress: inout Progress) -> Int? {
        let container = progress.container
        while true {
            switch nextToken(isMixed: table.isMixed || container?.isMixed == true) {
            case .none:
                return nil
            case .end:
                if container != nil { hold(.end) }
                checkComplete(table, progress, before: .end)
                return nil
            case .text:
                if container != nil {
                    hold(.text)
                    checkComplete(table, progress, before: .text)
                    return nil
                }
                if table.textItem >= 0, accept(table.textItem, table, &progress) {
                    route.removeAll(keepingCapacity: true)
                    route.append(table.groups[Int(table.elements[table.textItem].group)].elements.count)
                    return table.textItem
                }
            case .start:
                takeFramed()
                if let index = place(table, &progress) { return index }
                if hasFailed || !held.isEmpty { return nil }
            }
        }
    }

    /// Makes the element whose start tag was read last the next value to read.
    mutating func takeFramed() {
        leaf.framed = true
        leaf.isNil = isNil()
        leaf.hasAttributes = !attributes.isEmpty
    }

    /// Returns the next token, or the one that a group has held back. Text counts only where it is allowed.
    mutating func nextToken(isMixed: Bool) -> NextToken {
        if !held.isEmpty {
            // Text comes before the tag that follows it.
            let token: NextToken = held.contains(.text) ? .text : held.contains(.start) ? .start : .end
            held.remove(token == .text ? .text : [.start, .end])
            return token
        }
        while let token = advance() {
            switch token {
            case .startElement: return .start
            case .endElement, .endOfDocument: return .end
            case .text where isMixed:
                guard collectText() else { return .none }
                if !heldText.isEmpty { return .text }
                if !held.isEmpty { return nextToken(isMixed: isMixed) }
            case .text:
                if !currentTextIsSpace {
                    deviate(.unexpectedText, "there is text where only elements are allowed.", at: text)
                }
            }
        }
        return .none
    }

    /// Holds a token back for the surroundings of the group that is being read.
    mutating func hold(_ token: NextToken) {
        switch token {
        case .none: break
        case .start: held.insert(.start)
        case .end: held.insert(.end)
        case .text: held.insert(.text)
        }
    }

    /// Joins the pieces of text up to the next tag; the tag is held back when it had to be read.
    private mutating func collectText() -> Bool {
        heldText = ""
        while true {
            scratch.removeAll()
            guard appendCurrentText() else { return false }
            heldText += string(UnsafePointer(scratch.base), scratch.count)
            if heldText.utf8.count > limits.textBytes {
                fail(.textTooLong, "a text is longer than \(limits.textBytes) bytes (XMLLimits.textBytes).")
                return false
            }
            // Comments and the borders of sections may separate two pieces.
            let isTag =
                p + 1 < end && p[0] == UInt8(ascii: "<") && p[1] != UInt8(ascii: "!") && p[1] != UInt8(ascii: "?")
            if isTag { return true }
            switch advance() {
            case .text: continue
            case .startElement: held = .start
            case .endElement, .endOfDocument: held = .end
            case nil: return false
            }
            return true
        }
    }

    /// Finds the item for the element whose start tag was read last. Nil when there is none: the element is then
    /// skipped, or held back for the surroundings of the group.
    private mutating func place(_ table: XMLTable, _ progress: inout Progress) -> Int? {
        if let index = nextNamed(table, progress, elementNamespace, localName, localLength),
            accept(index, table, &progress)
        {
            return index
        }
        let isGroup = progress.container != nil
        switch placement(table, progress, anyNamespace: false) {
        case .item(let index):
            if accept(index, table, &progress, reading: false) { return index }
            noteFull(index, table)
            return nil
        case .full(let index) where !isGroup:
            noteFull(index, table)
            return nil
        case .full, .nowhere:
            break
        }
        if let container = progress.container, knows(container, anyNamespace: false) {
            hold(.start)
            checkComplete(table, progress, before: .start)
            return nil
        }
        let isAccessor = isAccessor(progress)
        if isAccessor, isOnlyAccessor(table, progress), accept(0, table, &progress) { return 0 }
        // When unknown elements are tolerated, an element of another namespace counts as unknown.
        if isAccessor || tolerance.contains(.namespace) || !tolerance.contains(.unknownElement) {
            if case .item(let index) = placement(table, progress, anyNamespace: true) {
                if !isAccessor {
                    deviate(.namespace, "the element “\(elementName)” is not in the namespace that it should be in.")
                }
                if accept(index, table, &progress, reading: true) { return index }
            } else if let container = progress.container, knows(container, anyNamespace: true) {
                hold(.start)
                checkComplete(table, progress, before: .start)
                return nil
            }
        }
        // The schema of a service may have grown since the WSDL was read: unknown elements are skipped.
        passOverUnknown(in: progress.element)
        return nil
    }

    /// Finds the next item with this name ahead: most elements are where they should be, and only their tags have
    /// attributes.
    // Inlined: a call of a non-mutating function would copy the whole reader.
    @inline(__always) func nextNamed(
        _ table: XMLTable, _ progress: borrowing Progress, _ namespace: Int32, _ name: UnsafePointer<UInt8>,
        _ length: Int
    ) -> Int? {
        var index = progress.nextElement
        let last = min(table.elements.count, index + Self.lookahead)
        // Read through pointers: otherwise each field is copied.
        while index < last, let field = table.field(index), field.pointee.kind != .group {
            let isFull = progress.seen.contains(index)
            if field.pointee.length == length, field.pointee.namespace == namespace, field.pointee.kind == .element,
                same(field.pointee.name, name, length), !isFull || field.pointee.occurrence == .repeated
            {
                return index
            }
            if field.pointee.occurrence == .required && !isFull { return nil }
            index += 1
        }
        return nil
    }

    private mutating func accept(
        _ index: Int, _ table: XMLTable, _ progress: inout Progress, reading anyNamespace: Bool
    ) -> Bool {
        if index < progress.nextElement, !table.isUnordered, notes(.order) {
            deviate(.order, "\(words(index, table)) stands behind one that must follow it.")
        }
        let field = table.elements[index]
        if field.kind == .group {
            route.removeAll(keepingCapacity: true)
            noteRoute(table.groups[Int(field.group)], anyNamespace)
        }
        return accept(index, table, &progress)
    }

    private mutating func noteFull(_ index: Int, _ table: XMLTable) {
        let field = table.elements[index]
        switch field.kind {
        case .element, .wildcard:
            deviate(.duplicate, "\(words(index, table)) stands twice where one is allowed.")
        case .group:
            let group = table.groups[Int(field.group)]
            deviate(.duplicate, "the element “\(elementName.prefix(80))” stands where only one \(names(group)) may.")
        }
        skipRest()
    }

    // MARK: Items

    // Mutating although it changes nothing: otherwise the whole reader is copied.
    private mutating func placement(_ table: XMLTable, _ progress: borrowing Progress, anyNamespace: Bool) -> Placement
    {
        let details = table.details
        let position = table.isUnordered ? 0 : progress.nextElement
        // The best item has the lowest rank. Of two with the same rank, an item from the present position on precedes,
        // and then the first one.
        var best = Int.max
        func consider(_ item: Int, _ rank: Int) {
            best = min(best, rank << 48 | (item < position ? 1 << 40 : 0) | item)
        }
        let entries =
            anyNamespace ? details.entries[...] : details.entries(of: elementNamespace, localName, localLength)
        for entry in entries where fits(entry, anyNamespace) {
            switch room(entry.item, table, progress) {
            case .here: consider(entry.item, 0)
            case .elsewhere(isEmpty: true): consider(entry.item, 1)
            case .elsewhere(isEmpty: false): consider(entry.item, 3)
            case .none: consider(entry.item, 5)
            }
        }
        if best >> 48 > 1, !anyNamespace {
            for (item, namespaces) in details.wildcards where namespaces.accepts(elementNamespace) {
                switch room(item, table, progress) {
                case .here: consider(item, 2)
                case .elsewhere: consider(item, 4)
                case .none: consider(item, 6)
                }
            }
        }
        guard best != Int.max else { return .nowhere }
        let item = best & (1 << 40 - 1)
        if best >> 48 >= 5 { return .full(item) }
        // In a repeatable group, an element that fits only before the present position begins the next repetition.
        return progress.mayRepeat && item < progress.nextElement ? .nowhere : .item(item)
    }

    private enum Room {
        case here
        case elsewhere(isEmpty: Bool)
        case none
    }

    private func room(_ item: Int, _ table: XMLTable, _ progress: borrowing Progress) -> Room {
        let isEmpty = !progress.seen.contains(item)
        let occurrence = table.elements[item].occurrence
        guard isEmpty || occurrence == .repeated else { return .none }
        if table.isUnordered { return .here }
        if item < progress.nextElement { return .elsewhere(isEmpty: isEmpty) }
        for index in progress.nextElement..<item
        where table.elements[index].occurrence == .required && !progress.seen.contains(index) {
            return .elsewhere(isEmpty: isEmpty)
        }
        return .here
    }

    private func fits(_ entry: XMLTableDetails.Entry, _ anyNamespace: Bool) -> Bool {
        entry.length == localLength && (anyNamespace || entry.namespace == elementNamespace)
            && same(entry.name, localName, localLength)
    }

    /// Whether the element whose start tag was read last is allowed anywhere in a table.
    func knows(_ table: XMLTable, anyNamespace: Bool) -> Bool {
        let details = table.details
        let entries =
            anyNamespace ? details.entries[...] : details.entries(of: elementNamespace, localName, localLength)
        return entries.contains { fits($0, anyNamespace) }
            || (!anyNamespace && details.wildcards.contains { $0.namespaces.accepts(elementNamespace) })
    }

    /// Records which item of a group takes the element whose start tag was read last, and which item of each group
    /// inside it.
    mutating func noteRoute(_ table: XMLTable, _ anyNamespace: Bool) {
        let details = table.details
        var best = Int.max
        func consider(_ item: Int, isFirst: Bool = true) { best = min(best, isFirst ? item : 1 << 40 | item) }
        let entries =
            anyNamespace ? details.entries[...] : details.entries(of: elementNamespace, localName, localLength)
        // Of two alternatives that contain the element, the one that begins with it is chosen.
        for entry in entries where fits(entry, anyNamespace) { consider(entry.item, isFirst: entry.isFirst) }
        if best == Int.max {
            for (item, namespaces) in details.wildcards where namespaces.accepts(elementNamespace) { consider(item) }
        }
        guard best != Int.max else { return }
        let item = best & (1 << 40 - 1)
        let field = table.elements[item]
        if field.kind == .group { noteRoute(table.groups[Int(field.group)], anyNamespace) }
        route.append(item)
    }

    // MARK: Completeness

    @inline(__always) mutating func checkComplete(
        _ table: XMLTable, _ progress: borrowing Progress, before token: NextToken
    ) {
        if demandsLists, !progress.seen.contains(allOf: table.demanded) || table.demandsMore {
            noteEmptyLists(table, progress, before: token)
        }
        guard table.elements.count > 64 || !progress.seen.contains(allOf: table.required) else { return }
        noteMissing(table, progress, before: token)
    }

    private mutating func noteEmptyLists(
        _ table: XMLTable, _ progress: borrowing Progress, before token: NextToken
    ) {
        let demanded = XMLTableList.demanded(table.details.rules, Array(table.elements), Array(table.groups))
        let seen = progress.seen
        noteMissing(demanded.filter { !seen.contains($0) }, table, progress, before: token)
    }

    private mutating func noteMissing(_ table: XMLTable, _ progress: borrowing Progress, before token: NextToken) {
        let seen = progress.seen
        let missing = table.elements.enumerated().filter { index, field in
            field.occurrence == .required && !seen.contains(index)
        }
        noteMissing(missing.map(\.offset), table, progress, before: token)
    }

    /// - Parameter token: the token read last, before which the content ends.
    private mutating func noteMissing(
        _ missing: [Int], _ table: XMLTable, _ progress: borrowing Progress, before token: NextToken
    ) {
        let isDoubtful = progress.element.map { unknownIn.contains($0) } ?? false
        guard !missing.isEmpty, notes(.missingElement) || isDoubtful else { return }
        if let element = progress.element, token != .end { incomplete.insert(element) }
        let end = isDoubtful ? Self.doubt("an element") : "."
        let (place, path) = contentEnd(token)
        for index in missing {
            let field = table.elements[index]
            let what =
                field.kind == .group
                ? "one \(names(table.groups[Int(field.group)])) is required, and none stands here"
                : "the required \(words(index, table).dropFirst(4)) is absent"
            deviate(.missingElement, "\(what)\(end)", at: place, in: path, isTolerable: !isDoubtful)
        }
    }

    /// Where the content of an element ends, and the path of the element. The token read last has closed the element,
    /// or has opened another one.
    private func contentEnd(_ token: NextToken) -> (place: UnsafePointer<UInt8>, path: String) {
        switch token {
        case .none, .text: return (p, path)
        case .start:
            return (max((frames.last?.name ?? p) - 1, start), path(of: frames.dropLast()))
        case .end:
            // No tag contains another `<`.
            var tag = max(p - 1, start)
            while tag > start, tag[0] != UInt8(ascii: "<") { tag -= 1 }
            var name = tag + 1
            if name < p, name[0] == UInt8(ascii: "/") { name += 1 }
            let length = UnsafeBufferPointer(start: name, count: p - name).prefix(80).prefix {
                XMLCharacters.isNameByte($0) || $0 == UInt8(ascii: ":")
            }.count
            let closed = string(name, length)
            return (tag, frames.isEmpty ? closed : "\(path)/\(closed)")
        }
    }

    /// The words for an element of a table in error messages.
    private func words(_ index: Int, _ table: XMLTable) -> String {
        let field = table.elements[index]
        return switch field.kind {
        case .element: "the element “\(string(field.name, field.length))”"
        case .group: "the element “\(elementName.prefix(80))”"
        case .wildcard: "the element of any name"
        }
    }

    /// The words for the elements that a group may begin with, in error messages; of many the first ones.
    private func names(_ group: XMLTable) -> String {
        let first = group.isChoice ? nil : group.elements.firstIndex { $0.occurrence == .required }
        let members = 0..<min(first.map { $0 + 1 } ?? group.elements.count, group.elements.count)
        return names(members.prefix(8).map { name($0, group) }, members.count > 8)
    }

    private func names(_ names: [String], _ continuesHandshake: Bool) -> String {
        "of \(names.joined(separator: ", "))\(continuesHandshake ? ", …" : "")"
    }

    private func name(_ index: Int, _ table: XMLTable) -> String {
        let field = table.elements[index]
        return switch field.kind {
        case .element: "“\(string(field.name, field.length))”"
        case .group: "a group"
        case .wildcard: "any other"
        }
    }
}

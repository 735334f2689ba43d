/// Reads by a plan at run time, without generated code.
extension XMLReader {
    /// The type that `xsi:type` names at the element that a field is about to take; nil when there is none, or its
    /// prefix is not declared.
    package mutating func namedType() -> XSDQName? {
        guard let text = typeText() else { return nil }
        return qualifiedName(text)
    }

    /// The text between two elements of mixed content.
    package mutating func takeText() -> String {
        defer { heldText = "" }
        return heldText
    }

    /// Reads the innermost open element with `body`, and checks for defects and deviations.
    package mutating func message<Value>(_ body: (inout XMLReader) -> Value?) throws(XMLError) -> Value? {
        beginLeaf()
        let value = body(&self)
        try settle()
        return value
    }

    /// True when the message's element is nil; its empty content is read.
    package mutating func takeNilMessage() -> Bool {
        leaf.isNil = isNil()
        return takeNil()
    }

    /// Ends the reading with an error.
    package mutating func refuse(_ message: String) { fail(.unexpected, message) }
}

extension XMLWriter {
    /// Ends the writing with an error.
    package mutating func refuse(_ message: String) { fail(message) }

    /// Writes an element; `body` writes its attributes, closes its tag, and writes its content.
    package mutating func message(_ name: XMLName, _ body: (inout XMLWriter) -> Void) {
        openElement(name, declaring: []) { _ in }
        body(&self)
        endElement(name)
    }

    /// Writes the content of a structure with this table into the open tag.
    package mutating func structure(
        _ table: XMLTable, attributes: (inout XMLWriter) -> Void, content: (inout XMLWriter) -> Void
    ) {
        let outer = enterTable(table)
        if isWhole {
            hasOpenTag = true
            content(&self)
            if hasOpenTag { closeTag() }
            hasOpenTag = false
        } else {
            attributes(&self)
            closeTag()
            content(&self)
        }
        leaveTable(outer)
    }
}

/// Reads fields of all kinds. Nothing here throws; the first defect stays in the reader.
extension XMLReader {
    @inlinable package mutating func simple<T: XMLValue>(_ type: T.Type) -> T? {
        guard let bytes = leafBytes(orIncluded: T._takesInclusions) else { return nil }
        if let value = T(lexical: (T.whiteSpace == .collapse ? trimmed(bytes) : bytes).span, in: self) { return value }
        return normalised(bytes)
    }

    /// Reads the value after treating all white space as its type requires. Few values contain white space, so the text
    /// is first tried unchanged.
    @usableFromInline mutating func normalised<T: XMLValue>(_ bytes: UnsafeBufferPointer<UInt8>) -> T? {
        guard !leaf.isIncluded else {
            fail(
                .textTooLong,
                "what xop:Include refers to cannot be read, or is longer than \(limits.textBytes) bytes (XMLLimits.textBytes)."
            )
            return nil
        }
        if let changed = T.whiteSpace.applied(to: bytes.span), let value = T(lexical: changed.span, in: self) {
            return value
        }
        failValue(bytes, T.typeName)
        return nil
    }

    @usableFromInline mutating func values<T: XMLValue>(_ x: inout [T]) { T._read(next: &x, from: &self) }

    @usableFromInline mutating func nillableValues<T: XMLValue>(_ x: inout [Nillable<T>]) {
        if takeNil() { x.append(.null) } else if let value = simple(T.self) { x.append(.value(value)) }
    }

    package mutating func structure<T: XMLFielded>(_ x: inout T) {
        if takeNil() { return failNil() }
        content(of: &x)
    }

    package mutating func optionalStructure<T: XMLFielded>(_ x: inout T?) {
        if takeNil() { return acceptNil() }
        x = filled()
    }

    mutating func optionalNillableStructure<T: XMLFielded>(_ x: inout Nillable<T>?) {
        x = takeNil() ? .null : .value(filled())
    }

    @usableFromInline mutating func structures<T: XMLFielded, List: RangeReplaceableCollection>(_ x: inout List)
    where List.Element == T {
        if takeNil() { return failNil() }
        let begin = leaf.framed ? frames.last?.name ?? p : leaf.name
        x.append(filled())
        let count = x.count
        if count >= 8, count & (count - 1) == 0 {
            x.reserveCapacity(count + room(MemoryLayout<T>.stride, for: p - begin))
        }
    }

    /// For how many more items a list may reserve memory at once, so that it need not grow repeatedly: the rest of the
    /// document may be more of the same. All lists of a document together may reserve no more unused memory than the
    /// document takes.
    private mutating func room(_ stride: Int, for length: Int) -> Int {
        let items = min((end - p) / max(length, 8), spareRoom / max(stride, 1))
        spareRoom -= items * stride
        return items
    }

    @usableFromInline mutating func nillableStructures<T: XMLFielded>(_ x: inout [Nillable<T>]) {
        x.append(takeNil() ? .null : .value(filled()))
    }

    // MARK: Nil

    /// True when the element is nil; its empty content is read.
    @usableFromInline @inline(__always) package mutating func takeNil() -> Bool { leaf.isNil && takeEmptyContent() }

    @inline(never) private mutating func takeEmptyContent() -> Bool {
        leaf.isNil = false
        leaf.hasAttributes = false
        leaf.lastName = frames.last?.name ?? p
        leaf.lastLength = frames.last?.length ?? 0
        let depth = frames.count
        guard advance() != .endElement else { return true }
        deviate(.unexpectedNil, as: .unexpected, "an element with xsi:nil=\"true\" must be empty.")
        // A child may be open.
        while frames.count >= depth, !hasFailed, let token = advance(), token != .endOfDocument {}
        return true
    }

    /// Notes that an element is nil whose property may be nil, because the element is nillable or optional.
    @usableFromInline package mutating func acceptNil() {
        guard leaf.field?.pointee.occurrence == .optional else { return }
        deviate(value: .nilForAbsent, "an element is nil (xsi:nil) that might be absent, but is not nillable.")
    }

    @usableFromInline package mutating func failNil() {
        deviate(value: .unexpectedNil, "an element is nil (xsi:nil) that the WSDL does not declare nillable.")
    }
}

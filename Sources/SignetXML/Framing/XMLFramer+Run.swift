/// Reads repeated elements that are complete and adjacent in the piece pushed last: one reader reads them all.
///
/// That costs far less than delimiting each of them first and making a reader for each. Only elements that are read
/// without a defect count: the run ends before anything else, and ``next()`` continues there, with all checks, and with
/// the error if there is one.
extension XMLFramer {
    /// The greatest number of bytes of a run, so that the values read ahead take little memory.
    private static let runBytes = 32 << 10
    private static let runCount = 64

    /// Reads the repeated elements that follow the last one.
    ///
    /// - Parameters:
    ///   - values: receives the values in the order of the document; it stays empty when ``next()`` must be called.
    ///   - deviations: receives the deviations of those values.
    ///   - read: reads the element whose start tag was read last, to its end tag.
    mutating func takeRun<Value>(
        into values: inout [Value], noting deviations: inout [XMLDeviation],
        _ read: (inout XMLReader) throws(XMLError) -> Value
    ) {
        let size = min(
            Self.runCount &* lastElement.size, max(Self.runBytes, 2 &* lastElement.size), chunk.count - position,
            limits.textBytes)
        // The text between the elements is never larger than the run. A limit that is near is checked elsewhere.
        guard failure == nil, stage == .outside, position >= nextRun, gap == skeleton.count,
            scanner.isBetweenTokens, size >= lastElement.size, size <= documentRoom,
            let around = context?.around, let name = path.last
        else { return }
        let most = values.count + Self.runCount
        let (length, last) = chunk.withUnsafeBufferPointer { [position] chunk in
            let bytes = UnsafeBufferPointer(rebasing: chunk[position..<(position + size)])
            let whole = UnsafeBufferPointer(rebasing: bytes[..<endOfLastElement(in: bytes, name.localName)])
            return around.names.withUnsafeBufferPointer { names in
                var reader = XMLReader(part: whole, in: around.surroundings, names: names, at: place, limits: limits)
                reader.outerDepth = .max
                return self.read(&reader, name, &values, most, &deviations, read)
            }
        }
        // No byte is read ahead without use more than once.
        if values.count < most, length < size / 2 { nextRun = position + size }
        guard length > 0 else { return }
        lastElement = last
        chunk.withUnsafeBufferPointer { [position] chunk in
            guard let bytes = chunk.baseAddress else { return }
            place.advance(over: bytes + position, length, before: bytes + position + length)
        }
        position += length
        if let last = places.others.indices.last { places.others[last].place = place }
    }

    /// Reads elements up to the first that cannot be taken; returns the number of bytes of those before it, and the
    /// form of the last of them.
    private func read<Value>(
        _ reader: inout XMLReader, _ name: XMLName, _ values: inout [Value], _ most: Int,
        _ deviations: inout [XMLDeviation], _ read: (inout XMLReader) throws(XMLError) -> Value
    ) -> (length: Int, last: (size: Int, isEmpty: Bool)) {
        var last = lastElement
        let depth = reader.depth
        // Nothing is taken when a byte is invalid, because the cursor has no meaning then.
        var end = reader.start
        while values.count < most {
            if !reader.takeStartTag(like: predicted, namespace: name.namespace.id) {
                guard let token = reader.advance() else { break }
                if token == .text, reader.currentTextIsSpace { continue }
                guard token == .startElement, reader.isElement(name) else { break }
            }
            guard let begin = reader.frames.last?.name else { break }
            do throws(XMLError) {
                values.append(try read(&reader))
            } catch {
                break
            }
            guard reader.depth == depth, !reader.selfClosed, reader.p - begin < elementBytes else {
                values.removeLast()
                break
            }
            end = reader.p
            last = (end - begin + 1, end - begin > 1 && (end - 2)[0] == UInt8(ascii: "/"))
            // Each element is read as if it were the only one.
            if let extras = reader.extras {
                deviations += extras.deviations
                reader.extras = nil
            }
            reader.keptBytes = 0
        }
        return (end - reader.start, last)
    }

    /// The likely end of the last complete element, assuming it is written like the one before.
    private func endOfLastElement(in bytes: UnsafeBufferPointer<UInt8>, _ name: String) -> Int {
        var rest = bytes[...]
        while let close = rest.lastIndex(of: UInt8(ascii: ">")) {
            rest = rest[..<close]
            if lastElement.isEmpty {
                if rest.last == UInt8(ascii: "/") { return close + 1 }
            } else {
                guard let tag = rest.lastIndex(of: UInt8(ascii: "<")) else { return 0 }
                let written = rest[tag...].dropFirst()
                if written.first == UInt8(ascii: "/"), written.reversed().starts(with: name.utf8.reversed()) {
                    return close + 1
                }
                rest = rest[..<tag]
            }
        }
        return 0
    }
}

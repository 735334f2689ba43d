/// Repeated elements that stand whole one behind the other in the piece pushed last: one reader reads them all.
///
/// That costs far less than to delimit each of them first and to make a reader for it. Only what is read without a defect counts:
/// the run ends before everything else, and ``next()`` goes on there, with all checks and with the error if there is one.
extension XMLFramer {
    /// How much a run takes at a time, so that the values read ahead take little memory.
    private static let runBytes = 32 << 10
    private static let runCount = 64

    /// Reads the repeated elements that follow the last one.
    ///
    /// - Parameters:
    ///   - values: is given the values in the order of the document; none when ``next()`` must be asked.
    ///   - deviations: is given the deviations of those values.
    ///   - read: reads the element whose start tag was read last, to its end tag.
    mutating func takeRun<Value>(
        into values: inout [Value], noting deviations: inout [XMLDeviation],
        _ read: (inout XMLReader) throws(XMLError) -> Value
    ) {
        let size = min(
            Self.runCount &* lastElement.size, max(Self.runBytes, 2 &* lastElement.size), chunk.count - position,
            limits.textBytes)
        // What stands between the elements is never larger than the run. A limit that is near is looked at elsewhere.
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
        // No byte is read ahead in vain more than once.
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

    /// Reads elements up to the first that cannot be taken; how many bytes those before it are, and what the last of them is like.
    private func read<Value>(
        _ reader: inout XMLReader, _ name: XMLName, _ values: inout [Value], _ most: Int,
        _ deviations: inout [XMLDeviation], _ read: (inout XMLReader) throws(XMLError) -> Value
    ) -> (length: Int, last: (size: Int, isEmpty: Bool)) {
        var last = lastElement
        let depth = reader.depth
        // Nothing is taken where a byte is wrong: the cursor says nothing then.
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
            // Each element is read as if there were no other.
            if let extras = reader.extras {
                deviations += extras.deviations
                reader.extras = nil
            }
            reader.keptBytes = 0
        }
        return (end - reader.start, last)
    }

    /// Where the last element most likely ends that is whole, when it is written as the one before.
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

/// How the repeated elements of a document are read: one by one, or many with one reader.
package struct XMLElementReading<Value: Sendable>: Sendable {
    /// Reads an element, and adds its deviations.
    let value: @Sendable (XMLExcerpt, inout [XMLDeviation]) throws -> Value
    /// Reads the elements that can be read ahead, in their order, and adds their deviations.
    let run: @Sendable (inout XMLFramer, inout [Value], inout [XMLDeviation]) -> Void

    /// Reads each element by itself.
    init(each value: @escaping @Sendable (XMLExcerpt) throws -> Value) {
        self.value = { excerpt, _ in try value(excerpt) }
        run = { _, _, _ in }
    }

    /// - Parameter element: reads the element whose start tag was read last, to its end tag.
    private init(
        _ tolerance: XMLTolerance, _ inclusions: (any XMLInclusionSource)?,
        _ element: @escaping @Sendable (inout XMLReader) throws(XMLError) -> Value
    ) {
        let read = { @Sendable (reader: inout XMLReader) throws(XMLError) in
            reader.tolerance = tolerance
            if let inclusions { reader.inclusions = inclusions }
            return try element(&reader)
        }
        value = { excerpt, deviations in
            let (value, found) = try XMLReader.read(excerpt) { (reader) throws(XMLError) in
                try reader.root()
                let value = try read(&reader)
                try reader.finish()
                return (value, reader.deviations)
            }
            deviations += found
            return value
        }
        run = { framer, values, deviations in framer.takeRun(into: &values, noting: &deviations, read) }
    }

    /// Reads elements of a complex type.
    ///
    /// - Parameters:
    ///   - tolerance: which deviations of an element from its type are tolerated.
    ///   - inclusions: finds content to which an element only refers.
    package static func structures(
        tolerance: XMLTolerance, inclusions: (any XMLInclusionSource)? = nil
    ) -> Self where Value: XMLStructure {
        Self(tolerance, inclusions) { (reader) throws(XMLError) in try reader.rootStructure(Value.self) }
    }

    /// Reads elements of a simple type; the parameters are those of ``structures(tolerance:inclusions:)``.
    package static func values(
        tolerance: XMLTolerance, inclusions: (any XMLInclusionSource)? = nil
    ) -> Self where Value: XMLValue {
        Self(tolerance, inclusions) { (reader) throws(XMLError) in try reader.value(Value.self) }
    }
}

extension DynamicService {
    /// Makes an example of the value that an operation takes, to be filled in: everything required, and everything
    /// optional once, but no type nested in itself.
    ///
    /// The envelope made from it is valid by the schema, unless the schema has patterns for which no text is found.
    ///
    /// - Throws: ``DynamicError`` when there is no such operation, it cannot be called, or its schema is broken.
    public func sample(of operation: String) throws(DynamicError) -> DynamicValue {
        let (plan, input) = try callable(operation)
        var sampler = Sampler(schema, isEncoded: plan.isEncoded)
        return try sampler.root(input)
    }
}

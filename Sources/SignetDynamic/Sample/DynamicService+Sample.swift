extension DynamicService {
    /// An example of the value that an operation takes, to be filled in: everything required and what is optional, once
    /// each, but nothing of a type inside itself.
    ///
    /// The envelope made of it is valid by the schema, unless that has patterns which are too odd to find a text for.
    ///
    /// - Throws: ``DynamicError`` when there is no such operation, it cannot be called, or its schema is broken.
    public func sample(of operation: String) throws(DynamicError) -> DynamicValue {
        let (plan, input) = try callable(operation)
        var sampler = Sampler(schema, isEncoded: plan.isEncoded)
        return try sampler.root(input)
    }
}

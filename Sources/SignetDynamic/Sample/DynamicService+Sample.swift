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

    /// Makes an example of the value that an operation answers with, as ``sample(of:)`` does of its input.
    ///
    /// - Returns: null for a one-way operation.
    /// - Throws: ``DynamicError`` when there is no such operation, it cannot be called, or its schema is broken.
    public func sampleAnswer(of operation: String) throws(DynamicError) -> DynamicValue {
        let plan = try callable(operation).plan
        guard let output = plan.output else { return .null }
        var sampler = Sampler(schema, isEncoded: plan.isEncoded)
        return try sampler.root(output)
    }

    /// Makes an answer by chance that the schema allows; the same seed gives the same answer.
    ///
    /// - Returns: null for a one-way operation.
    package func answer(of operation: String, seed: UInt64) throws(DynamicError) -> DynamicValue {
        let plan = try callable(operation).plan
        guard let output = plan.output else { return .null }
        var maker = InstanceMaker(schema, .random(seed), isEncoded: plan.isEncoded)
        // As it is read from a message, with the prefixes that mixed content needs.
        let tree: XMLTree
        do { tree = try XMLTree(try maker.tree(of: output).fragment()) } catch let error as DynamicError {
            throw error
        } catch {
            throw DynamicError(.limitExceeded, "the answer cannot be written: \(error)", cause: error)
        }
        var decoder = Decoder(schema, isEncoded: plan.isEncoded)
        let value = try decoder.value(tree, output)
        // What a value cannot say, such as the order of alternatives that repeat, is not in the answer.
        var encoder = Encoder(schema, encoding: plan.isEncoded ? version : nil)
        _ = try encoder.fragment(output, value)
        return value
    }
}

package import SignetWSDL

extension DynamicService {
    /// The elements of all possible messages, each once: bodies, and those header blocks and faults that the schema
    /// declares.
    package var messages: [ElementDeclaration] {
        var seen: Set<QName> = []
        return plans.flatMap { plan in
            let blocks = (plan.headers + plan.answerHeaders + plan.faults).map(\.element)
            return [plan.input, plan.output].compactMap { $0 } + blocks.filter { schema.elements[$0.name] != nil }
        }.filter { seen.insert($0.name).inserted }
    }
}

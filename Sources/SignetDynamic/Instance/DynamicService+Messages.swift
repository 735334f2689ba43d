package import SignetWSDL

extension DynamicService {
    /// The elements of all messages that can travel, each once: bodies, and of header blocks and faults those of the schema.
    package var messages: [ElementDeclaration] {
        var seen: Set<QName> = []
        return plans.flatMap { plan in
            let blocks = (plan.headers + plan.answerHeaders + plan.faults).map(\.element)
            return [plan.input, plan.output].compactMap { $0 } + blocks.filter { schema.elements[$0.name] != nil }
        }.filter { seen.insert($0.name).inserted }
    }
}

package import SignetWSDL

extension DynamicService {
    /// The elements of all messages that can travel, each once: bodies, header blocks and faults.
    package var messages: [ElementDeclaration] {
        var seen: Set<QName> = []
        return plans.flatMap { plan in
            [plan.input, plan.output].compactMap { $0 } + plan.headers + plan.answerHeaders + plan.faults
        }.filter { seen.insert($0.name).inserted }
    }
}

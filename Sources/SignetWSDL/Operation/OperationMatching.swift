/// Pairs each operation of a binding with an operation of the portType (WSDL 1.1 §2.5).
package struct OperationMatching: Sendable {
    /// One result for each operation of the binding, in its order: the index of the portType's operation.
    package private(set) var places: [Result<Int, OperationRefusal>] = []
    /// Diagnostics about operations that were paired by order, by the name of the operations.
    package private(set) var remarks: [String: Diagnostic] = [:]

    package init(_ binding: Binding, _ portType: PortType) {
        let candidates = Dictionary(grouping: portType.operations.indices, by: { portType.operations[$0].name })
        let bound = Dictionary(grouping: binding.operations.indices, by: { binding.operations[$0].name })
        var found: [Int: Result<Int, OperationRefusal>] = [:]
        for (name, indices) in bound {
            let group = Group(
                name: name, binding: binding, portType: portType, bound: indices, candidates: candidates[name] ?? [])
            let (places, remark) = group.match()
            found.merge(places) { first, _ in first }
            remarks[name] = remark
        }
        places = binding.operations.indices.map { index in found[index] ?? .failure(binding.absent(index, portType)) }
    }

    /// The indices in the binding by those in the portType; the first of several.
    package var bindingIndices: [Int: Int] {
        let pairs = places.enumerated().compactMap { index, place in (try? place.get()).map { ($0, index) } }
        return Dictionary(pairs) { first, _ in first }
    }
}

/// The operations that share a name.
private struct Group {
    let name: String
    let binding: Binding
    let portType: PortType
    let bound: [Int]
    let candidates: [Int]

    func match() -> (places: [Int: Result<Int, OperationRefusal>], remark: Diagnostic?) {
        guard let only = candidates.first, candidates.count > 1 else {
            let place = candidates.first
            return (
                Dictionary(
                    uniqueKeysWithValues: bound.map { index in
                        (index, place.map { .success($0) } ?? .failure(binding.absent(index, portType)))
                    }), nil
            )
        }
        let table = NameTable(candidates, of: portType)
        var places: [Int: Int] = [:]
        for index in bound {
            let named = named(index, table)
            if named.count == 1 { places[index] = named.first }
        }
        let openBound = bound.filter { places[$0] == nil }
        guard let first = openBound.first else { return (places.mapValues { .success($0) }, nil) }
        var used = Set(places.values)
        guard openBound.count == candidates.count - used.count else {
            let refusal = refusal(at: first, candidates.first { !used.contains($0) } ?? only)
            var results: [Int: Result<Int, OperationRefusal>] = places.mapValues { .success($0) }
            for index in openBound {
                var own = refusal
                own.location = binding.operations[index].location
                results[index] = .failure(own)
            }
            return (results, nil)
        }
        pair(openBound, table, &places, &used)
        // The only remaining pair is certain, unless the binding names the messages of another operation.
        let isCertain = openBound.count == 1 && namesNothing(first)
        return (places.mapValues { .success($0) }, isCertain ? nil : remark(at: first))
    }

    /// Operations of the binding that name messages of a candidate choose first. Operations that name no messages, or
    /// those of no candidate, choose later. The rest is paired by order.
    private func pair(_ open: [Int], _ table: NameTable, _ places: inout [Int: Int], _ used: inout Set<Int>) {
        // Where many name the same messages, each search starts after the previous choice, which keeps the work linear.
        var passed: [NameTable.Names: Int] = [:]
        for index in open where !namesNothing(index) {
            let names = names(index)
            let named = table.candidates(names)
            guard let next = named.indices.dropFirst(passed[names] ?? 0).first(where: { !used.contains(named[$0]) })
            else { continue }
            passed[names] = next + 1
            places[index] = named[next]
            used.insert(named[next])
        }
        let rest = candidates.filter { !used.contains($0) }
        for (index, place) in zip(open.filter { places[$0] == nil }, rest) { places[index] = place }
    }

    /// The candidates whose messages have the names that the binding gives; empty when the binding gives no names.
    /// Names that the portType does not give are derived from the operation's (WSDL 1.1 §2.4.5).
    private func named(_ index: Int, _ table: NameTable) -> [Int] {
        namesNothing(index) ? [] : table.candidates(names(index))
    }

    private func names(_ index: Int) -> NameTable.Names {
        .init(input: binding.operations[index].input?.name, output: binding.operations[index].output?.name)
    }

    /// Whether the binding names neither input nor output.
    private func namesNothing(_ index: Int) -> Bool {
        binding.operations[index].input?.name == nil && binding.operations[index].output?.name == nil
    }

    private func remark(at index: Int) -> Diagnostic {
        Diagnostic(
            .warning,
            "the binding ‘\(binding.name.localName)’ does not tell the operations called ‘\(name)’ apart by the names "
                + "of their messages (WSDL 1.1 §2.5); they are taken in the order of the portType "
                + "‘\(portType.name.localName)’.",
            at: binding.operations[index].location, operation: name)
    }

    private func refusal(at index: Int, _ place: Int) -> OperationRefusal {
        let overloads = candidates.map { portType.operations[$0].shown }.quotedList(limit: 20)
        return OperationRefusal(
            .predicate,
            "is overloaded, and the binding does not tell by the names of messages which one it means "
                + "(WSDL 1.1 §2.5): the portType ‘\(portType.name.localName)’ has \(overloads), the binding "
                + "\(bound.count) of that name",
            at: binding.operations[index].location)
    }
}

/// Operations of a portType by the names of their messages.
private struct NameTable {
    /// Nil matches any name.
    struct Names: Hashable {
        let input: String?
        let output: String?
    }

    private var candidates: [Names: [Int]] = [:]

    init(_ places: [Int], of portType: PortType) {
        for place in places {
            let names = portType.operations[place].messageNames
            let (input, output) = (names.input, names.output)
            if input != nil, output != nil {
                candidates[Names(input: input, output: output), default: []].append(place)
            }
            if input != nil { candidates[Names(input: input, output: nil), default: []].append(place) }
            if output != nil { candidates[Names(input: nil, output: output), default: []].append(place) }
        }
    }

    func candidates(_ names: Names) -> [Int] { candidates[names] ?? [] }
}

extension Binding {
    fileprivate func absent(_ index: Int, _ portType: PortType) -> OperationRefusal {
        OperationRefusal(
            .predicate, "is bound, but the portType ‘\(portType.name.localName)’ does not have it",
            at: operations.indices.contains(index) ? operations[index].location : location)
    }
}

extension Operation {
    /// The names of its messages, including those that the standard derives from the operation's name (WSDL 1.1
    /// §2.4.5).
    fileprivate var messageNames: (input: String?, output: String?) {
        guard let input, let output else { return (input.map { $0.name ?? name }, output.map { $0.name ?? name }) }
        let suffixes = outputIsFirst ? (input: "Response", output: "Solicit") : (input: "Request", output: "Response")
        return (input.name ?? name + suffixes.input, output.name ?? name + suffixes.output)
    }

    /// The operation with its messages, as diagnostics show it.
    fileprivate var shown: String {
        let names = [input, output].compactMap { $0.map { $0.name ?? $0.message.localName } }
        return "\(name)(\(names.joined(separator: " → ")))"
    }
}

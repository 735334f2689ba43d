/// What a port offers: which operations can be used and how their messages travel. Generated code and dynamic calls are
/// both made from it.
package struct ResolvedPort: Sendable {
    package var port: Port
    package var binding: Binding
    /// The operations of the binding, in its order.
    package var operations: [ResolvedOperation]
    /// What is said of the operations of the portType that the binding does not have.
    package var unbound: [Diagnostic]
    /// What is wrong with the whole: the binding names a portType that is not there.
    package var defect: Diagnostic?
}

extension WSDLDefinitions {
    /// Decides what a port offers.
    ///
    /// An operation that cannot be used is among the result with the reason, and so is what is left out of others;
    /// nothing is left out in silence.
    ///
    /// - Returns: nil when the port's binding is not there, as ``reasonNotUsable(_:)`` says.
    package func resolved(_ port: Port) -> ResolvedPort? {
        guard let binding = bindings[port.binding] else { return nil }
        guard let portType = portTypes[binding.portType] else {
            let defect = Diagnostic(
                .error,
                "the binding ‘\(binding.name.localName)’ names the portType \(binding.portType), which is not there.",
                at: binding.location)
            return ResolvedPort(port: port, binding: binding, operations: [], unbound: [], defect: defect)
        }
        let matching = OperationMatching(binding, portType)
        let resolver = OperationResolver(definitions: self, binding: binding)
        let names = Self.distinctNames(binding.operations.map(\.name))
        var told: Set<String> = []
        let operations = zip(binding.operations.indices, names).map { index, name in
            let bound = binding.operations[index]
            let pairing = told.insert(bound.name).inserted ? matching.remarks[bound.name].map { [$0] } ?? [] : []
            let place = matching.places[index]
            let abstract = (try? place.get()).map { portType.operations[$0] }
            let (exchange, remarks) = resolver.resolve(bound, place.map { portType.operations[$0] })
            return ResolvedOperation(
                name: bound.name, distinctName: name, bindingIndex: index, portTypeIndex: try? place.get(),
                bound: bound, abstract: abstract, exchange: exchange, remarks: pairing + remarks)
        }
        return ResolvedPort(
            port: port, binding: binding, operations: operations, unbound: Self.unbound(operations, portType))
    }

    private static func unbound(_ operations: [ResolvedOperation], _ portType: PortType) -> [Diagnostic] {
        let bound = Set(operations.compactMap(\.portTypeIndex))
        // Which overloads are missing where some cannot be told apart is not known; the refusals name them all.
        let refused = Set(operations.filter { $0.portTypeIndex == nil }.map(\.name))
        return portType.operations.enumerated().compactMap { index, operation in
            if bound.contains(index) || refused.contains(operation.name) { return nil }
            return Diagnostic(
                .warning, "the operation ‘\(operation.name)’ is not bound; it is left out.", at: operation.location,
                operation: operation.name, isOmission: true)
        }
    }

    /// Names that are told apart: the first of several equal ones stays, the others get the next free number from 2.
    package static func distinctNames(_ names: [String]) -> [String] {
        var taken = Set(names)
        var passed: Set<String> = []
        var numbers: [String: Int] = [:]
        return names.map { name in
            if passed.insert(name).inserted { return name }
            var number = numbers[name] ?? 2
            while !taken.insert("\(name)\(number)").inserted { number += 1 }
            numbers[name] = number + 1
            return "\(name)\(number)"
        }
    }
}
